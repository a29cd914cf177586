// The newest documents, with where they stand.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { useMay } from "../api/may";
import { documentsQuery } from "../api/queries";
import { paneShown } from "../app/place";
import { ProblemNotice } from "../ui/ProblemNotice";
import { useStore } from "../ui/store";
import { StatusBadge } from "./StatusBadge";
import { leaving } from "./deleting";

const SHOWN = 40;

export function RecentDocuments() {
  const { t } = useTranslation();
  const found = useInfiniteQuery(documentsQuery);
  const hidden = useStore(leaving);
  const mayAdd = useMay("write") !== false;
  if (found.isError)
    return <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />;
  const newest = found.data?.pages[0]?.documents.slice(0, SHOWN) ?? [];
  const documents = newest.filter((each) => !hidden.has(each.document_id));
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-1 pb-2">
      {found.isSuccess && documents.length === 0 && (
        <p className="px-2 text-sm text-muted">
          {mayAdd ? (
            <Link to="/documents" className="text-accent underline">
              {t("documents.addFirst")}
            </Link>
          ) : (
            t("documents.emptyTitle")
          )}
        </p>
      )}
      <ul>
        {documents.map((each) => (
          <li key={each.document_id}>
            <Link
              to="/documents/$documentId"
              params={{ documentId: each.document_id }}
              search={{}}
              onClick={() => paneShown.set("main")}
              className="block rounded-md px-2 py-1 hover:bg-hover aria-[current=page]:font-semibold"
            >
              <span className="flex text-sm">
                <bdi className="truncate">{each.title}</bdi>
              </span>
              {each.status !== "indexed" && <StatusBadge state={each} />}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
