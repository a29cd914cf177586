// How the text of an answer is laid out: paragraphs, lists and tables of runs with their footnotes.
// The text is that of the server, letter by letter; whatever is not one of these is shown as it is.

export type Verdict = "supported" | "partly" | "unsupported" | "uncited";

export type Run =
  | {
      readonly kind: "text" | "strong" | "emphasis" | "code";
      readonly text: string;
      readonly verdict: Verdict | null;
    }
  | { readonly kind: "footnote"; readonly marker: number }
  | { readonly kind: "verdict"; readonly verdict: Verdict };

export type Block =
  | { readonly kind: "paragraph"; readonly runs: readonly Run[] }
  | {
      readonly kind: "list";
      readonly ordered: boolean;
      readonly items: readonly (readonly Run[])[];
    }
  | {
      readonly kind: "table";
      readonly head: readonly (readonly Run[])[];
      readonly rows: readonly (readonly (readonly Run[])[])[];
    };

interface Sentence {
  readonly text: string;
  readonly verdict: Verdict;
}

/** A part of the text that one verdict is about. */
interface Judged {
  readonly start: number;
  readonly end: number;
  readonly verdict: Verdict;
}

const MARKERS = /^(?: \[\d+\])+/;

/** Where each sentence stands in the text, which consists of them; its markers belong to it. */
function judgedParts(text: string, sentences: readonly Sentence[]): Judged[] {
  const parts: Judged[] = [];
  let from = 0;
  for (const { text: words, verdict } of sentences) {
    const start = words === "" ? -1 : text.indexOf(words, from);
    if (start < 0) continue;
    const after = start + words.length;
    const end = after + (MARKERS.exec(text.slice(after))?.[0].length ?? 0);
    parts.push({ start, end, verdict });
    from = end;
  }
  return parts;
}

const INLINE = / ?\[(\d+)\]|\*\*([^*]+)\*\*|`([^`]+)`|\*([^*\s][^*]*)\*/g;

function inlineRuns(text: string, verdict: Verdict | null): Run[] {
  const runs: Run[] = [];
  let from = 0;
  for (const found of text.matchAll(INLINE)) {
    if (found.index > from)
      runs.push({ kind: "text", text: text.slice(from, found.index), verdict });
    const [, marker, strong, code, emphasis] = found;
    if (marker !== undefined) runs.push({ kind: "footnote", marker: Number(marker) });
    else if (strong !== undefined) runs.push({ kind: "strong", text: strong, verdict });
    else if (code !== undefined) runs.push({ kind: "code", text: code, verdict });
    else if (emphasis !== undefined) runs.push({ kind: "emphasis", text: emphasis, verdict });
    from = found.index + found[0].length;
  }
  if (from < text.length) runs.push({ kind: "text", text: text.slice(from), verdict });
  return runs;
}

/** The runs of a stretch of the text; a verdict that warns comes after the sentence it is about. */
function runsOf(text: string, start: number, end: number, parts: readonly Judged[]): Run[] {
  const runs: Run[] = [];
  let from = start;
  for (const part of parts) {
    if (part.end <= from || part.start >= end) continue;
    const first = Math.max(part.start, from);
    const last = Math.min(part.end, end);
    runs.push(...inlineRuns(text.slice(from, first), null));
    runs.push(...inlineRuns(text.slice(first, last), part.verdict));
    if (part.end <= end && part.verdict !== "supported") {
      runs.push({ kind: "verdict", verdict: part.verdict });
    }
    from = last;
  }
  runs.push(...inlineRuns(text.slice(from, end), null));
  return runs;
}

const ITEM = /^\s*(?:[-*•]|(\d+)[.)])\s+/;
const ROW = /^\s*\|/;
const SEPARATOR = /^\s*\|[\s:|-]*-[\s:|-]*$/;

/** The runs of each cell of a table's row; the last one may be open. */
function cellsOf(text: string, start: number, end: number, parts: readonly Judged[]): Run[][] {
  const cells: Run[][] = [];
  let from = text.indexOf("|", start) + 1;
  while (from < end) {
    const bar = text.indexOf("|", from);
    const last = bar < 0 || bar > end ? end : bar;
    if (last < end || text.slice(from, last).trim() !== "") {
      cells.push(runsOf(text, from, last, parts));
    }
    from = last + 1;
  }
  return cells;
}

interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function* linesOf(text: string): Generator<Line> {
  let start = 0;
  for (const line of text.split("\n")) {
    yield { start, end: start + line.length, text: line };
    start += line.length + 1;
  }
}

/** The blocks of an answer. While it is written, nothing is known of its sentences yet. */
export function blocksOf(text: string, sentences: readonly Sentence[] = []): Block[] {
  const parts = judgedParts(text, sentences);
  const blocks: Block[] = [];
  for (const line of linesOf(text)) {
    if (line.text.trim() === "") {
      // A blank line ends a list or a table: the next item begins another.
      blocks.push({ kind: "paragraph", runs: [] });
      continue;
    }
    const last = blocks.at(-1);
    const item = ITEM.exec(line.text);
    if (ROW.test(line.text)) {
      if (SEPARATOR.test(line.text)) {
        const head = last?.kind === "table" ? last.rows[0] : undefined;
        if (last?.kind === "table" && head !== undefined && last.head.length === 0) {
          blocks[blocks.length - 1] = { kind: "table", head, rows: last.rows.slice(1) };
        }
        continue;
      }
      const cells = cellsOf(text, line.start, line.end, parts);
      if (last?.kind === "table")
        blocks[blocks.length - 1] = { ...last, rows: [...last.rows, cells] };
      else blocks.push({ kind: "table", head: [], rows: [cells] });
    } else if (item !== null) {
      const runs = runsOf(text, line.start + item[0].length, line.end, parts);
      const ordered = item[1] !== undefined;
      if (last?.kind === "list" && last.ordered === ordered) {
        blocks[blocks.length - 1] = { ...last, items: [...last.items, runs] };
      } else blocks.push({ kind: "list", ordered, items: [runs] });
    } else {
      blocks.push({ kind: "paragraph", runs: runsOf(text, line.start, line.end, parts) });
    }
  }
  return blocks.filter((block) => block.kind !== "paragraph" || block.runs.length > 0);
}
