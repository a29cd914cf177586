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

/** The same of whoever uses the app; undefined until that is known. */
export function useMay(right: Right, collection?: string): boolean | undefined {
  const { data: who } = useQuery(identityQuery);
  return who && may(who, right, collection);
}
