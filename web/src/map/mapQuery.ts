// The map of a list of documents, asked for again until it is made.
import { queryOptions } from "@tanstack/react-query";

import { answered, api } from "../api/client";
import { type List, narrowing } from "../documents/list";

const AGAIN_MILLISECONDS = 200;
const WAIT_SECONDS = 1;
const FRESH_MILLISECONDS = 60_000;

export function mapQuery(list: List, clusters: boolean) {
  return queryOptions({
    queryKey: ["map", narrowing(list), clusters],
    queryFn: ({ signal }) =>
      answered(
        api.GET("/v1/map", {
          params: {
            query: {
              ...narrowing(list),
              wait_seconds: WAIT_SECONDS,
              ...(clusters ? { clusters: "middle" as const } : {}),
            },
          },
          signal,
        }),
      ),
    // A failure ends it, and keeps what was known before.
    refetchInterval: ({ state }) =>
      state.data?.progress && state.status !== "error" ? AGAIN_MILLISECONDS : false,
    staleTime: FRESH_MILLISECONDS,
  });
}

/** What can be counted of the list, to narrow it by. */
export function countsQuery(list: List, facets: readonly string[]) {
  return queryOptions({
    queryKey: ["map", "counts", narrowing(list)],
    queryFn: ({ signal }) =>
      answered(
        api.GET("/v1/documents", {
          params: { query: { ...narrowing(list), limit: 1, facets: [...facets] } },
          signal,
        }),
      ),
    staleTime: FRESH_MILLISECONDS,
  });
}
