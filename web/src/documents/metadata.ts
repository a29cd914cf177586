// Metadata of documents: values by their kind as they are typed, and conditions of the list on them.
import type { MetadataValue } from "../api/types";

export const KINDS = ["text", "number", "date", "boolean"] as const;
export type Kind = (typeof KINDS)[number];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a text is a day that there is: exports write 0000-00-00 where they know none. */
function isDay(text: string): boolean {
  if (!DAY.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Of what kind a value is. The server keeps a date as text, whose order is that of days. */
export function kindOf(value: MetadataValue): Kind {
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return "number";
  return isDay(value) ? "date" : "text";
}

/** The value that was typed for a kind; null for what is none of it. */
export function valueFrom(kind: Kind, typed: string): MetadataValue | null {
  const text = typed.trim();
  if (kind === "boolean") return text === "true" ? true : text === "false" ? false : null;
  if (text === "") return null;
  if (kind === "number") return Number.isFinite(Number(text)) ? Number(text) : null;
  return kind === "text" || isDay(text) ? text : null;
}

/** How a value can be compared, the usual way first. */
export const OPERATORS = {
  text: ["contains", "eq"],
  number: ["eq", "gte", "lte"],
  date: ["eq", "gte", "lte"],
  boolean: ["eq"],
} as const satisfies Record<Kind, readonly string[]>;
export type Operator = (typeof OPERATORS)[Kind][number];

/** What a member of the metadata must be for a document to be listed. */
export interface MetadataCondition {
  readonly name: string;
  readonly operator: Operator;
  readonly value: MetadataValue;
}

const MEMBER = "metadata.";

/** A condition in the language of filters. */
export function filterOf({ name, operator, value }: MetadataCondition): object {
  return { [`${MEMBER}${name}`]: { [operator]: value } };
}

/** The conditions of a filter, as far as they are of this form; null for any other filter. */
export function conditionsFrom(text: string): readonly MetadataCondition[] | null {
  let filter: unknown;
  try {
    filter = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(filter)) return null;
  const parts = Array.isArray(filter["all"]) ? (filter["all"] as unknown[]) : [filter];
  const found = parts.map(conditionFrom);
  return found.every((each) => each !== null) ? found : null;
}

function conditionFrom(part: unknown): MetadataCondition | null {
  if (!isRecord(part)) return null;
  const [[member, compared] = ["", null], ...others] = Object.entries(part);
  if (others.length > 0 || !member.startsWith(MEMBER) || !isRecord(compared)) return null;
  const [[named, value] = ["", null], ...more] = Object.entries(compared);
  const operator = Object.values(OPERATORS)
    .flat()
    .find((each) => each === named);
  if (more.length > 0 || operator === undefined || !isValue(value)) return null;
  const name = member.slice(MEMBER.length);
  return name === "" ? null : { name, operator, value };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isValue(value: unknown): value is MetadataValue {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
