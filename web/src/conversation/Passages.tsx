// Passages that an answer could rest on, each of which opens its page.
import { useQueries } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { contextQuery } from "../api/queries";
import type { Evidence, Passage } from "../api/types";
import { placeOf } from "../app/address";
import { useOpenPlace } from "../app/place";
import { readable } from "../ui/readable";

const SHOWN_CHARACTERS = 260;

export function Passages({ passages }: { readonly passages: readonly (Passage | Evidence)[] }) {
  const { t } = useTranslation();
  const openPlace = useOpenPlace();
  const places = passages.map((each) => placeOf({ ...each, page: each.page_start }));
  return (
    <ol className="flex flex-col gap-2">
      {passages.map((passage, index) => (
        <li key={passage.chunk_id}>
          <button
            type="button"
            className="w-full rounded-md border border-line bg-surface p-2 text-start text-sm hover:bg-hover"
            onClick={() => openPlace(places[index] ?? {}, places)}
          >
            <span className="block font-medium">
              <bdi>{passage.document_title}</bdi>
              {passage.page_start != null && (
                <span className="text-muted">
                  {" "}
                  · {t("page.number", { page: passage.page_start })}
                </span>
              )}
            </span>
            <span dir="auto" className="line-clamp-3 block wrap-anywhere text-muted">
              {readable(passage.text).slice(0, SHOWN_CHARACTERS)}
            </span>
            {"why" in passage && (
              <span className="mt-1 block text-xs text-muted">{passage.why}</span>
            )}
          </button>
        </li>
      ))}
    </ol>
  );
}

/** The same where only the chunks are known, as of an answer that was kept. */
export function PassagesByChunk({ chunks }: { readonly chunks: readonly string[] }) {
  const found = useQueries({ queries: chunks.map((chunk) => contextQuery(chunk, 0)) });
  return <Passages passages={found.flatMap((each) => (each.data ? [each.data.chunk] : []))} />;
}
