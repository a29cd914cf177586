// Filters of a search, as the address has them and as the API takes them.

/** The fields that are counted and can be chosen by their values. */
export const FACETS = ["collection", "class", "language", "media_type", "tags"] as const;
export type Facet = (typeof FACETS)[number];

export interface Filter {
  readonly field: Facet;
  readonly value: string;
}

/** A filter of the address; null for what is none. */
export function filterFrom(text: string): Filter | null {
  const colon = text.indexOf(":");
  const field = FACETS.find((each) => each === text.slice(0, colon));
  const value = text.slice(colon + 1);
  return field === undefined || value === "" ? null : { field, value };
}

export function filterText({ field, value }: Filter): string {
  return `${field}:${value}`;
}

type Condition = Readonly<Record<string, unknown>>;

/** The condition that documents meet which have, of each field, one of the chosen values. */
export function conditionOf(filters: readonly Filter[]): Condition | null {
  const all = FACETS.flatMap((field) => {
    const values = filters.filter((each) => each.field === field).map((each) => each.value);
    const any = values.map((value) => ({ [field]: value }));
    return any.length === 0 ? [] : [any.length === 1 ? any[0] : { any }];
  });
  return all.length === 0 ? null : { all };
}
