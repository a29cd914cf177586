// The card beside a footnote's chip: it can be pointed at, and Escape closes it.
import { Popover } from "radix-ui";
import type { RefObject } from "react";

import type { Citation } from "../api/types";
import { CitationCard } from "./CitationCard";

interface FootnotePopoverProps {
  readonly id: string;
  readonly label: string;
  readonly chip: RefObject<HTMLButtonElement | null>;
  readonly citation: Citation;
  readonly verdict: string | null;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onStay: () => void;
  readonly onLeave: () => void;
  readonly onShow: () => void;
}

export function FootnotePopover(props: FootnotePopoverProps) {
  const { id, label, chip, citation, verdict, open, onOpenChange, onStay, onLeave, onShow } = props;
  return (
    <Popover.Root open={open} onOpenChange={onOpenChange}>
      <Popover.Anchor virtualRef={chip} />
      <Popover.Portal>
        <Popover.Content
          id={id}
          side="top"
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          className="z-50 w-[min(24rem,calc(100vw-1rem))] rounded-md border border-line bg-surface p-3 text-sm text-ink shadow-lg"
          onOpenAutoFocus={(event) => event.preventDefault()}
          onCloseAutoFocus={(event) => event.preventDefault()}
          onPointerEnter={onStay}
          onPointerLeave={onLeave}
        >
          <CitationCard citation={citation} verdict={verdict} onOpen={onShow} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
