// Draws a picture on a canvas as sharp as the screen is, and again when window, theme or picture
// change.
import { type RefObject, useEffect, useRef, useState } from "react";

import { type Picture, draw, inksOf } from "./drawing";
import type { Size, View } from "./view";

/** Counts the changes of the theme, which the page has as an attribute. */
function useTheme(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const observer = new MutationObserver(() => setChanges((before) => before + 1));
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => observer.disconnect();
  }, []);
  return changes;
}

export function useCanvas(
  canvas: RefObject<HTMLCanvasElement | null>,
  picture: Picture,
  view: View,
  size: Size,
): void {
  const theme = useTheme();
  const frame = useRef(0);
  useEffect(() => {
    // However many events come before the next frame, it is drawn once.
    frame.current = requestAnimationFrame(() => {
      const element = canvas.current;
      const context = element?.getContext("2d");
      if (element === null || !context) return;
      const sharp = window.devicePixelRatio || 1;
      const [width, height] = [Math.round(size.width * sharp), Math.round(size.height * sharp)];
      if (element.width !== width || element.height !== height) {
        element.width = width;
        element.height = height;
      }
      context.setTransform(sharp, 0, 0, sharp, 0, 0);
      draw(context, picture, view, size, inksOf(element));
    });
    return () => cancelAnimationFrame(frame.current);
  }, [canvas, picture, view, size, theme]);
}
