// How long a question may be, as the server counts its characters.

/** As the server has it (`MAX_QUERY_CHARACTERS`). */
export const MAX_CHARACTERS = 10_000;

/** Characters as the server counts them, of which JavaScript may have two for one. */
export function charactersOf(text: string): number {
  return Array.from(text.trim()).length;
}

export function isTooLong(text: string): boolean {
  return text.length > MAX_CHARACTERS && charactersOf(text) > MAX_CHARACTERS;
}
