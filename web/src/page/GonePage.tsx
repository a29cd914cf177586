// The page of a document that is not there any more: what is known of it, and what was quoted.
import { useTranslation } from "react-i18next";

import type { Place } from "../app/address";
import { Quote } from "../conversation/CitationCard";
import { citationAt } from "../conversation/cited";
import { Notice } from "../ui/Notice";

export function GonePage({ place }: { readonly place: Place }) {
  const { t } = useTranslation();
  const citation = citationAt(place);
  if (citation === undefined) {
    return (
      <Notice tone="warn" role="status" title={t("missing.document")}>
        <p>{t("missing.hint")}</p>
      </Notice>
    );
  }
  return (
    <div className="flex flex-col gap-3 text-sm">
      <Notice tone="warn" role="status" title={t("gone.title", { title: citation.document_title })}>
        <p>{t("gone.hint")}</p>
      </Notice>
      <section aria-labelledby="recorded-quote" className="flex flex-col gap-1">
        <h2 id="recorded-quote" className="font-semibold">
          {t("gone.quote")}
        </h2>
        <Quote citation={citation} />
        {citation.page != null && (
          <p className="text-xs text-muted">{t("page.number", { page: citation.page })}</p>
        )}
      </section>
    </div>
  );
}
