// What whoever asks may do, so that nobody is offered what the server would refuse. It decides again.
import { useQuery } from "@tanstack/react-query";

import { identityQuery } from "./queries";
import type { WhoAsks } from "./types";

export type Right = WhoAsks["rights"][number];

/** Stands where a collection is named. */
export const WHOLE_WORKSPACE = "";
/** Where files are put that are handed in here. */
export const DEFAULT_COLLECTION = "default";

const RIGHTS: Record<NonNullable<WhoAsks["role"]>, readonly Right[]> = {
  reader: ["read"],
  writer: ["read", "write"],
  admin: ["read", "write", "administer"],
};

/** Whether somebody has a right in a collection, or in any place where none is named. */
export function may(
  who: Pick<WhoAsks, "role" | "collections" | "rights">,
  right: Right,
  collection?: string,
): boolean {
  if (!who.rights.includes(right)) return false;
  const own = Object.entries(who.collections)
    .filter(([name]) => collection === undefined || name === collection)
    .map(([, role]) => role);
  return [who.role, ...own].some((role) => role !== null && RIGHTS[role].includes(right));
}

/** Whether somebody has nothing but a link that was shared: they read, and keep nothing here. */
export function isGuest({ credential }: Pick<WhoAsks, "credential">): boolean {
  return credential.startsWith("link:");
}

/** The same of whoever uses the app; undefined until that is known. */
export function useGuest(): boolean | undefined {
  const { data: who } = useQuery(identityQuery);
  return who && isGuest(who);
}

/** The collections in which somebody has a right by their own name, in alphabetical order. */
export function collectionsWith(
  who: Pick<WhoAsks, "role" | "collections" | "rights">,
  right: Right,
): readonly string[] {
  return Object.keys(who.collections)
    .filter((each) => may(who, right, each))
    .sort();
}

/** Whether whoever uses the app has a right; undefined until that is known. */
export function useMay(right: Right, collection?: string): boolean | undefined {
  const { data: who } = useQuery(identityQuery);
  return who && may(who, right, collection);
}
