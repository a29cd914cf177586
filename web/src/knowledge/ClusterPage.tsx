// One cluster: what its members have and others lack, the most typical of them, what lies near.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { Unloaded } from "../ui/Unloaded";
import { ClusterName, ClusterSize, Members } from "./Clusters";
import { clusterQuery } from "./queries";

const FIRST = 20;
const MOST = 200;

export function ClusterPage() {
  const { t } = useTranslation();
  const { clusterId } = useParams({ from: "/clusters/$clusterId" });
  const [limit, setLimit] = useState(FIRST);
  const found = useQuery({
    ...clusterQuery(clusterId, limit),
    placeholderData: keepPreviousData,
  });
  if (found.isError || !found.data) {
    return (
      <Unloaded found={found} missing={t("missing.cluster")}>
        <Link to="/clusters" search={{}}>
          {t("clusters.all")}
        </Link>
      </Unloaded>
    );
  }
  const { cluster, members, terms, neighbours } = found.data;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
      <div>
        <h1 className="text-xl font-bold">
          <bdi>{cluster.label.join(" · ") || t("clusters.unnamed")}</bdi>
        </h1>
        <ClusterSize documents={cluster.documents} chunks={cluster.chunks} />
        <p className="flex flex-wrap gap-x-3 text-sm text-muted">
          <span>{t(`clusters.granularities.${cluster.granularity}`)}</span>
          {cluster.parent_id !== null && (
            <Link
              to="/clusters/$clusterId"
              params={{ clusterId: cluster.parent_id }}
              search={{}}
              className="inline-block min-h-6 text-accent underline"
            >
              {t("clusters.within")}
            </Link>
          )}
          <Link
            to="/clusters"
            search={{ filters: [`of:${cluster.of}`, `granularity:${cluster.granularity}`] }}
            className="inline-block min-h-6 text-accent underline"
          >
            {t("clusters.all")}
          </Link>
        </p>
      </div>
      {terms.length > 0 && (
        <section aria-labelledby="terms">
          <h2 id="terms" className="font-semibold">
            {t("clusters.terms")}
          </h2>
          <ul className="flex flex-wrap gap-x-3 text-sm">
            {terms.map(({ term, documents }) => (
              <li key={term}>
                <Link
                  to="/find"
                  search={{ query: term }}
                  className="inline-block min-h-6 text-accent underline"
                >
                  <bdi>{term}</bdi>
                </Link>{" "}
                <span className="text-muted">{documents}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="typical">
        <h2 id="typical" className="font-semibold">
          {t("clusters.typical")}
        </h2>
        <Members members={members} />
        {members.length === limit && limit < MOST && (
          <Button disabled={found.isFetching} onClick={() => setLimit(MOST)}>
            {t("common.more")}
          </Button>
        )}
      </section>
      {neighbours.length > 0 && (
        <section aria-labelledby="near">
          <h2 id="near" className="font-semibold">
            {t("clusters.near")}
          </h2>
          <ul className="flex flex-col gap-1 text-sm">
            {neighbours.map((each) => (
              <li key={each.cluster_id}>
                <ClusterName cluster={each} />
                <ClusterSize documents={each.documents} chunks={each.chunks} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
