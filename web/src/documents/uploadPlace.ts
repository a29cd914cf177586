// Into which collection files are handed in: one that may be written to, the same for the visit.
import { queryOptions, useQuery } from "@tanstack/react-query";

import { answered, api } from "../api/client";
import { DEFAULT_COLLECTION, WHOLE_WORKSPACE, collectionsWith, may } from "../api/may";
import { identityQuery } from "../api/queries";
import { createPersonalStore, useStore } from "../ui/store";

/** What was chosen last. */
export const chosenCollection = createPersonalStore<string | null>(null);

/** The collections that have documents which one may read. */
const collectionsQuery = queryOptions({
  queryKey: ["collections"],
  queryFn: async () => {
    const query = { limit: 1, facets: ["collection"] as const };
    const { facets } = await answered(
      api.GET("/v1/documents", { params: { query: { ...query, facets: [...query.facets] } } }),
    );
    return (facets["collection"] ?? []).map(({ value }) => value);
  },
});

export interface UploadPlace {
  /** Where the next files go. */
  readonly collection: string;
  readonly offered: readonly string[];
  /** Whether a collection may be begun by putting files into it. */
  readonly anywhere: boolean;
}

/** Null where one may write nowhere; undefined until that is known. */
export function useUploadPlace(): UploadPlace | null | undefined {
  const { data: who } = useQuery(identityQuery);
  const anywhere = who !== undefined && may(who, "write", WHOLE_WORKSPACE);
  const { data: known = [] } = useQuery({ ...collectionsQuery, enabled: anywhere });
  const chosen = useStore(chosenCollection);
  if (who === undefined) return undefined;
  const named = collectionsWith(who, "write");
  const begun = chosen === null ? [] : [chosen];
  const offered = anywhere
    ? [...new Set([DEFAULT_COLLECTION, ...known, ...named, ...begun])].sort()
    : named;
  const first = offered.includes(DEFAULT_COLLECTION) ? DEFAULT_COLLECTION : offered[0];
  if (first === undefined) return null;
  const collection = chosen !== null && offered.includes(chosen) ? chosen : first;
  return { collection, offered, anywhere };
}
