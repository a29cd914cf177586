// What is derived from documents in the background: how far it is, and pausing it.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { BackfillProgress } from "../api/types";
import { Button } from "../ui/Button";
import { Table } from "./Table";
import { adminKey, useRun } from "./acting";
import { Loaded, Moment, Part, useNumber } from "./parts";

const BACKFILL = "backfill";
const ASK_AGAIN_MS = 5_000;

export function Background() {
  const { t } = useTranslation();
  const run = useRun(BACKFILL);
  const number = useNumber();
  const found = useQuery({
    queryKey: adminKey(BACKFILL),
    queryFn: () => answered(api.GET("/v1/backfill")),
    refetchInterval: (query) =>
      query.state.data?.kinds.some((each) => each.running) === true ? ASK_AGAIN_MS : false,
  });
  const set = ({ kind, paused }: BackfillProgress) =>
    run(() =>
      answered(
        paused
          ? api.POST("/v1/backfill/resume", { body: { kinds: [kind] } })
          : api.POST("/v1/backfill/pause", { body: { kinds: [kind] } }),
      ),
    );
  return (
    <Part title={t("admin.background.title")} hint={t("admin.background.hint")}>
      <Loaded query={found}>
        {({ kinds }) => (
          <Table
            caption={t("admin.background.title")}
            rows={kinds}
            keyOf={(each) => each.kind}
            empty=""
            columns={[
              { head: t("admin.name"), cell: (each) => t(`admin.background.kind.${each.kind}`) },
              { head: t("admin.state"), cell: (each) => t(`admin.background.${stateOf(each)}`) },
              {
                head: t("admin.background.done"),
                numeric: true,
                cell: (each) => `${number(each.done)} / ${number(each.documents)}`,
              },
              {
                head: t("admin.background.failed"),
                numeric: true,
                cell: (each) => number(each.failed),
              },
              {
                head: t("admin.background.oldest"),
                cell: (each) => <Moment at={each.oldest_waiting} />,
              },
              {
                head: t("admin.background.change"),
                cell: (each) =>
                  each.enabled && (
                    <Button
                      aria-label={`${t(each.paused ? "admin.background.resume" : "admin.background.pause")}: ${t(`admin.background.kind.${each.kind}`)}`}
                      onClick={() => set(each)}
                    >
                      {t(each.paused ? "admin.background.resume" : "admin.background.pause")}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Part>
  );
}

function stateOf({ enabled, paused, running, waiting }: BackfillProgress) {
  if (!enabled) return "off";
  if (paused) return "paused";
  if (waiting === 0) return "complete";
  return running ? "underWay" : "waiting";
}
