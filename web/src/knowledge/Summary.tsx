// What a document or a collection says as a whole, in sentences of the documents.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { ProblemNotice } from "../ui/ProblemNotice";
import { Extracted, Quote } from "./parts";
import { type SummaryOf, summaryProgressQuery, summaryQuery } from "./queries";

interface SummaryProps {
  readonly of: SummaryOf;
}

export function Summary({ of }: SummaryProps) {
  const { t } = useTranslation();
  const progress = useQuery(summaryProgressQuery);
  return (
    <section aria-labelledby="summary-of-whole" className="flex flex-col gap-2">
      <h2 id="summary-of-whole" className="font-semibold">
        {t("knowledge.summary")}
      </h2>
      <Extracted what="summaries" progress={progress}>
        <Sentences of={of} />
      </Extracted>
    </section>
  );
}

function Sentences({ of }: SummaryProps) {
  const { t } = useTranslation();
  const found = useQuery(summaryQuery(of));
  if (found.isError) {
    return <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />;
  }
  if (!found.data) return <p className="text-sm text-muted">{t("common.loading")}</p>;
  const { sentences, written, documents } = found.data;
  if (sentences.length === 0) {
    return <p className="text-sm text-muted">{t("knowledge.noSummary")}</p>;
  }
  const sources = sentences.map((each) => ({ ...each, quote: each.text }));
  return (
    <>
      {written.length > 0 && (
        <p dir="auto" className="text-sm">
          {written.map((each) => each.text).join(" ")}
        </p>
      )}
      <ul aria-label={t("knowledge.summary")} className="flex flex-col gap-1 text-sm">
        {sources.map((each) => (
          <li key={`${each.document_id} ${each.char_start}`}>
            <Quote source={each} sources={sources} />
          </li>
        ))}
      </ul>
      {of.collection !== undefined && (
        <p className="text-xs text-muted">{t("knowledge.summarised", { count: documents })}</p>
      )}
    </>
  );
}
