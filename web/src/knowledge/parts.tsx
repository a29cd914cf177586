// What facts and entities are shown with: whether they are extracted at all, quotes, periods.
import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { WHOLE_WORKSPACE, useMay } from "../api/may";
import type {
  ClusterProgress,
  EntityProgress,
  FactProgress,
  GraphNode,
  SummaryProgress,
} from "../api/types";
import { placeOf } from "../app/address";
import { useOpenPlace } from "../app/place";
import { day } from "../documents/format";
import { Empty } from "../ui/Empty";
import { ProblemNotice } from "../ui/ProblemNotice";

interface ExtractedProps {
  readonly what: "facts" | "entities" | "summaries" | "clusters";
  readonly progress: UseQueryResult<
    FactProgress | EntityProgress | SummaryProgress | ClusterProgress
  >;
  readonly children: ReactNode;
}

/** What is extracted, or how that is switched on; and that it is not complete, if it is not. */
export function Extracted({ what, progress, children }: ExtractedProps) {
  const { t } = useTranslation();
  const mayAdminister = useMay("administer", WHOLE_WORKSPACE);
  if (progress.isError) {
    return <ProblemNotice error={progress.error} onRetry={() => void progress.refetch()} />;
  }
  if (!progress.isSuccess) return <p className="text-sm text-muted">{t("common.loading")}</p>;
  const { enabled, done, documents } = progress.data;
  const failed = "failed" in progress.data ? progress.data.failed : 0;
  if (!enabled) {
    return (
      <Empty title={t(`knowledge.off.${what}`)}>
        {mayAdminister ? (
          <>
            <p>
              {t("knowledge.off.hint")}{" "}
              <code>{`footnote config set ${what} ${what === "clusters" ? "all" : "rules"}`}</code>
            </p>
            <Link
              to="/admin/$section"
              params={{ section: "settings" }}
              search={{}}
              className="inline-block min-h-6 text-accent underline"
            >
              {t("admin.section.settings")}
            </Link>
          </>
        ) : (
          <p>{t("knowledge.off.ask")}</p>
        )}
      </Empty>
    );
  }
  return (
    <>
      {done + failed < documents && (
        <p role="status" className="text-sm text-muted">
          {t("knowledge.reading", { done, count: documents })}
        </p>
      )}
      {children}
    </>
  );
}

/** Words of a document, and where they stand. */
interface Quoted {
  readonly quote: string;
  readonly document_id: string;
  readonly document_title: string;
  readonly chunk_id: string | null;
  readonly char_start: number;
  readonly char_end: number;
  readonly page: number | null;
}

interface QuoteProps {
  readonly source: Quoted;
  /** All that are shown with it, to walk through them. */
  readonly sources: readonly Quoted[];
}

/** What a fact was taken from; it opens the page with the words marked. */
export function Quote({ source, sources }: QuoteProps) {
  const { t } = useTranslation();
  const openPlace = useOpenPlace();
  const page = source.page === null ? "" : t("page.number", { page: source.page });
  return (
    <button
      type="button"
      className="min-h-6 max-w-full rounded text-start break-words hover:bg-hover"
      onClick={() => openPlace(placeOf(source), sources.map(placeOf))}
    >
      <q dir="auto" className="inline-block min-h-6 text-accent underline">
        {source.quote}
      </q>{" "}
      <bdi className="text-xs text-muted">
        {[source.document_title, page].filter(Boolean).join(", ")}
      </bdi>
    </button>
  );
}

interface PeriodProps {
  readonly from: string | null | undefined;
  readonly to: string | null | undefined;
}

/** First and last day of a period; nothing where none is named. */
export function Period({ from, to }: PeriodProps) {
  const { i18n } = useTranslation();
  if (from == null && to == null) return null;
  const days = [from, to].map((each) => (each == null ? "…" : day(each, i18n.language)));
  return <bdi>{from === to ? days[0] : days.join(" – ")}</bdi>;
}

/** A thing of the graph, by its name; it opens the page of the entity or the document. */
export function NodeLink({ node }: { readonly node: GraphNode }) {
  const given = {
    className: "inline-block min-h-6 text-accent underline",
    children: <bdi>{node.name}</bdi>,
  };
  return node.kind === "entity" ? (
    <Link to="/entities/$entityId" params={{ entityId: node.node_id }} search={{}} {...given} />
  ) : (
    <Link
      to="/documents/$documentId"
      params={{ documentId: node.node_id }}
      search={{}}
      {...given}
    />
  );
}
