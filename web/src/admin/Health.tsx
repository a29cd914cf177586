// Whether the server is ready, and what the workspace holds.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import { credentialHeaders } from "../api/credential";
import { problemOf } from "../api/problem";
import { statsQuery } from "../api/queries";
import type { Health as Found } from "../api/types";
import { Button } from "../ui/Button";
import { Background } from "./Background";
import { Heading, Loaded, Part, useNumber } from "./parts";
import { Table } from "./Table";
import { adminKey } from "./acting";

async function health(): Promise<Found> {
  // What is not ready says so with 503, and its reasons are what is wanted.
  // Who may see them is told by the credential.
  const response = await fetch("/health", { headers: credentialHeaders() });
  const body: unknown = await response.json();
  if (!response.ok && response.status !== 503) throw problemOf(body, response);
  return body as Found;
}

export function Health() {
  const { t } = useTranslation();
  const found = useQuery({ queryKey: adminKey("health"), queryFn: health, staleTime: 0 });
  const installation = useQuery({
    queryKey: adminKey("installation"),
    queryFn: () => answered(api.GET("/v1/doctor")),
  });
  const stats = useQuery(statsQuery);
  const number = useNumber();
  const share = useNumber({ style: "percent" });
  return (
    <>
      <Heading section="health" />
      <Loaded query={found}>
        {({ ready, checks }) => (
          <Part title={ready ? t("admin.health.ready") : t("admin.health.notReady")}>
            <Checks caption={t("admin.health.checks")} checks={checks} />
            <Button
              className="self-start"
              onClick={() => void Promise.all([found.refetch(), installation.refetch()])}
            >
              {t("admin.health.again")}
            </Button>
          </Part>
        )}
      </Loaded>
      <Part title={t("admin.health.installation")} hint={t("admin.health.installationHint")}>
        <Loaded query={installation}>
          {({ checks }) => <Checks caption={t("admin.health.installation")} checks={checks} />}
        </Loaded>
      </Part>
      <Background />
      <Part title={t("admin.health.holds")}>
        <Loaded query={stats}>
          {(held) => (
            <Table
              caption={t("admin.health.holds")}
              rows={[
                [t("admin.documents"), number(held.documents)] as const,
                ...Object.entries(held.documents_by_status).map(
                  ([status, count]) =>
                    [`${t("admin.documents")}: ${status}`, number(count)] as const,
                ),
                [t("admin.health.passages"), number(held.chunks)] as const,
                [t("admin.health.segments"), number(held.segments)] as const,
                [t("admin.lanes.model"), held.lane.model] as const,
                [t("admin.health.searches"), share(held.search_cache.hit_rate)] as const,
                [t("admin.health.answers"), share(held.answer_cache.hit_rate)] as const,
              ]}
              keyOf={([name]) => name}
              empty=""
              columns={[
                { head: t("admin.name"), cell: ([name]) => name },
                { head: t("admin.health.amount"), numeric: true, cell: ([, amount]) => amount },
              ]}
            />
          )}
        </Loaded>
      </Part>
    </>
  );
}

function stateOf({ ok, optional }: Found["checks"][number]) {
  if (ok) return "ok";
  return optional ? "optional" : "wrong";
}

interface ChecksProps {
  readonly caption: string;
  readonly checks: Found["checks"];
}

function Checks({ caption, checks }: ChecksProps) {
  const { t } = useTranslation();
  return (
    <Table
      caption={caption}
      rows={checks}
      keyOf={(each) => each.name}
      empty={t("admin.health.noChecks")}
      columns={[
        { head: t("admin.health.check"), cell: (each) => each.name },
        {
          head: t("admin.state"),
          cell: (each) => t(`admin.health.${stateOf(each)}`),
        },
        { head: t("admin.health.detail"), cell: (each) => <bdi>{each.detail}</bdi> },
        { head: t("admin.health.hint"), cell: (each) => <bdi>{each.hint ?? ""}</bdi> },
      ]}
    />
  );
}
