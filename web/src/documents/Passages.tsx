// The outline and the passages of a document; each opens its place on the page beside.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import type { Document, Passage } from "../api/types";
import { isAt, placeOf } from "../app/address";
import { useOpenPlace, usePlace } from "../app/place";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { cx } from "../ui/cx";
import { outlineOf, passagesQuery } from "./reading";

const SHOWN_CHARACTERS = 240;

export function Passages({ document }: { readonly document: Document }) {
  const { t } = useTranslation();
  const place = usePlace();
  const openPlace = useOpenPlace();
  const found = useInfiniteQuery(passagesQuery(document.document_id, document.version));
  const passages = useMemo(
    () => found.data?.pages.flatMap((page) => page.passages) ?? [],
    [found.data],
  );
  const outline = useMemo(() => outlineOf(passages), [passages]);
  const places = useMemo(
    () => passages.map((each) => placeOf({ ...each, page: each.page_start })),
    [passages],
  );
  const open = (passage: Passage) =>
    openPlace(placeOf({ ...passage, page: passage.page_start }), places);
  if (found.isError) {
    return <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />;
  }
  if (found.isSuccess && passages.length === 0) {
    return <p className="text-sm text-muted">{t("paper.noPassages")}</p>;
  }
  return (
    <>
      {outline.length > 0 && (
        <details open className="text-sm">
          <summary className="font-semibold">{t("paper.outline")}</summary>
          <ol aria-label={t("paper.outline")} className="py-1">
            {outline.map(({ text, depth, passage }) => (
              <li
                key={`${passage.chunk_id} ${depth}`}
                style={{ paddingInlineStart: `${depth}rem` }}
              >
                <button
                  type="button"
                  className="min-h-6 text-start text-accent underline-offset-2 hover:underline"
                  onClick={() => open(passage)}
                >
                  <bdi>{text}</bdi>
                </button>
              </li>
            ))}
          </ol>
        </details>
      )}
      <details className="text-sm">
        <summary className="font-semibold">
          {t("paper.passages")} ({document.chunk_count})
        </summary>
        <ol aria-label={t("paper.passages")} className="flex flex-col gap-1 py-1">
          {passages.map((each) => (
            <li key={each.chunk_id}>
              <button
                type="button"
                dir="auto"
                aria-pressed={isAt(place, each)}
                className={cx(
                  "w-full rounded-md border p-2 text-start hover:bg-hover",
                  isAt(place, each) ? "border-accent" : "border-line",
                )}
                onClick={() => open(each)}
              >
                {each.page_start !== null && (
                  <span className="block text-xs text-muted">
                    {t("page.number", { page: each.page_start })}
                  </span>
                )}
                {each.text.slice(0, SHOWN_CHARACTERS)}
              </button>
            </li>
          ))}
        </ol>
        {found.hasNextPage && (
          <Button disabled={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            {t("common.more")}
          </Button>
        )}
      </details>
    </>
  );
}
