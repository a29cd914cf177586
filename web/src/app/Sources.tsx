// The pane of sources: conversations, and what the workspace holds.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useTranslation } from "react-i18next";

import { useGuest } from "../api/may";
import { statsQuery } from "../api/queries";
import { FindField } from "../conversation/FindField";
import { RecentDocuments } from "../documents/RecentDocuments";
import { paneShown } from "./place";

export function Sources() {
  const { t } = useTranslation();
  const isGuest = useGuest() === true;
  const { data: stats } = useQuery(statsQuery);
  return (
    <>
      {!isGuest && (
        <>
          <div className="p-2">
            <Link
              to="/"
              search={{}}
              onClick={() => paneShown.set("main")}
              className="flex items-center justify-center gap-1.5 rounded-md bg-accent px-3 py-1.5 text-sm font-medium text-on-accent hover:bg-accent-strong"
            >
              <Plus aria-hidden size={16} /> {t("conversation.new")}
            </Link>
          </div>
          <section aria-labelledby="conversations" className="flex min-h-0 flex-1 flex-col">
            <h2 id="conversations" className="px-3 py-1 text-xs font-semibold text-muted">
              {t("conversation.list")}
            </h2>
            <FindField />
          </section>
        </>
      )}
      <section
        aria-labelledby="recent-documents"
        className="flex min-h-0 flex-1 flex-col border-t border-line"
      >
        <h2
          id="recent-documents"
          className="flex justify-between px-3 pt-2 pb-1 text-xs font-semibold text-muted"
        >
          <span>{t("documents.title")}</span>
          {stats && (
            <span>
              {t("documents.indexedOf", {
                indexed: stats.documents_by_status["indexed"] ?? 0,
                count: Object.values(stats.documents_by_status).reduce((a, b) => a + b, 0),
              })}
            </span>
          )}
        </h2>
        <RecentDocuments />
      </section>
    </>
  );
}
