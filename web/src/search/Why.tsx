// Why a result stands where it does: what each half found, and what each stage made of it.
import { useTranslation } from "react-i18next";

import type { Evidence } from "../api/types";

const HALVES: Readonly<Record<string, "found.half.dense" | "found.half.lexical">> = {
  dense: "found.half.dense",
  lexical: "found.half.lexical",
};

export function Why({ evidence }: { readonly evidence: Evidence }) {
  const { t } = useTranslation();
  return (
    <details className="mt-1 text-xs text-muted">
      <summary>{t("search.why")}</summary>
      <p>{evidence.why}</p>
      <table className="my-1">
        <thead>
          <tr>
            {(["stage", "before", "after", "score"] as const).map((name) => (
              <th key={name} scope="col" className="pe-4 text-start font-semibold">
                {t(`found.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {evidence.explanation.map((each) => {
            const half = HALVES[each.stage];
            return (
              <tr key={each.stage}>
                <th scope="row" className="pe-4 text-start font-normal">
                  {half === undefined ? each.stage : t(half)}
                </th>
                <td className="pe-4">
                  {each.rank_before !== null && t("found.place", { rank: each.rank_before })}
                </td>
                <td className="pe-4">{t("found.place", { rank: each.rank_after })}</td>
                <td className="tabular-nums">{each.score_after.toPrecision(3)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}
