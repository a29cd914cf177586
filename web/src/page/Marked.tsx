// A piece of text with what is marked in it: the quote, and the words that are sought.
import { useEffect, useRef } from "react";

import type { Span } from "../api/queries";
import { cx } from "../ui/cx";
import type { Piece } from "./blocks";

export interface Marking {
  readonly quote: Span | null;
  readonly hits: readonly Span[];
  /** The one of them that is shown. */
  readonly hit: Span | null;
}

interface Run {
  readonly text: string;
  readonly quoted: boolean;
  readonly hit: Span | null;
}

const within = (at: number, span: Span | null) =>
  span !== null && span.start <= at && at < span.end;

/** The text, divided wherever a span begins or ends in it. */
export function runsOf({ text, start }: Piece, { quote, hits }: Marking): readonly Run[] {
  if (start === null) return [{ text, quoted: false, hit: null }];
  const letters = Array.from(text);
  const end = start + letters.length;
  const near = hits.filter((each) => each.start < end && each.end > start);
  const spans = quote === null ? near : [...near, quote];
  const edges = new Set([start, end, ...spans.flatMap((each) => [each.start, each.end])]);
  const cuts = [...edges].filter((each) => each >= start && each <= end).sort((a, b) => a - b);
  return cuts.slice(0, -1).map((cut, index) => ({
    text: letters.slice(cut - start, (cuts[index + 1] ?? end) - start).join(""),
    quoted: within(cut, quote),
    hit: near.find((each) => within(cut, each)) ?? null,
  }));
}

export function Marked({ piece, marking }: { readonly piece: Piece; readonly marking: Marking }) {
  return runsOf(piece, marking).map(({ text, quoted, hit }, index) => {
    if (!quoted && hit === null) return text;
    const current = hit !== null && hit === marking.hit;
    return (
      <MarkedRun
        key={index}
        quoted={quoted}
        hit={hit !== null}
        current={current}
        // What was sought after the citation was opened is what is looked at.
        shown={current || (quoted && marking.hit === null && isFirst(piece, marking))}
      >
        {text}
      </MarkedRun>
    );
  });
}

/** Whether the quote begins in this piece. */
function isFirst({ text, start }: Piece, { quote }: Marking): boolean {
  if (start === null || quote === null) return false;
  return quote.start < start + text.length && quote.start >= start - 1;
}

interface MarkedRunProps {
  readonly quoted: boolean;
  readonly hit: boolean;
  readonly current: boolean;
  readonly shown: boolean;
  readonly children: string;
}

function MarkedRun({ quoted, hit, current, shown, children }: MarkedRunProps) {
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    // Newer browsers return a promise here, which an effect must not.
    if (shown) mark.current?.scrollIntoView({ block: "center" });
  }, [shown]);
  return (
    <mark
      ref={mark}
      {...(quoted && { "data-mark": "exact" })}
      {...(hit && { "data-hit": current ? "current" : "hit" })}
      className={cx(
        "text-ink outline",
        quoted ? "bg-mark" : "bg-transparent",
        current ? "outline-3 outline-hit" : hit ? "outline-hit" : "outline-mark-line",
      )}
    >
      {children}
    </mark>
  );
}
