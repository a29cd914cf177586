// One page of a PDF file: its picture, the marked words, and its text above them.
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { PageWithQuotes } from "../api/types";
import { Marks } from "./Marks";
import { Sheet } from "./Sheet";
import type { Hits } from "./useHitsOnPage";
import { TextLayer } from "./pdf";

const MOST_PIXELS = 16_000_000;

interface PdfPageProps {
  readonly pdf: PDFDocumentProxy;
  readonly number: number;
  readonly zoom: number;
  readonly found: PageWithQuotes | undefined;
  readonly hits: Hits | undefined;
}

export function PdfPage({ pdf, number, zoom, found, hits }: PdfPageProps) {
  const { t } = useTranslation();
  const [page, setPage] = useState<PDFPageProxy | null>(null);
  useEffect(() => {
    let wanted = true;
    void pdf.getPage(number).then((loaded) => {
      if (wanted) setPage(loaded);
    });
    return () => {
      wanted = false;
    };
  }, [pdf, number]);
  if (page === null) return <p className="p-4 text-sm text-muted">{t("common.loading")}</p>;
  const { width, height } = page.getViewport({ scale: 1 });
  return (
    <Sheet number={page.pageNumber} ratio={width / height} zoom={zoom}>
      {(pixels) => (
        <>
          <Drawing page={page} scale={pixels / width} />
          {page.pageNumber === number && <Marks found={found} hits={hits} />}
        </>
      )}
    </Sheet>
  );
}

function Drawing({ page, scale }: { readonly page: PDFPageProxy; readonly scale: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState(false);
  useEffect(() => {
    if (canvas.current === null || text.current === null) return undefined;
    const viewport = page.getViewport({ scale });
    const most = Math.sqrt(MOST_PIXELS / (viewport.width * viewport.height));
    const density = Math.min(window.devicePixelRatio || 1, most);
    canvas.current.width = Math.round(viewport.width * density);
    canvas.current.height = Math.round(viewport.height * density);
    setDrawn(false);
    const drawing = page.render({
      canvas: canvas.current,
      viewport,
      transform: [density, 0, 0, density, 0, 0],
    });
    const words = text.current;
    words.replaceChildren();
    words.style.setProperty("--total-scale-factor", String(scale));
    const layer = new TextLayer({
      textContentSource: page.streamTextContent({ includeMarkedContent: true }),
      container: words,
      viewport,
    });
    // What is cut short was overtaken by another size or page.
    drawing.promise.then(() => setDrawn(true)).catch(() => undefined);
    layer.render().catch(() => undefined);
    return () => {
      drawing.cancel();
      layer.cancel();
    };
  }, [page, scale]);
  return (
    <>
      <canvas ref={canvas} data-drawn={drawn} aria-hidden className="absolute inset-0 size-full" />
      <div ref={text} className="text-layer z-1" />
    </>
  );
}
