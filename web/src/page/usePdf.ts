import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useState } from "react";

import { fileOf } from "../api/queries";
import { openPdf } from "./pdf";

interface Opened {
  readonly pdf: PDFDocumentProxy | null;
  readonly error: unknown;
}

const NOTHING: Opened = { pdf: null, error: null };

/** A document as PDF.js has it open; it is closed with what shows it. */
export function usePdf(id: string, version: number): Opened {
  const [opened, setOpened] = useState<Opened & { readonly key: string }>({ ...NOTHING, key: "" });
  const key = `${id}:${version}`;
  useEffect(() => {
    const controller = new AbortController();
    let close: (() => void) | undefined;
    const open = async () => {
      const data = await fileOf(id, controller.signal);
      if (controller.signal.aborted) return;
      const task = openPdf(data);
      close = () => void task.destroy();
      setOpened({ pdf: await task.promise, error: null, key });
    };
    open().catch((error: unknown) => {
      if (!controller.signal.aborted) setOpened({ pdf: null, error, key });
    });
    return () => {
      controller.abort();
      close?.();
    };
  }, [id, key]);
  return opened.key === key ? opened : NOTHING;
}
