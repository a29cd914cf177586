// A footnote: a chip that opens its page, with a card that says what stands there.
import { Suspense, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Citation } from "../api/types";
import { isAt, placeOf } from "../app/address";
import { useOpenPlace, usePlace } from "../app/place";
import { cx } from "../ui/cx";
import { lazily } from "../ui/lazily";

const OPEN_MILLISECONDS = 150;
const CLOSE_MILLISECONDS = 200;

const FootnotePopover = lazily(
  () => import("./FootnotePopover").then((m) => m.FootnotePopover),
  "waiting",
);

interface FootnoteProps {
  readonly citation: Citation;
  /** All of the answer, to walk through them. */
  readonly citations: readonly Citation[];
  readonly verdict: string | null;
}

export function Footnote({ citation, citations, verdict }: FootnoteProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const chip = useRef<HTMLButtonElement>(null);
  const openPlace = useOpenPlace();
  const place = usePlace();
  const card = useId();

  const stay = () => clearTimeout(timer.current);
  const after = (milliseconds: number, next: boolean) => {
    stay();
    timer.current = setTimeout(() => {
      setWanted((before) => before || next);
      setOpen(next);
    }, milliseconds);
  };
  const show = () => {
    stay();
    openPlace(placeOf(citation), citations.map(placeOf));
  };
  const page = citation.page == null ? "" : t("page.number", { page: citation.page });
  const where = [citation.document_title, page].filter(Boolean).join(", ");
  const here = isAt(place, citation);
  return (
    <>
      <button
        ref={chip}
        type="button"
        data-marker={citation.marker}
        aria-label={t("conversation.footnote", { marker: citation.marker, where })}
        aria-describedby={open ? card : undefined}
        aria-pressed={here}
        className={cx(
          "mx-0.5 inline-flex min-h-6 min-w-6 items-center justify-center rounded-full border px-1.5 align-text-top text-xs font-semibold",
          here
            ? "border-transparent bg-accent text-on-accent"
            : "border-accent bg-surface text-accent hover:bg-hover",
        )}
        onClick={show}
        onPointerEnter={() => after(OPEN_MILLISECONDS, true)}
        onPointerLeave={() => after(CLOSE_MILLISECONDS, false)}
        onFocus={() => after(0, true)}
        onBlur={() => after(CLOSE_MILLISECONDS, false)}
      >
        {citation.marker}
      </button>
      {wanted && (
        <Suspense fallback={null}>
          <FootnotePopover
            id={card}
            label={where}
            chip={chip}
            citation={citation}
            verdict={verdict}
            open={open}
            onOpenChange={setOpen}
            onStay={stay}
            onLeave={() => after(CLOSE_MILLISECONDS, false)}
            onShow={show}
          />
        </Suspense>
      )}
    </>
  );
}
