// One page of a PDF file: its picture, the marked words, and its text above them.
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { PageWithQuotes } from "../api/types";
import { ProblemNotice } from "../ui/ProblemNotice";
import { Marks } from "./Marks";
import { Sheet } from "./Sheet";
import type { Hits } from "./useHitsOnPage";
import { TextLayer } from "./pdf";

const MAX_PIXELS = 16_000_000;

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
  const [failed, setFailed] = useState<{ readonly number: number; readonly error: unknown }>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let wanted = true;
    pdf
      .getPage(number)
      .then((loaded) => {
        if (wanted) setPage(loaded);
      })
      .catch((error: unknown) => {
        if (wanted) setFailed({ number, error });
      });
    return () => {
      wanted = false;
    };
  }, [pdf, number, tries]);
  if (failed?.number === number) {
    const again = () => {
      setFailed(undefined);
      setTries(tries + 1);
    };
    return <ProblemNotice error={failed.error} onRetry={again} />;
  }
  if (page === null) return <p className="p-4 text-sm text-muted">{t("common.loading")}</p>;
  const { width, height } = page.getViewport({ scale: 1 });
  return (
    <Sheet number={page.pageNumber} ratio={width / height} zoom={zoom}>
      {(pixels) => (
        <>
          <Drawing
            page={page}
            scale={pixels / width}
            onFailed={(error) => setFailed({ number: page.pageNumber, error })}
          />
          {page.pageNumber === number && <Marks found={found} hits={hits} />}
        </>
      )}
    </Sheet>
  );
}

interface DrawingProps {
  readonly page: PDFPageProxy;
  readonly scale: number;
  readonly onFailed: (error: unknown) => void;
}

function Drawing({ page, scale, onFailed }: DrawingProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState(false);
  const tell = useEffectEvent(onFailed);
  useEffect(() => {
    if (canvas.current === null || text.current === null) return undefined;
    const viewport = page.getViewport({ scale });
    const most = Math.sqrt(MAX_PIXELS / (viewport.width * viewport.height));
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
    let wanted = true;
    drawing.promise
      .then(() => setDrawn(true))
      .catch((error: unknown) => {
        if (wanted) tell(error);
      });
    layer.render().catch(() => undefined);
    return () => {
      wanted = false;
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
