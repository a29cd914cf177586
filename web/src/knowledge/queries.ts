// What is asked of facts and entities.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import { answered, api } from "../api/client";
import type { ClusterGranularity, ClusterOf, EntityKind, Graph } from "../api/types";

const PAGE_OF_FACTS = 50;
const PAGE_OF_ENTITIES = 100;
const PAGE_OF_MENTIONS = 50;
const CANDIDATES = 10;
const PAGE_OF_CLUSTERS = 50;

/** All that changes when a fact is decided, or an entity merged, split or renamed. */
export const KNOWLEDGE = ["knowledge"] as const;

export const factProgressQuery = queryOptions({
  queryKey: [...KNOWLEDGE, "facts", "progress"],
  queryFn: () => answered(api.GET("/v1/facts/progress")),
});

export const entityProgressQuery = queryOptions({
  queryKey: [...KNOWLEDGE, "entities", "progress"],
  queryFn: () => answered(api.GET("/v1/entities/progress")),
});

/** Whose facts are wanted. */
export interface FactsOf {
  readonly document_id?: string;
  readonly entity_id?: string;
}

export function factsQuery(of: FactsOf, rejected: boolean) {
  return infiniteQueryOptions({
    queryKey: [...KNOWLEDGE, "facts", of, rejected],
    queryFn: ({ pageParam }) =>
      answered(
        api.GET("/v1/facts", {
          params: {
            query: {
              ...of,
              ...(rejected && { status: ["rejected"] }),
              limit: PAGE_OF_FACTS,
              ...(pageParam && { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

/** Around what relationships are wanted. */
export interface RelatedTo {
  readonly document_id?: string;
  readonly entity_id?: string;
}

export function graphQuery(of: RelatedTo, limit: number) {
  return queryOptions({
    queryKey: [...KNOWLEDGE, "graph", of, limit],
    queryFn: async () => {
      const found = await answered(api.GET("/v1/graph", { params: { query: { ...of, limit } } }));
      // Other programs may have it written otherwise; without a format it is a record.
      return found as Graph;
    },
  });
}

/** What is summarised: a document or a collection. */
export interface SummaryOf {
  readonly document_id?: string;
  readonly collection?: string;
}

export const summaryProgressQuery = queryOptions({
  queryKey: [...KNOWLEDGE, "summaries", "progress"],
  queryFn: () => answered(api.GET("/v1/summaries/progress")),
});

export function summaryQuery(of: SummaryOf) {
  return queryOptions({
    queryKey: [...KNOWLEDGE, "summaries", of],
    queryFn: () => answered(api.GET("/v1/summaries", { params: { query: { ...of } } })),
  });
}

export const conflictsQuery = infiniteQueryOptions({
  queryKey: [...KNOWLEDGE, "facts", "conflicts"],
  queryFn: ({ pageParam }) =>
    answered(
      api.GET("/v1/facts/conflicts", {
        params: { query: { limit: PAGE_OF_FACTS, ...(pageParam && { cursor: pageParam }) } },
      }),
    ),
  initialPageParam: "",
  getNextPageParam: (page) => page.next_cursor ?? undefined,
});

/** Which entities are wanted. */
export interface WantedEntities {
  readonly query?: string;
  readonly kind?: readonly EntityKind[];
  readonly document_id?: string;
}

export function entitiesQuery({ kind = [], ...wanted }: WantedEntities) {
  return infiniteQueryOptions({
    queryKey: [...KNOWLEDGE, "entities", wanted, kind],
    queryFn: ({ pageParam }) =>
      answered(
        api.GET("/v1/entities", {
          params: {
            query: {
              ...wanted,
              kind: [...kind],
              limit: PAGE_OF_ENTITIES,
              ...(pageParam && { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

/** Entities that may be what is typed. */
export function candidatesQuery(query: string) {
  return queryOptions({
    queryKey: [...KNOWLEDGE, "entities", "candidates", query],
    queryFn: () =>
      answered(api.GET("/v1/entities", { params: { query: { query, limit: CANDIDATES } } })),
    enabled: query.trim() !== "",
  });
}

export function entityQuery(id: string) {
  return queryOptions({
    queryKey: [...KNOWLEDGE, "entity", id],
    queryFn: () =>
      answered(api.GET("/v1/entities/{entity_id}", { params: { path: { entity_id: id } } })),
    retry: false,
  });
}

export function mentionsQuery(id: string) {
  return infiniteQueryOptions({
    queryKey: [...KNOWLEDGE, "mentions", id],
    queryFn: ({ pageParam }) =>
      answered(
        api.GET("/v1/entities/{entity_id}/mentions", {
          params: {
            path: { entity_id: id },
            query: { limit: PAGE_OF_MENTIONS, ...(pageParam && { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

export function decisionsQuery(id: string) {
  return queryOptions({
    queryKey: [...KNOWLEDGE, "decisions", id],
    queryFn: () =>
      answered(
        api.GET("/v1/entities/{entity_id}/decisions", { params: { path: { entity_id: id } } }),
      ),
  });
}

export function clusterProgressQuery(of: ClusterOf) {
  return queryOptions({
    queryKey: [...KNOWLEDGE, "clusters", "progress", of],
    queryFn: () => answered(api.GET("/v1/clusters/progress", { params: { query: { of } } })),
  });
}

export function clustersQuery(of: ClusterOf, granularity: ClusterGranularity) {
  return infiniteQueryOptions({
    queryKey: [...KNOWLEDGE, "clusters", of, granularity],
    queryFn: ({ pageParam }) =>
      answered(
        api.GET("/v1/clusters", {
          params: {
            query: {
              of,
              granularity,
              limit: PAGE_OF_CLUSTERS,
              ...(pageParam && { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

/** A cluster with at most so many of its members, the most typical first. */
export function clusterQuery(id: string, limit: number) {
  return queryOptions({
    queryKey: [...KNOWLEDGE, "cluster", id, limit],
    queryFn: () =>
      answered(
        api.GET("/v1/clusters/{cluster_id}", {
          params: { path: { cluster_id: id }, query: { limit } },
        }),
      ),
    retry: false,
  });
}
