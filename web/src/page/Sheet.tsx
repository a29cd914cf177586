// A page at a size: as wide as its pane allows, times the zoom.
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { Scroller } from "../ui/Scroller";

const PADDING_PIXELS = 24;
const MIN_PIXELS = 160;

interface SheetProps {
  /** Of the page that is drawn, from 1. */
  readonly number: number;
  /** Width by height of the page. */
  readonly ratio: number;
  readonly zoom: number;
  readonly children: (width: number) => ReactNode;
}

export function Sheet({ number, ratio, zoom, children }: SheetProps) {
  const { t } = useTranslation();
  const pane = useRef<HTMLDivElement>(null);
  const [available, setAvailable] = useState(0);
  useEffect(() => {
    if (pane.current === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      // A bar that comes and goes must not make the page wider and narrower by turns.
      setAvailable(Math.floor(entry?.borderBoxSize[0]?.inlineSize ?? 0));
    });
    observer.observe(pane.current);
    return () => observer.disconnect();
  }, []);
  const width = Math.max(MIN_PIXELS, Math.round((available - PADDING_PIXELS) * zoom));
  return (
    <Scroller
      ref={pane}
      label={t("page.number", { page: number })}
      className="min-h-0 flex-1 [scrollbar-gutter:stable]"
    >
      {available > 0 && (
        <div
          data-sheet={number}
          dir="ltr"
          className="relative mx-auto my-2 bg-white shadow"
          style={{ width, height: Math.round(width / ratio) }}
        >
          {children(width)}
        </div>
      )}
    </Scroller>
  );
}
