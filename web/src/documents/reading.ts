// What a document consists of, and what it is like, as its own page asks for it.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import { answered, api } from "../api/client";
import type { Passage } from "../api/types";

const PAGE_OF_PASSAGES = 200;

export function passagesQuery(id: string, version: number) {
  return infiniteQueryOptions({
    queryKey: ["passages", id, version],
    queryFn: ({ pageParam }) =>
      answered(
        api.GET("/v1/documents/{document_id}/passages", {
          params: {
            path: { document_id: id },
            query: { limit: PAGE_OF_PASSAGES, ...(pageParam && { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

export function similarQuery(id: string) {
  return queryOptions({
    queryKey: ["similar", id],
    queryFn: () =>
      answered(
        api.GET("/v1/documents/{document_id}/similar", { params: { path: { document_id: id } } }),
      ),
    retry: false,
  });
}

export function versionsQuery(id: string, version: number) {
  return queryOptions({
    queryKey: ["versions", id, version],
    queryFn: () =>
      answered(
        api.GET("/v1/documents/{document_id}/versions", { params: { path: { document_id: id } } }),
      ),
  });
}

export interface Heading {
  readonly text: string;
  /** From 0 for the outermost. */
  readonly depth: number;
  readonly passage: Passage;
}

/** The headings of the passages, each where it begins. */
export function outlineOf(passages: readonly Passage[]): readonly Heading[] {
  const found: Heading[] = [];
  let before: readonly string[] = [];
  for (const passage of passages) {
    const path = passage.heading_path;
    const shared = path.findIndex((text, depth) => text !== before[depth]);
    if (shared >= 0) {
      path.slice(shared).forEach((text, at) => found.push({ text, depth: shared + at, passage }));
    }
    before = path;
  }
  return found;
}
