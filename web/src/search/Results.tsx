// What a search found: the facets to narrow it by, and the passages with their reasons.
import type { KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";

import type { Evidence, SearchResponse } from "../api/types";
import { isAt, placeOf } from "../app/address";
import { useOpenPlace, usePlace } from "../app/place";
import { Button } from "../ui/Button";
import { Empty } from "../ui/Empty";
import { cx } from "../ui/cx";
import { readable } from "../ui/readable";
import { Why } from "./Why";
import { FACETS, type Filter, filterText } from "./filters";
import { highlighted } from "./highlight";
import { Scroller } from "../ui/Scroller";

const SHOWN_CHARACTERS = 420;

interface ResultsProps {
  readonly query: string;
  readonly found: SearchResponse;
  readonly filters: readonly Filter[];
  readonly stale: boolean;
  readonly keptSpelling: boolean;
  readonly onFilter: (filter: Filter) => void;
  /** Takes words as they are spelt, or corrects them. */
  readonly onSpelling: (kept: boolean) => void;
}

export function Results({
  query,
  found,
  filters,
  stale,
  keptSpelling,
  onFilter,
  onSpelling,
}: ResultsProps) {
  const { t, i18n } = useTranslation();
  const places = found.evidence.map((each) => placeOf({ ...each, page: each.page_start }));
  return (
    <div className={cx("flex min-h-0 flex-1 flex-col gap-3", stale && "opacity-70")}>
      <p role="status" className="text-sm text-muted">
        {t("search.found", { count: found.evidence.length })}
        {found.corrected_query !== null && (
          <>
            {" "}
            {t("search.corrected")} <q>{found.corrected_query}</q>
          </>
        )}
        {keptSpelling && <> {t("found.keptSpelling")}</>}
      </p>
      {(found.corrected_query !== null || keptSpelling) && (
        <div>
          <Button onClick={() => onSpelling(!keptSpelling)}>
            {keptSpelling ? t("found.correct") : t("found.asTyped", { query })}
          </Button>
        </div>
      )}
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {FACETS.map((field) => {
          const counts = (found.facets[field] ?? []).filter(
            ({ value }) => !filters.some((each) => filterText(each) === `${field}:${value}`),
          );
          if (counts.length === 0) return null;
          return (
            <details key={field} className="text-sm">
              <summary>{t(`facet.${field}`)}</summary>
              <ul className="flex max-w-xs flex-wrap gap-1 py-1">
                {counts.map(({ value, documents }) => (
                  <li key={value}>
                    <button
                      type="button"
                      className="min-h-6 rounded border border-line px-1.5 hover:bg-hover"
                      onClick={() => onFilter({ field, value })}
                    >
                      <bdi>{value}</bdi>{" "}
                      <span className="text-muted">{documents.toLocaleString(i18n.language)}</span>
                    </button>
                  </li>
                ))}
              </ul>
            </details>
          );
        })}
      </div>
      {found.evidence.length === 0 ? (
        <Empty title={t("search.nothingTitle")}>
          <p>{t("search.nothingHint")}</p>
        </Empty>
      ) : (
        <Scroller label={t("search.results")} className="min-h-0 flex-1">
          <ol className="flex flex-col gap-2">
            {found.evidence.map((evidence) => (
              <Result key={evidence.chunk_id} query={query} evidence={evidence} places={places} />
            ))}
          </ol>
        </Scroller>
      )}
    </div>
  );
}

/** The arrow keys go from result to result, and from the first one back to what is typed. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const results = [...document.querySelectorAll<HTMLElement>("[data-result]")];
  const now = results.indexOf(event.currentTarget);
  if (by === undefined || now < 0) return;
  event.preventDefault();
  const next = results[now + by] ?? (by < 0 ? document.getElementById("search") : null);
  next?.focus();
}

interface ResultProps {
  readonly query: string;
  readonly evidence: Evidence;
  readonly places: readonly ReturnType<typeof placeOf>[];
}

function Result({ query, evidence, places }: ResultProps) {
  const { t } = useTranslation();
  const openPlace = useOpenPlace();
  const here = isAt(usePlace(), evidence);
  const section = evidence.heading_path.join(" › ");
  return (
    <li className={cx("rounded-md border p-3", here ? "border-accent" : "border-line")}>
      <h2 className="font-semibold">
        <button
          type="button"
          data-result
          onKeyDown={walk}
          aria-pressed={here}
          className="text-start underline-offset-2 hover:underline"
          onClick={() => openPlace(placeOf({ ...evidence, page: evidence.page_start }), places)}
        >
          <bdi>{evidence.document_title}</bdi>
        </button>
      </h2>
      <p className="text-xs text-muted">
        {evidence.page_start !== null && `${t("page.number", { page: evidence.page_start })} · `}
        <bdi>{section}</bdi>
      </p>
      <p dir="auto" className="mt-1 line-clamp-5 text-sm whitespace-pre-line">
        {highlighted(readable(evidence.text).slice(0, SHOWN_CHARACTERS), query).map(
          (piece, index) =>
            piece.matched ? (
              <strong key={index} className="bg-mark">
                {piece.text}
              </strong>
            ) : (
              <span key={index}>{piece.text}</span>
            ),
        )}
      </p>
      <Why evidence={evidence} />
    </li>
  );
}
