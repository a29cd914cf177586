// Where a span of a document's text stands in a passage. Offsets count characters as Python does
// (code points), of which a JavaScript string may have two for one.
import type { Span } from "../api/queries";
import type { Place } from "../app/address";

interface Body {
  readonly text: string;
  readonly body_offset: number;
  readonly char_start: number;
  readonly char_end: number;
}

export interface Divided {
  readonly before: string;
  readonly marked: string;
  readonly after: string;
}

/** The span of a place; null for a place without one. */
export function spanOf({ start, end }: Place): Span | null {
  return start === undefined || end === undefined || end <= start ? null : { start, end };
}

/** A passage's text, divided where the span begins and ends in it. */
export function divided(passage: Body, span: Span | null): Divided {
  const letters = Array.from(passage.text);
  const outside = { before: passage.text, marked: "", after: "" };
  // A text that is not as long as its span was changed to be shown: its offsets would lie.
  const length = letters.length - passage.body_offset;
  if (span === null || length !== passage.char_end - passage.char_start) return outside;
  const first = Math.max(span.start, passage.char_start);
  const last = Math.min(span.end, passage.char_end);
  if (first >= last) return outside;
  const shift = passage.body_offset - passage.char_start;
  return {
    before: letters.slice(0, first + shift).join(""),
    marked: letters.slice(first + shift, last + shift).join(""),
    after: letters.slice(last + shift).join(""),
  };
}
