// Search as one types: filters as chips that the address has, facets, and the best passages.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import { changedAddress } from "../app/address";
import { TooLong } from "../conversation/TooLong";
import { isTooLong } from "../conversation/length";
import { OnlyChip } from "../documents/OnlyChip";
import { idsOf } from "../documents/only";
import { Button } from "../ui/Button";
import { Empty } from "../ui/Empty";
import { ProblemNotice } from "../ui/ProblemNotice";
import { Results } from "./Results";
import { FACETS, type Filter, conditionOf, filterFrom, filterText } from "./filters";

const TYPING_MILLISECONDS = 200;
const RESULTS = 20;

export function Search() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { query = "", filters: texts = [], spelling, only } = useSearch({ from: "__root__" });
  const filters = texts.flatMap((each) => filterFrom(each) ?? []);
  const [typed, setTyped] = useState(query);
  const [asked, setAsked] = useState(query);
  if (asked !== query) {
    // The address was changed by something else than typing, such as “back”.
    setAsked(query);
    setTyped(query);
  }

  useEffect(() => {
    if (typed.trim() === query || isTooLong(typed)) return undefined;
    const timer = setTimeout(() => {
      setAsked(typed.trim());
      void navigate({
        to: "/find",
        replace: true,
        search: (before) =>
          changedAddress(before, { query: typed.trim() || undefined, spelling: undefined }),
      });
    }, TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [typed, query, navigate]);

  const setFilters = (next: readonly Filter[]) =>
    void navigate({
      to: "/find",
      search: (before) => ({ ...before, filters: next.map(filterText) }),
    });
  const keepSpelling = (kept: boolean) =>
    void navigate({
      to: "/find",
      search: (before) => changedAddress(before, { spelling: kept ? "kept" : undefined }),
    });
  const where = conditionOf(filters);
  const ids = idsOf(only);
  const narrowed = {
    ...(where === null ? {} : { where }),
    ...(ids === undefined ? {} : { document_ids: [...ids] }),
  };
  const found = useQuery({
    queryKey: ["search", query, texts, spelling, only],
    queryFn: ({ signal }) =>
      answered(
        api.POST("/v1/search", {
          body: {
            query,
            top_k: RESULTS,
            facets: [...FACETS],
            ...(spelling === undefined ? {} : { stages: { spelling: false } }),
            ...(Object.keys(narrowed).length === 0 ? {} : { filters: narrowed }),
          },
          signal,
        }),
      ),
    enabled: query !== "",
    placeholderData: keepPreviousData,
  });
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 p-3">
      <h1 className="sr-only">{t("nav.search")}</h1>
      <input
        id="search"
        type="search"
        dir="auto"
        autoComplete="off"
        aria-label={t("nav.search")}
        placeholder={t("search.placeholder")}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          document.querySelector<HTMLElement>("[data-result]")?.focus();
        }}
        aria-invalid={isTooLong(typed)}
        aria-describedby={isTooLong(typed) ? "search-length" : "search-keys"}
        className="rounded-md border border-line bg-surface px-3 py-2 placeholder:text-muted"
      />
      <TooLong id="search-length" text={typed} />
      <p id="search-keys" className="sr-only">
        {t("found.keys")}
      </p>
      {filters.length > 0 && (
        <ul aria-label={t("search.filters")} className="flex flex-wrap gap-2">
          {filters.map((filter) => (
            <li key={filterText(filter)}>
              <Button
                aria-label={t("search.without", { filter: filterText(filter) })}
                onClick={() =>
                  setFilters(filters.filter((each) => filterText(each) !== filterText(filter)))
                }
              >
                {t(`facet.${filter.field}`)}: <bdi>{filter.value}</bdi> <X aria-hidden size={14} />
              </Button>
            </li>
          ))}
        </ul>
      )}
      {ids !== undefined && (
        <div>
          <OnlyChip
            only={only}
            onRemove={() =>
              void navigate({
                to: "/find",
                search: (before) => changedAddress(before, { only: undefined }),
              })
            }
          />
        </div>
      )}
      {found.isError && <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />}
      {query === "" ? (
        <Empty title={t("search.emptyTitle")}>
          <p>{t("search.emptyHint")}</p>
        </Empty>
      ) : (
        found.data && (
          <Results
            query={query}
            found={found.data}
            filters={filters}
            stale={found.isPlaceholderData}
            keptSpelling={spelling === "kept"}
            onSpelling={keepSpelling}
            onFilter={(filter) => setFilters([...filters, filter])}
          />
        )
      )}
    </div>
  );
}
