// The border between two panes, which is dragged or moved with the arrow keys.
import type { KeyboardEvent, PointerEvent } from "react";

const STEP = 24;

interface SeparatorProps {
  readonly label: string;
  readonly controls: string;
  readonly width: number;
  readonly least: number;
  readonly most: number;
  /** 1 if the pane grows when the border moves towards the end of the line, else -1. */
  readonly grows: 1 | -1;
  readonly onResize: (width: number) => void;
}

function lineDirection(): 1 | -1 {
  return document.documentElement.dir === "rtl" ? -1 : 1;
}

export function Separator(props: SeparatorProps) {
  const { label, controls, width, least, most, grows, onResize } = props;
  const resize = (wanted: number) => onResize(Math.round(Math.min(most, Math.max(least, wanted))));

  const drag = (event: PointerEvent<HTMLDivElement>) => {
    event.preventDefault();
    const border = event.currentTarget;
    const from = event.clientX;
    border.setPointerCapture(event.pointerId);
    const move = (next: globalThis.PointerEvent) =>
      resize(width + (next.clientX - from) * grows * lineDirection());
    border.addEventListener("pointermove", move);
    border.addEventListener("lostpointercapture", () =>
      border.removeEventListener("pointermove", move),
    );
  };

  const step = (event: KeyboardEvent) => {
    const forwards = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (forwards !== undefined) resize(width + forwards * STEP * grows * lineDirection());
    else if (event.key === "Home") resize(least);
    else if (event.key === "End") resize(most);
    else return;
    event.preventDefault();
  };

  return (
    // A separator that can be moved is a widget (WAI-ARIA), which the linter does not know.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-controls={controls}
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={step}
      className="hidden w-1.5 shrink-0 cursor-col-resize touch-none border-x border-line bg-raised hover:bg-accent focus-visible:bg-accent md:block"
    />
  );
}
