// Documents or passages that are alike: the largest clusters first, each with what is typical of it.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import type { Cluster, ClusterGranularity, ClusterOf, ClusteredDocument } from "../api/types";
import { changedAddress } from "../app/address";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { Extracted, Quote } from "./parts";
import { clusterProgressQuery, clustersQuery } from "./queries";

const WHAT: readonly ClusterOf[] = ["documents", "chunks"];
const GRANULARITIES: readonly ClusterGranularity[] = ["coarse", "middle", "fine"];
const FIELD = "min-h-8 min-w-0 rounded-md border border-line bg-surface px-2 py-1 text-sm";

export function Clusters() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { filters = [] } = useSearch({ from: "__root__" });
  const of = WHAT.find((each) => filters.includes(`of:${each}`)) ?? "documents";
  const granularity =
    GRANULARITIES.find((each) => filters.includes(`granularity:${each}`)) ?? "middle";
  const progress = useQuery(clusterProgressQuery(of));
  const change = (name: string, value: string) => {
    const others = filters.filter((each) => !each.startsWith(`${name}:`));
    void navigate({
      to: ".",
      search: (before) => changedAddress(before, { filters: [...others, `${name}:${value}`] }),
      replace: true,
    });
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-4">
      <h1 className="text-xl font-bold">{t("clusters.title")}</h1>
      <search className="flex flex-wrap items-end gap-3">
        <label className="flex flex-col gap-1 text-sm font-medium">
          {t("clusters.of")}
          <select
            value={of}
            onChange={(event) => change("of", event.target.value)}
            className={FIELD}
          >
            {WHAT.map((each) => (
              <option key={each} value={each}>
                {t(`clusters.ofs.${each}`)}
              </option>
            ))}
          </select>
        </label>
        <label className="flex flex-col gap-1 text-sm font-medium">
          {t("clusters.granularity")}
          <select
            value={granularity}
            onChange={(event) => change("granularity", event.target.value)}
            className={FIELD}
          >
            {GRANULARITIES.map((each) => (
              <option key={each} value={each}>
                {t(`clusters.granularities.${each}`)}
              </option>
            ))}
          </select>
        </label>
      </search>
      <Extracted what="clusters" progress={progress}>
        {progress.data?.failure != null && (
          <p role="status" className="text-sm text-warn">
            {t("clusters.failed", { cause: progress.data.failure })}
          </p>
        )}
        <ClusterList of={of} granularity={granularity} />
      </Extracted>
    </div>
  );
}

interface ClusterListProps {
  readonly of: ClusterOf;
  readonly granularity: ClusterGranularity;
}

function ClusterList({ of, granularity }: ClusterListProps) {
  const { t } = useTranslation();
  const found = useInfiniteQuery(clustersQuery(of, granularity));
  if (found.isError) {
    return <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />;
  }
  if (!found.data) return <p className="text-sm text-muted">{t("common.loading")}</p>;
  const clusters = found.data.pages.flatMap((page) => page.clusters);
  const outliers = found.data.pages[0]?.outliers ?? 0;
  return (
    <>
      {outliers > 0 && (
        <p className="text-sm text-muted">{t("clusters.outliers", { count: outliers })}</p>
      )}
      {clusters.length === 0 ? (
        <p className="text-sm text-muted">{t("clusters.none")}</p>
      ) : (
        <ul aria-label={t("clusters.title")} className="flex flex-col gap-3">
          {clusters.map((each) => (
            <li key={each.cluster_id} className="rounded-md border border-line p-3">
              <ClusterName cluster={each} />
              <ClusterSize documents={each.documents} chunks={each.chunks} />
              <Members members={each.representatives} />
            </li>
          ))}
        </ul>
      )}
      {found.hasNextPage && (
        <Button disabled={found.isFetching} onClick={() => void found.fetchNextPage()}>
          {t("common.more")}
        </Button>
      )}
    </>
  );
}

export function ClusterName({
  cluster,
}: {
  readonly cluster: Pick<Cluster, "cluster_id" | "label">;
}) {
  const { t } = useTranslation();
  return (
    <Link
      to="/clusters/$clusterId"
      params={{ clusterId: cluster.cluster_id }}
      search={{}}
      className="inline-block min-h-6 font-semibold text-accent underline"
    >
      <bdi>{cluster.label.join(" · ") || t("clusters.unnamed")}</bdi>
    </Link>
  );
}

export function ClusterSize({ documents, chunks }: Pick<Cluster, "documents" | "chunks">) {
  const { t } = useTranslation();
  return (
    <span className="flex flex-wrap gap-x-3 text-sm text-muted">
      {chunks != null && <span>{t("clusters.passages", { count: chunks })}</span>}
      <span>{t("documents.shown", { count: documents })}</span>
    </span>
  );
}

/** Documents by their titles, passages by their words; each opens its place. */
export function Members({ members }: { readonly members: readonly ClusteredDocument[] }) {
  const quotes = members.flatMap(({ passage, title, ...document }) =>
    passage ? [{ ...passage, document_id: document.document_id, document_title: title }] : [],
  );
  return (
    <ul className="mt-1 flex flex-col gap-1 text-sm">
      {quotes.length > 0
        ? quotes.map((each) => (
            <li key={each.chunk_id} className="[&_q]:line-clamp-3">
              <Quote source={each} sources={quotes} />
            </li>
          ))
        : members.map((each) => (
            <li key={each.document_id}>
              <Link
                to="/documents/$documentId"
                params={{ documentId: each.document_id }}
                search={{}}
                className="inline-block min-h-6 text-accent underline"
              >
                <bdi>{each.title}</bdi>
              </Link>
            </li>
          ))}
    </ul>
  );
}
