// Where words stand in a text, whatever their case, accents and white space. Offsets count
// characters as Python does (code points).
import type { Span } from "../api/queries";

const MARKS = /\p{M}/gu;

interface Folded {
  readonly text: string;
  /** For each unit of the text, the character that it is from. */
  readonly origins: readonly number[];
}

function folded(text: string): Folded {
  const parts: string[] = [];
  const origins: number[] = [];
  let spaced = true;
  let index = 0;
  for (const letter of text) {
    const space = /\s/u.test(letter);
    const plain = space ? " " : letter.normalize("NFKD").replace(MARKS, "").toLowerCase();
    if (!(space && spaced)) {
      parts.push(plain);
      for (let unit = 0; unit < plain.length; unit += 1) origins.push(index);
    }
    spaced = space;
    index += 1;
  }
  return { text: parts.join(""), origins };
}

/** Every place of the words, from the first; places do not overlap. */
export function occurrences(text: string, wanted: string): readonly Span[] {
  const sought = folded(wanted).text.trimEnd();
  if (sought === "") return [];
  const { text: searched, origins } = folded(text);
  const found: Span[] = [];
  let at = searched.indexOf(sought);
  while (at >= 0) {
    const last = origins[at + sought.length - 1] ?? 0;
    found.push({ start: origins[at] ?? 0, end: last + 1 });
    at = searched.indexOf(sought, at + sought.length);
  }
  return found;
}
