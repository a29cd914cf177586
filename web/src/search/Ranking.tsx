// The passages that one plan found, with how far each moved against the other plan's.
import { useTranslation } from "react-i18next";

import type { Evidence, SearchResponse } from "../api/types";
import { placeOf } from "../app/address";
import { useOpenPlace } from "../app/place";
import { Notice } from "../ui/Notice";
import { readable } from "../ui/readable";
import { StageTable } from "./StageTable";
import { Timings } from "./Timings";
import { movement, tracedEvidence } from "./stages";

interface RankingProps {
  readonly found: SearchResponse;
  /** What the other plan found; undefined while it searches. */
  readonly other: readonly Evidence[] | undefined;
  /** What this side is called. */
  readonly label: string;
}

export function Ranking({ found, other, label }: RankingProps) {
  const { t } = useTranslation();
  const openPlace = useOpenPlace();
  const { evidence } = found;
  const places = evidence.map((each) => placeOf({ ...each, page: each.page_start }));
  const names = new Map(evidence.map((each) => [each.chunk_id, each.document_title]));
  return (
    <>
      <p className="text-xs text-muted">
        <bdi>
          <code>{found.plan}</code>
        </bdi>{" "}
        · <bdi>{t("search.found", { count: evidence.length })}</bdi>
      </p>
      {found.degraded.length > 0 && (
        <Notice tone="warn" title={t("trace.degraded")}>
          <ul className="list-disc ps-5">
            {found.degraded.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </Notice>
      )}
      <ol className="flex flex-col gap-2">
        {evidence.map((each, index) => (
          <li key={each.chunk_id} className="flex gap-2 rounded-md border border-line p-2 text-sm">
            <span className="w-6 shrink-0 text-end font-semibold tabular-nums">{each.rank}</span>
            <Moved by={other && movement(each.chunk_id, each.rank, other)} />
            <button
              type="button"
              className="min-w-0 flex-1 text-start hover:underline"
              onClick={() => openPlace(places[index] ?? {}, places)}
            >
              <span className="block font-medium">
                <bdi>{each.document_title}</bdi>
                {each.page_start != null && (
                  <span className="text-muted">
                    {" "}
                    · {t("page.number", { page: each.page_start })}
                  </span>
                )}
              </span>
              <span dir="auto" className="line-clamp-2 block text-muted">
                {readable(each.text)}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <Timings timings={found.timings_ms} />
      <StageTable traced={tracedEvidence(evidence)} names={names} of={label} />
    </>
  );
}

/** Says it in words as well as by an arrow; nothing while the other list is not there. */
function Moved({ by }: { readonly by: number | null | undefined }) {
  const { t } = useTranslation();
  if (by === undefined) return <span className="w-10 shrink-0" />;
  const [sign, words, colour] =
    by === null
      ? ["＋", t("compare.alone"), "text-accent"]
      : by === 0
        ? ["=", t("compare.same"), "text-muted"]
        : by > 0
          ? [`↑${by}`, t("compare.higher", { count: by }), "text-good"]
          : [`↓${-by}`, t("compare.lower", { count: -by }), "text-bad"];
  return (
    <span
      data-moved={by ?? "alone"}
      title={words}
      className={`w-10 shrink-0 text-center tabular-nums ${colour}`}
    >
      <span aria-hidden>{sign}</span>
      <span className="sr-only">{words}</span>
    </span>
  );
}
