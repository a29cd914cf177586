// What stands in the address beside the path: the workspace, the page that is open, a search.

/** A place in a document: deep links to quotes consist of it. */
export interface Place {
  /** The document whose page is open beside the conversation. */
  readonly document?: string;
  readonly page?: number;
  /** The span of the quote in the document's text. */
  readonly start?: number;
  readonly end?: number;
  /** The chunk that the quote is from: a document without pages is shown by its chunks. */
  readonly chunk?: string;
  /** The moment of a recording, in seconds. */
  readonly at?: number;
}

export interface Address extends Place {
  readonly workspace?: string;
  /** The place that is kept beside the first, to read two sources at once. */
  readonly beside?: Place;
  readonly query?: string;
  /** Filters of a search, each as `field:value`. */
  readonly filters?: readonly string[];
  /** Documents that were chosen one by one, or the name that they are kept under. */
  readonly only?: readonly string[];
  /** What the colours of the map tell apart. */
  readonly colour?: "collection" | "class" | "area" | "cluster";
  /** How a list is sorted: a column, a hyphen, and `asc` or `desc`. */
  readonly sort?: string;
  /** Whether a search takes words as they are spelt. */
  readonly spelling?: "kept";
  /** The message of a conversation that a link leads to. */
  readonly message?: string;
  /** Two plans that are compared. */
  readonly plans?: readonly string[];
  /** The path of this app to go to after signing in. */
  readonly next?: string;
  /** The kind of the problem for which signing in failed. */
  readonly failed?: string;
}

function text(value: unknown): string | undefined {
  if (typeof value === "string" && value !== "") return value;
  return typeof value === "number" ? String(value) : undefined;
}

function whole(value: unknown, least: number): number | undefined {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= least
    ? number
    : undefined;
}

/** A path of this very server: two slashes, or a backslash, would begin the name of another. */
function ownPath(value: unknown): string | undefined {
  return typeof value === "string" && /^\/(?![/\\])/.test(value) ? value : undefined;
}

function texts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value)
    ? value.filter((each): each is string => typeof each === "string")
    : undefined;
}

function seconds(value: unknown): number | undefined {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && number >= 0 && Number.isFinite(number) ? number : undefined;
}

function placeFrom(search: Record<string, unknown>): Place {
  return {
    document: text(search["document"]),
    page: whole(search["page"], 1),
    start: whole(search["start"], 0),
    end: whole(search["end"], 1),
    chunk: text(search["chunk"]),
    at: seconds(search["at"]),
  } as Place;
}

function besideFrom(value: unknown): Place | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const place = placeFrom(value as Record<string, unknown>);
  return place.document === undefined ? undefined : place;
}

const COLOURS = ["collection", "class", "area", "cluster"] as const;

/**
 * What of an address makes sense. What does not is there as undefined: the router would take a name
 * that is absent from the address as it stands.
 */
export function addressFrom(search: Record<string, unknown>): Address {
  const found = {
    ...placeFrom(search),
    workspace: text(search["workspace"]),
    beside: besideFrom(search["beside"]),
    query: text(search["query"]),
    message: text(search["message"]),
    plans: texts(search["plans"]),
    filters: texts(search["filters"]),
    only: texts(search["only"]),
    colour: COLOURS.find((each) => each === search["colour"]),
    sort: text(search["sort"]),
    spelling: search["spelling"] === "kept" ? "kept" : undefined,
    next: ownPath(search["next"]),
    failed: text(search["failed"]),
  };
  return found as Address;
}

const NO_PLACE = ["document", "page", "start", "end", "chunk", "at"] as const;

/** The address without the page that is open. */
export function withoutPlace(address: Address): Address {
  return Object.fromEntries(
    Object.entries(address).filter(([name]) => !(NO_PLACE as readonly string[]).includes(name)),
  );
}

/** The address with other members; those that are undefined are taken out. */
export function changedAddress(
  address: Address,
  changes: { readonly [Name in keyof Address]: Address[Name] | undefined },
): Address {
  return Object.fromEntries(
    Object.entries({ ...address, ...changes }).filter(([, value]) => value !== undefined),
  );
}

/** The place of a citation or a passage, of which only what is known is kept. */
export function placeOf(cited: {
  readonly document_id: string;
  readonly chunk_id: string | null;
  readonly char_start: number;
  readonly char_end: number;
  readonly page?: number | null;
  readonly start_seconds?: number | null;
}): Place {
  return {
    document: cited.document_id,
    start: cited.char_start,
    end: cited.char_end,
    ...(cited.chunk_id == null ? {} : { chunk: cited.chunk_id }),
    ...(cited.page == null ? {} : { page: cited.page }),
    ...(cited.start_seconds == null ? {} : { at: cited.start_seconds }),
  };
}

/** Whether two places are the same span of the same document. */
export function isSamePlace(one: Place, other: Place): boolean {
  return one.document === other.document && one.start === other.start && one.end === other.end;
}

/** Whether a place is that of a citation or a passage. */
export function isAt(
  place: Place,
  cited: { readonly document_id: string; readonly char_start: number; readonly char_end: number },
): boolean {
  return (
    place.document === cited.document_id &&
    place.start === cited.char_start &&
    place.end === cited.char_end
  );
}
