// PDF.js: its worker, and how a document is opened.
import { type PDFDocumentLoadingTask, PDFWorker, TextLayer, getDocument } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";

export { TextLayer };

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

/** The one address that may become a script: that of the worker. */
function trustedWorkerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy("footnote", {
    createScriptURL: (url) => {
      if (url !== workerUrl) throw new TypeError(`${url} is no script of the app`);
      return url;
    },
  });
  return policy?.createScriptURL(workerUrl) ?? workerUrl;
}

let worker: PDFWorker | undefined;

/** Begins to open a document; its caller destroys what it was given. */
export function openPdf(data: ArrayBuffer): PDFDocumentLoadingTask {
  worker ??= PDFWorker.create({ port: new Worker(trustedWorkerUrl(), { type: "module" }) });
  return getDocument({
    data,
    worker,
    cMapUrl: `${__PDF_FILES__}cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${__PDF_FILES__}standard_fonts/`,
    // A system without Helvetica would give letters of other widths, which overlap.
    useSystemFonts: false,
    wasmUrl: `${__PDF_FILES__}wasm/`,
    iccUrl: `${__PDF_FILES__}iccs/`,
    isEvalSupported: false,
    enableXfa: false,
  });
}
