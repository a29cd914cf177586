// The words of a quote, marked where the geometry of the page says that they stand.
import { useEffect, useRef } from "react";

import type { PageWithQuotes } from "../api/types";
import { cx } from "../ui/cx";
import type { Hits } from "./useHitsOnPage";

const percent = (share: number) => `${share * 100}%`;
const LOOKS = {
  exact: "bg-mark mix-blend-multiply outline outline-mark-line",
  // What is not certain is framed with a broken line and not filled.
  approximate: "border-2 border-dashed border-mark-line",
  hit: "border border-hit",
  current: "border-3 border-hit",
} as const;

interface MarksProps {
  readonly found: PageWithQuotes | undefined;
  readonly hits: Hits | undefined;
}

export function Marks({ found, hits }: MarksProps) {
  return (
    <>
      {found?.quotes.map((quote, index) => (
        <Mark
          key={index}
          quote={quote}
          look={quote.match === "approximate" ? "approximate" : "exact"}
          // What was sought after the citation was opened is what is looked at.
          shown={index === 0 && hits === undefined}
        />
      ))}
      {hits?.found.quotes.map((quote, index) => (
        <Mark
          key={`hit-${index}`}
          quote={quote}
          look={index === hits.current ? "current" : "hit"}
          shown={index === hits.current}
        />
      ))}
    </>
  );
}

interface MarkProps {
  readonly quote: PageWithQuotes["quotes"][number];
  readonly look: keyof typeof LOOKS;
  /** Whether it is to be in view. */
  readonly shown: boolean;
}

function Mark({ quote, look, shown }: MarkProps) {
  const first = useRef<HTMLDivElement>(null);
  const isHit = look === "hit" || look === "current";
  useEffect(() => {
    // Newer browsers return a promise here, which an effect must not.
    if (shown) first.current?.scrollIntoView({ block: "center", inline: "nearest" });
  }, [quote, shown]);
  return quote.rectangles.map(({ fractions }, index) => (
    <div
      key={index}
      ref={index === 0 ? first : undefined}
      {...(isHit ? { "data-hit": look } : { "data-mark": quote.match })}
      className={cx("pointer-events-none absolute forced-color-adjust-none", LOOKS[look])}
      style={{
        left: percent(fractions.left),
        top: percent(fractions.top),
        width: percent(fractions.right - fractions.left),
        height: percent(fractions.bottom - fractions.top),
      }}
    />
  ));
}
