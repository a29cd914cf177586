// How long each stage took: a table whose bars are for the eye alone.
import { useTranslation } from "react-i18next";

import { milliseconds as inMilliseconds } from "../documents/format";

const TOTAL = "total";

export function Timings({ timings }: { readonly timings: Readonly<Record<string, number>> }) {
  const { t, i18n } = useTranslation();
  const stages = Object.entries(timings).filter(([stage]) => stage !== TOTAL);
  const longest = Math.max(...stages.map(([, milliseconds]) => milliseconds), Number.EPSILON);
  if (stages.length === 0) return null;
  return (
    <table className="w-full border-collapse text-xs">
      <caption className="pb-1 text-start font-semibold">{t("trace.timings")}</caption>
      <tbody>
        {stages.map(([stage, milliseconds]) => (
          <tr key={stage}>
            <th scope="row" className="w-28 pe-2 text-start font-normal">
              <code>{stage}</code>
            </th>
            <td aria-hidden className="py-0.5">
              <div
                className="h-2 min-w-px rounded bg-accent"
                style={{ width: `${(milliseconds / longest) * 100}%` }}
              />
            </td>
            <td className="w-20 ps-2 text-end whitespace-nowrap tabular-nums">
              {inMilliseconds(milliseconds, i18n.language)}
            </td>
          </tr>
        ))}
      </tbody>
      {timings[TOTAL] !== undefined && (
        <tfoot>
          <tr>
            <th scope="row" className="text-start">
              {t("trace.total")}
            </th>
            <td aria-hidden />
            <td className="ps-2 text-end whitespace-nowrap tabular-nums">
              {inMilliseconds(timings[TOTAL], i18n.language)}
            </td>
          </tr>
        </tfoot>
      )}
    </table>
  );
}
