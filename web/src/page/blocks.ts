// The parts of a passage as they are shown: headings, paragraphs, lists, tables and code. Each piece
// of text has the offset at which it stands in the document, so that spans can be marked in it.
import type { Passage } from "../api/types";

/** A piece of text; null for where it stands if it is no part of the document's own text. */
export interface Piece {
  readonly text: string;
  readonly start: number | null;
}

export type Block =
  | { readonly kind: "heading" | "paragraph" | "code"; readonly piece: Piece }
  | { readonly kind: "list"; readonly items: readonly (Piece & { readonly depth: number })[] }
  | { readonly kind: "table"; readonly head: readonly Piece[]; readonly rows: readonly Piece[][] };

const RULE = /^[\s|:-]+$/;
const INDENT = /^\s*/;
/** An escaped bar belongs to its cell. */
const BAR = /(?<!\\)\|/g;

/** A passage with what of it is shown. */
interface LaidOut {
  readonly passage: Passage;
  readonly blocks: readonly Block[];
}

/** Passages that follow each other, each character once: they may overlap, or come twice. */
export function laidOut(passages: readonly Passage[]): readonly LaidOut[] {
  let shown = 0;
  const distinct = new Map(passages.map((each) => [each.ordinal, each] as const));
  return [...distinct.values()].flatMap((passage) => {
    const blocks = blocksOf(passage, shown);
    shown = Math.max(shown, passage.char_end);
    return blocks.length === 0 ? [] : [{ passage, blocks }];
  });
}

/** What the blocks of a passage say, in their order; `shown` is where what is new in it begins. */
export function blocksOf(passage: Passage, shown = 0): readonly Block[] {
  if (passage.char_end <= shown) return [];
  const letters = Array.from(passage.text);
  const body = letters.slice(passage.body_offset);
  // A text that is not as long as its span was changed to be shown: its offsets would lie.
  if (body.length !== passage.char_end - passage.char_start) {
    return [{ kind: "paragraph", piece: { text: passage.text, start: null } }];
  }
  const head = letters.slice(0, passage.body_offset).join("");
  return passage.spans.flatMap((span, index) => {
    const from = Math.max(span.char_start, passage.char_start, shown);
    const until = Math.min(span.char_end, passage.char_end);
    const text = body.slice(from - passage.char_start, until - passage.char_start).join("");
    if (text.trim() === "") return [];
    return blockOf(span.kind, { text, start: from }, index === 0 ? head : "");
  });
}

function blockOf(kind: string, piece: Piece, head: string): Block {
  if (kind === "table") return table(piece, head);
  if (kind === "list") return { kind, items: linesOf(piece).map(item) };
  return { kind: kind === "heading" || kind === "code" ? kind : "paragraph", piece };
}

function item({ text, start }: Piece): Piece & { readonly depth: number } {
  return { text, start, depth: Math.floor((INDENT.exec(text)?.[0].length ?? 0) / 2) };
}

/** The rows of a table; of one that goes over from the passage before, its head comes first. */
function table(piece: Piece, repeated: string): Block {
  const own = linesOf(piece);
  const before = linesOf({ text: repeated, start: null });
  const lines = [...before, ...own].filter((line) => line.text.includes("|"));
  if (lines.length === 0) return { kind: "paragraph", piece };
  const rows = lines.filter((line) => !RULE.test(line.text)).map(cellsOf);
  const headed = lines.length > 1 && RULE.test(lines[1]?.text ?? "");
  return headed
    ? { kind: "table", head: rows[0] ?? [], rows: rows.slice(1) }
    : { kind: "table", head: [], rows };
}

function linesOf({ text, start }: Piece): readonly Piece[] {
  let at = start;
  return text.split("\n").flatMap((line) => {
    const piece = { text: line, start: at };
    if (at !== null) at += Array.from(line).length + 1;
    return line.trim() === "" ? [] : [piece];
  });
}

function cellsOf({ text, start }: Piece): Piece[] {
  const bars = Array.from(text.matchAll(BAR), (bar) => bar.index);
  const edges = bars[0] === 0 ? bars : [-1, ...bars];
  if (text.slice((edges.at(-1) ?? 0) + 1).trim() !== "") edges.push(text.length);
  return edges.slice(0, -1).map((edge, index) => {
    const raw = text.slice(edge + 1, edges[index + 1]);
    const lead = raw.length - raw.trimStart().length;
    const before = Array.from(text.slice(0, edge + 1 + lead)).length;
    return { text: raw.trim(), start: start === null ? null : start + before };
  });
}
