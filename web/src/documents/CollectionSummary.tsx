// What the documents of a collection say as a whole, when somebody wants to see it.
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { lazily } from "../ui/lazily";

const Summary = lazily(() => import("../knowledge/Summary").then((m) => m.Summary));

export function CollectionSummary({ collection }: { readonly collection: string }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <details
      className="max-h-64 shrink-0 overflow-y-auto rounded-md border border-line p-2 text-sm"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{t("knowledge.collection")}</summary>
      {open && (
        <Suspense fallback={<p className="text-muted">{t("common.loading")}</p>}>
          <Summary of={{ collection }} />
        </Suspense>
      )}
    </details>
  );
}
