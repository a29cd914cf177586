// Titles of documents by their id, as far as they were shown.
import type { InfiniteData } from "@tanstack/react-query";

import { documentQuery } from "../api/queries";
import { queryClient } from "../api/queryClient";
import type { Document } from "../api/types";

/** The titles of these documents that are known here. */
export function titlesOf(ids: readonly string[]): ReadonlyMap<string, string> {
  const wanted = new Set(ids);
  const listed = queryClient
    .getQueriesData<InfiniteData<{ documents: readonly Document[] }>>({ queryKey: ["documents"] })
    .flatMap(([, list]) => list?.pages.flatMap((page) => page.documents) ?? []);
  const opened = ids.flatMap((id) => queryClient.getQueryData(documentQuery(id).queryKey) ?? []);
  return new Map(
    [...listed, ...opened]
      .filter((each) => wanted.has(each.document_id))
      .map((each) => [each.document_id, each.title]),
  );
}
