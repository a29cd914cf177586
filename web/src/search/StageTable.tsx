// How each passage came to its rank: the half that recalled it, and its place after each stage.
import { useTranslation } from "react-i18next";

import { Scroller } from "../ui/Scroller";
import { type Traced, recalledBy, stagesOf } from "./stages";

interface StageTableProps {
  readonly traced: readonly Traced[];
  /** What each passage is called, by its chunk. */
  readonly names: ReadonlyMap<string, string>;
  /** What tells it from another table beside it. */
  readonly of?: string;
}

const CELL = "border-b border-line px-2 py-1 text-start align-top";

export function StageTable({ traced, names, of }: StageTableProps) {
  const { t } = useTranslation();
  const label = [t("trace.ranks"), of].filter(Boolean).join(": ");
  const stages = stagesOf(traced);
  return (
    <Scroller label={label} className="text-xs">
      <table className="w-full border-collapse">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr>
            {[t("trace.rank"), t("trace.passage"), t("trace.recalled")].map((each) => (
              <th key={each} scope="col" className={CELL}>
                {each}
              </th>
            ))}
            {stages.map((stage) => (
              <th key={stage} scope="col" className={CELL}>
                <code>{stage}</code>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {traced.map((each) => (
            <tr key={each.chunk} data-chunk={each.chunk}>
              <td className={CELL}>{each.rank}</td>
              <th scope="row" className={`${CELL} min-w-32 font-normal`}>
                <bdi>{names.get(each.chunk) ?? "…"}</bdi>
              </th>
              <td className={CELL}>{t(`trace.by.${recalledBy(each)}`)}</td>
              {stages.map((stage) => {
                const place = each.stages.find((record) => record.stage === stage);
                return (
                  <td key={stage} className={`${CELL} whitespace-nowrap tabular-nums`}>
                    {place === undefined ? "–" : `${place.rank} (${place.score.toPrecision(3)})`}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
