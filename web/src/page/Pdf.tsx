// A PDF file: PDF.js and all that needs it, which is loaded when the first one is shown.
import { useTranslation } from "react-i18next";

import type { Document, PageWithQuotes } from "../api/types";
import { ProblemNotice } from "../ui/ProblemNotice";
import { PdfPage } from "./PdfPage";
import type { Hits } from "./useHitsOnPage";
import { usePdf } from "./usePdf";

interface PdfProps {
  readonly document: Document;
  readonly number: number;
  readonly zoom: number;
  readonly found: PageWithQuotes | undefined;
  readonly hits: Hits | undefined;
}

export function Pdf({ document, number, zoom, found, hits }: PdfProps) {
  const { t } = useTranslation();
  const { pdf, error } = usePdf(document.document_id, document.version);
  if (error !== null) return <ProblemNotice error={error} />;
  if (pdf === null) return <p className="p-4 text-sm text-muted">{t("common.loading")}</p>;
  const shown = Math.min(number, pdf.numPages);
  return <PdfPage pdf={pdf} number={shown} zoom={zoom} found={found} hits={hits} />;
}
