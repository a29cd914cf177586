// The list of documents as the address has it: what narrows it, and how the server sorts it.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";

import { answered, api } from "../api/client";
import type { DocumentClass, DocumentStatus, SavedView } from "../api/types";
import type { Address } from "../app/address";
import { type MetadataCondition, conditionsFrom, filterOf } from "./metadata";
import { idsIn, idsOf, namedIn, onlyFilter, withoutIds } from "./only";

export const COLUMN_IDS = [
  "title",
  "status",
  "collection",
  "document_class",
  "tags",
  "page_count",
  "byte_size",
  "created_at",
] as const;
export type ColumnId = (typeof COLUMN_IDS)[number];

export const SORTS = [
  "title",
  "status",
  "collection",
  "page_count",
  "byte_size",
  "created_at",
] as const;
export type Sort = (typeof SORTS)[number];
export type Order = "asc" | "desc";

/** Fields whose values are counted, and what the API calls the choice of one. */
export const FACETS = {
  status: "status",
  collection: "collection",
  class: "document_class",
  tags: "tag",
} as const;
export type Facet = keyof typeof FACETS;

export interface List {
  readonly query: string;
  readonly chosen: Readonly<Partial<Record<Facet, string>>>;
  readonly metadata: readonly MetadataCondition[];
  readonly sort: Sort;
  readonly order: Order;
  /** Documents that were chosen one by one, as the address has them. */
  readonly only?: readonly string[];
}

const PAGE = 200;
export const NOTHING_CHOSEN: List = {
  query: "",
  chosen: {},
  metadata: [],
  sort: "created_at",
  order: "desc",
};

export function listFrom({ query = "", filters = [], sort = "", only }: Address): List {
  const chosen: Partial<Record<Facet, string>> = {};
  const metadata: MetadataCondition[] = [];
  for (const each of filters) {
    if (each.startsWith("{")) metadata.push(...(conditionsFrom(each) ?? []));
    const colon = each.indexOf(":");
    const field = each.slice(0, colon);
    if (field in FACETS && colon < each.length - 1) chosen[field as Facet] = each.slice(colon + 1);
  }
  const [by, order] = sort.split("-");
  const known = SORTS.find((each) => each === by);
  return {
    query,
    chosen,
    metadata,
    sort: known ?? NOTHING_CHOSEN.sort,
    order: known === undefined || order !== "asc" ? "desc" : "asc",
    ...(only === undefined || only.length === 0 ? {} : { only }),
  };
}

/** What of the address says which list it is. */
export function addressOf({ query, chosen, metadata, sort, order, only }: List): Address {
  const filters = [
    ...Object.entries(chosen).map(([field, value]) => `${field}:${value}`),
    ...metadata.map((each) => JSON.stringify(filterOf(each))),
  ];
  const natural = sort === NOTHING_CHOSEN.sort && order === NOTHING_CHOSEN.order;
  return {
    ...(query === "" ? {} : { query }),
    ...(filters.length === 0 ? {} : { filters }),
    ...(natural ? {} : { sort: `${sort}-${order}` }),
    ...(only === undefined ? {} : { only }),
  };
}

/** The list with more than the documents that were chosen one by one. */
export function withoutOnly({ query, chosen, metadata, sort, order }: List): List {
  return { query, chosen, metadata, sort, order };
}

export function isNarrowed({ query, chosen, metadata, only }: List): boolean {
  return (
    query !== "" ||
    Object.keys(chosen).length > 0 ||
    metadata.length > 0 ||
    idsOf(only) !== undefined
  );
}

function parameters(list: List) {
  return { sort: list.sort, order: list.order, ...narrowing(list) };
}

/** What narrows the list, as the API takes it. */
export function narrowing({ query, chosen, metadata, only }: List) {
  const conditions = [...metadata.map(filterOf), ...onlyFilter(only)];
  return {
    ...(query === "" ? {} : { query }),
    ...(chosen.collection === undefined ? {} : { collection: chosen.collection }),
    ...(chosen.status === undefined ? {} : { status: chosen.status as DocumentStatus }),
    ...(chosen.class === undefined ? {} : { document_class: chosen.class as DocumentClass }),
    ...(chosen.tags === undefined ? {} : { tag: chosen.tags }),
    ...(conditions.length === 0 ? {} : { where: JSON.stringify({ all: conditions }) }),
  };
}

export function listQuery(list: List) {
  return infiniteQueryOptions({
    queryKey: ["documents", "list", list],
    queryFn: ({ pageParam, signal }) =>
      answered(
        api.GET("/v1/documents", {
          params: {
            query: {
              ...parameters(list),
              limit: PAGE,
              // Counts are of the whole list, so the first page brings them.
              ...(pageParam === "" ? { facets: Object.keys(FACETS) } : { cursor: pageParam }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

export const viewsQuery = queryOptions({
  queryKey: ["views"],
  queryFn: () => answered(api.GET("/v1/views")),
});

export function viewOf(name: string, list: List) {
  return { name, ...parameters(list) };
}

export function listOf(view: SavedView): List {
  const chosen = {
    ...(view.status === null ? {} : { status: view.status }),
    ...(view.collection === null ? {} : { collection: view.collection }),
    ...(view.document_class === null ? {} : { class: view.document_class }),
    ...(view.tag === null ? {} : { tags: view.tag }),
  };
  const only = idsIn(view.where);
  const conditions = only === undefined ? view.where : withoutIds(view.where ?? "");
  const metadata = conditions === null ? [] : (conditionsFrom(conditions) ?? []);
  return {
    query: view.query,
    chosen,
    metadata,
    sort: view.sort,
    order: view.order,
    ...(only === undefined ? {} : { only: namedIn(only) }),
  };
}
