// What a footnote rests on: document, section, page, the exact words, and how well they carry it.
import { useTranslation } from "react-i18next";

import type { Citation } from "../api/types";
import { Button } from "../ui/Button";
import type { Verdict } from "./layout";

interface CitationCardProps {
  readonly citation: Citation;
  readonly verdict: string | null;
  readonly onOpen: () => void;
}

export function CitationCard({ citation, verdict, onOpen }: CitationCardProps) {
  const { t } = useTranslation();
  const section = citation.heading_path.join(" › ");
  return (
    <div className="flex flex-col gap-2">
      <div>
        <p className="font-semibold">
          <bdi>{citation.document_title}</bdi>
        </p>
        <p className="text-xs text-muted">
          <bdi>{section}</bdi>
          {section !== "" && citation.page != null && " · "}
          {citation.page != null && t("page.number", { page: citation.page })}
        </p>
      </div>
      <Quote citation={citation} />
      <div className="flex items-center justify-between gap-2">
        <span className="text-xs text-muted">
          {verdict !== null && t(`verdict.${verdict as Verdict}`)}
        </span>
        <Button onClick={onOpen}>{t("page.open")}</Button>
      </div>
    </div>
  );
}

/** The exact words as plain text; those that answer stand out where they were told apart. */
export function Quote({ citation }: { readonly citation: Citation }) {
  const { quote, char_start: from, answer_start: first, answer_end: last } = citation;
  // Offsets count characters as the server does, of which JavaScript may have two for one.
  const letters = Array.from(quote);
  const [start, end] = first == null || last == null ? [0, 0] : [first - from, last - from];
  return (
    <blockquote
      dir="auto"
      className="max-h-48 overflow-auto border-s-2 border-accent ps-2 whitespace-pre-wrap"
    >
      {letters.slice(0, start).join("")}
      <strong>{letters.slice(start, end).join("")}</strong>
      {letters.slice(end).join("")}
    </blockquote>
  );
}
