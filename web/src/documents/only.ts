// Documents that were chosen one by one, as what narrows a list: few stand in the address, more are
// kept in the memory of the page under a name that stands there.

import { onForget } from "../ui/store";

const FEW = 40;
const NAME = "kept-";
/** As many as the server compares ids with in one filter. */
export const MAX_LISTED = 200;

const kept = new Map<string, readonly string[]>();
/** The name of each choice, by its ids in order: the same documents are the same list. */
const names = new Map<string, string>();

onForget(() => {
  kept.clear();
  names.clear();
});

/** What the address has of chosen documents. */
export function namedIn(ids: readonly string[]): readonly string[] {
  if (ids.length <= FEW) return ids;
  const choice = [...ids].sort().join();
  const known = names.get(choice);
  if (known !== undefined) return [known];
  const name = `${NAME}${kept.size + 1}`;
  names.set(choice, name);
  kept.set(name, ids);
  return [name];
}

/** The chosen documents of an address; undefined where none are, or they are not known any more. */
export function idsOf(only: readonly string[] | undefined): readonly string[] | undefined {
  const [first] = only ?? [];
  if (first === undefined) return undefined;
  return first.startsWith(NAME) ? kept.get(first) : only;
}

/** The condition that the chosen documents meet, if any are chosen. */
export function onlyFilter(only: readonly string[] | undefined): readonly object[] {
  const ids = idsOf(only);
  return ids === undefined ? [] : [{ document_id: { in: ids } }];
}

interface OfIds {
  readonly document_id: { readonly in: readonly string[] };
}

function isOfIds(condition: unknown): condition is OfIds {
  const ids = (condition as Partial<OfIds> | null)?.document_id?.in;
  return Array.isArray(ids) && ids.every((each) => typeof each === "string");
}

function conditionsOf(filter: string | null | undefined): readonly unknown[] {
  try {
    const { all } = JSON.parse(filter ?? "") as { readonly all?: unknown };
    return Array.isArray(all) ? (all as readonly unknown[]) : [];
  } catch {
    return [];
  }
}

/** The chosen documents of a filter that has them among its conditions; undefined for any other. */
export function idsIn(filter: string | null | undefined): readonly string[] | undefined {
  return conditionsOf(filter).find(isOfIds)?.document_id.in;
}

/** The filter without its condition on chosen documents; null where nothing is left. */
export function withoutIds(filter: string): string | null {
  const rest = conditionsOf(filter).filter((each) => !isOfIds(each));
  return rest.length === 0 ? null : JSON.stringify({ all: rest });
}
