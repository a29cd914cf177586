// What a form was given.

export function textOf(given: FormData, name: string): string {
  const value = given.get(name);
  return typeof value === "string" ? value.trim() : "";
}

export function textOrNull(given: FormData, name: string): string | null {
  return textOf(given, name) || null;
}

/** The moment at which a day begins here, or one so many days later; undefined for no day. */
export function midnightOf(given: FormData, name: string, daysLater = 0): string | undefined {
  const day = textOf(given, name);
  if (day === "") return undefined;
  const midnight = new Date(`${day}T00:00:00`);
  midnight.setDate(midnight.getDate() + daysLater);
  return midnight.toISOString();
}

/** Names that commas part. */
export function namesOf(given: FormData, name: string): string[] {
  return textOf(given, name)
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
}

export function numberOrNull(given: FormData, name: string): number | null {
  const text = textOf(given, name);
  return text === "" ? null : Number(text);
}

/** The values of a list that are chosen, in the order of the list. */
export function chosenOf<Value extends string>(
  given: FormData,
  name: string,
  values: readonly Value[],
): Value[] {
  const chosen = given.getAll(name);
  return values.filter((each) => chosen.includes(each));
}

/** The one value of a list that is chosen; its first where none is. */
export function oneOf<Value extends string>(
  given: FormData,
  name: string,
  values: readonly [Value, ...Value[]],
): Value {
  return chosenOf(given, name, values)[0] ?? values[0];
}
