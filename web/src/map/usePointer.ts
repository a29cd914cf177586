// What mouse, pen and fingers do on the map: move it, pinch it, draw around documents, pick one.
import { type PointerEvent, type WheelEvent, useEffect, useRef, useState } from "react";

import { inside, rectangle } from "./picking";
import { type Pixel, type Size, type Spot, type View, moved, spotAt, zoomed } from "./view";

export type Tool = "move" | "rectangle" | "lasso";
export const TOOLS: readonly Tool[] = ["move", "rectangle", "lasso"];

const CLICK_PIXELS = 4;
const WHEEL = 0.0015;

interface Pointing {
  readonly tool: Tool;
  readonly spots: readonly Spot[];
  readonly size: Size;
  readonly view: View;
  readonly onView: (view: View) => void;
  readonly onHover: (spot: Spot | null) => void;
  readonly onClick: (spot: Spot) => void;
  /** With `more`, beside those that are chosen already. */
  readonly onChoose: (indexes: readonly number[], more: boolean) => void;
}

function pixelIn(event: { clientX: number; clientY: number; currentTarget: Element }): Pixel {
  const box = event.currentTarget.getBoundingClientRect();
  return { left: event.clientX - box.left, top: event.clientY - box.top };
}

export function usePointer(pointing: Pointing) {
  const { tool, spots, size, view, onView, onHover, onClick, onChoose } = pointing;
  const [outline, setOutline] = useState<readonly Spot[]>([]);
  const down = useRef(new Map<number, Pixel>());
  const started = useRef<Pixel | null>(null);
  const latest = useRef(view);
  useEffect(() => {
    latest.current = view;
  }, [view]);
  const show = (next: View) => {
    // Several events may come before the next frame, each of which goes on from the one before.
    latest.current = next;
    onView(next);
  };
  const spotOf = (pixel: Pixel) => spotAt(pixel, latest.current, size);

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const at = pixelIn(event);
    event.currentTarget.setPointerCapture(event.pointerId);
    down.current.set(event.pointerId, at);
    started.current = down.current.size === 1 ? at : null;
    setOutline(tool === "move" || down.current.size > 1 ? [] : [spotOf(at)]);
  };

  const onPointerMove = (event: PointerEvent) => {
    const at = pixelIn(event);
    const before = down.current.get(event.pointerId);
    if (before === undefined) {
      onHover(spotOf(at));
      return;
    }
    const others = [...down.current].filter(([id]) => id !== event.pointerId);
    down.current.set(event.pointerId, at);
    const other = others[0]?.[1];
    if (other !== undefined) {
      const apart = (pixel: Pixel) => Math.hypot(pixel.left - other.left, pixel.top - other.top);
      const middle = { left: (at.left + other.left) / 2, top: (at.top + other.top) / 2 };
      const factor = apart(at) / Math.max(1, apart(before));
      const shifted = moved(latest.current, (at.left - before.left) / 2, (at.top - before.top) / 2);
      show(zoomed(shifted, factor, middle, size));
    } else if (tool === "move") {
      show(moved(latest.current, at.left - before.left, at.top - before.top));
    } else {
      const from = outline[0] ?? spotOf(before);
      setOutline(tool === "lasso" ? [...outline, spotOf(at)] : rectangle(from, spotOf(at)));
    }
  };

  const onPointerUp = (event: PointerEvent) => {
    const at = pixelIn(event);
    const first = started.current;
    if (!down.current.delete(event.pointerId) || first === null) return;
    started.current = null;
    setOutline([]);
    if (Math.hypot(at.left - first.left, at.top - first.top) < CLICK_PIXELS) onClick(spotOf(at));
    else if (tool !== "move" && outline.length > 2) {
      onChoose(inside(spots, outline), event.shiftKey || event.ctrlKey || event.metaKey);
    }
  };

  const onPointerCancel = (event: PointerEvent) => {
    down.current.delete(event.pointerId);
    started.current = null;
    setOutline([]);
  };

  const onWheel = (event: WheelEvent) => {
    const factor = Math.exp(-event.deltaY * WHEEL);
    show(zoomed(latest.current, factor, pixelIn(event), size));
  };

  const onPointerLeave = () => onHover(null);
  return {
    outline,
    handlers: {
      onPointerDown,
      onPointerMove,
      onPointerUp,
      onPointerCancel,
      onPointerLeave,
      onWheel,
    },
  };
}
