// Which words of a result are words of the query. It shows what was found, and proves nothing:
// where a quote stands on its page is told by offsets alone.

export interface Piece {
  readonly text: string;
  readonly matched: boolean;
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Words are compared without their endings, as a stemmer would, from this length on. */
const LONG = 5;

function stem(word: string): string {
  const folded = word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return folded.length > LONG ? folded.slice(0, Math.max(LONG, folded.length - 3)) : folded;
}

export function highlighted(text: string, query: string): readonly Piece[] {
  const wanted = new Set([...query.matchAll(WORD)].map(([word]) => stem(word)));
  const pieces: Piece[] = [];
  let from = 0;
  for (const found of text.matchAll(WORD)) {
    if (!wanted.has(stem(found[0]))) continue;
    if (found.index > from) pieces.push({ text: text.slice(from, found.index), matched: false });
    pieces.push({ text: found[0], matched: true });
    from = found.index + found[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), matched: false });
  return pieces;
}
