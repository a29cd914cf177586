// Where words stand in a document: over all of its passages, each with its page.
import type { Span } from "../api/queries";
import type { Passage } from "../api/types";
import { occurrences } from "./occurrences";

export interface Hit extends Span {
  readonly chunk: string;
  /** Null in a format without pages. */
  readonly page: number | null;
}

/** Every place of the words in passages that follow each other; words may go over their borders. */
export function hitsIn(passages: readonly Passage[], wanted: string): readonly Hit[] {
  const whole: string[] = [];
  const starts: number[] = [];
  const origin = passages[0]?.char_start ?? 0;
  let length = origin;
  for (const passage of passages) {
    const body = Array.from(passage.text).slice(passage.body_offset);
    starts.push(passage.char_start);
    // A text that was changed to be shown has other offsets: its place is left blank.
    const known = body.length === passage.char_end - passage.char_start;
    const gap = passage.char_start - length;
    whole.push(" ".repeat(Math.max(gap, 0)));
    // What passages share is looked through once.
    const text = known ? body : Array<string>(passage.char_end - passage.char_start).fill(" ");
    whole.push(text.slice(Math.max(-gap, 0)).join(""));
    length = Math.max(length, passage.char_end);
  }
  return occurrences(whole.join(""), wanted).map(({ start, end }) => {
    const [first, last] = [start + origin, end + origin];
    const index = starts.findLastIndex((each) => each <= first);
    const passage = passages[index];
    const block = passage?.spans.findLast((each) => each.char_start <= first);
    return {
      start: first,
      end: last,
      chunk: passage?.chunk_id ?? "",
      page: block?.page ?? passage?.page_start ?? null,
    };
  });
}
