// The models that embed the workspace: a change is begun, followed, stopped or taken back here.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { LaneStatus } from "../api/types";
import { Button } from "../ui/Button";
import { ConfirmButton } from "./ConfirmButton";
import { ActForm, Field } from "./Form";
import { Heading, Loaded, Moment } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh, useRun } from "./acting";
import { numberOrNull, textOf } from "./given";

const FOLLOW_MILLISECONDS = 2000;

function isUnderWay(lane: LaneStatus): boolean {
  return lane.reembedding?.state === "queued" || lane.reembedding?.state === "running";
}

export function Embedding() {
  const { t } = useTranslation();
  const refresh = useRefresh("lanes");
  const run = useRun("lanes");
  const found = useQuery({
    queryKey: adminKey("lanes"),
    queryFn: () => answered(api.GET("/v1/lanes")),
    refetchInterval: (query) =>
      query.state.data?.lanes.some(isUnderWay) === true ? FOLLOW_MILLISECONDS : false,
  });
  const begin = async (given: FormData) => {
    await answered(
      api.POST("/v1/lanes/{lane}/reembed", {
        params: { path: { lane: "document" } },
        body: { model: textOf(given, "model"), texts_per_second: numberOrNull(given, "rate") },
      }),
    );
    await refresh();
  };
  return (
    <>
      <Heading section="embedding" />
      <ActForm label={t("admin.lanes.begin")} submit={t("admin.lanes.begin")} onSubmit={begin}>
        <Field name="model" label={t("admin.lanes.model")} hint={t("admin.lanes.hint")} required />
        <Field name="rate" label={t("admin.lanes.rate")} type="number" least={0} />
      </ActForm>
      <Loaded query={found}>
        {({ lanes }) => (
          <>
            <Table
              caption={t("admin.section.embedding")}
              rows={lanes}
              keyOf={(each) => String(each.lane_id)}
              empty={t("admin.lanes.none")}
              columns={[
                {
                  head: t("admin.lanes.model"),
                  cell: (each) => <bdi>{`${each.lane.provider}: ${each.lane.model}`}</bdi>,
                },
                { head: t("admin.state"), cell: (each) => t(`admin.laneState.${each.state}`) },
                { head: t("admin.lanes.chunks"), cell: (each) => <Progress lane={each} /> },
                { head: t("admin.lanes.purgeAfter"), cell: (e) => <Moment at={e.purge_after} /> },
              ]}
            />
            <div className="flex flex-wrap gap-2">
              {lanes.some(isUnderWay) && (
                <Button
                  look="danger"
                  onClick={() =>
                    run(() =>
                      answered(
                        api.DELETE("/v1/lanes/{lane}/reembed", {
                          params: { path: { lane: "document" } },
                        }),
                      ),
                    )
                  }
                >
                  {t("admin.lanes.cancel")}
                </Button>
              )}
              {lanes.some((each) => each.state === "previous") && (
                <>
                  <Button
                    onClick={() =>
                      run(() =>
                        answered(
                          api.POST("/v1/lanes/{lane}/rollback", {
                            params: { path: { lane: "document" } },
                          }),
                        ),
                      )
                    }
                  >
                    {t("admin.lanes.rollback")}
                  </Button>
                  <ConfirmButton
                    label={t("admin.lanes.purge")}
                    name="document"
                    onConfirm={async () => {
                      await answered(api.POST("/v1/lanes/purge", { body: { at_once: true } }));
                      await refresh();
                    }}
                  >
                    {t("admin.lanes.purgeHint")}
                  </ConfirmButton>
                </>
              )}
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

/** How far a lane is filled, and what became of its latest change. */
function Progress({ lane }: { readonly lane: LaneStatus }) {
  const { t } = useTranslation();
  const words = t("admin.shownOf", { shown: lane.chunks_embedded, all: lane.chunks });
  const change = lane.reembedding;
  return (
    <div className="flex flex-col gap-1">
      {isUnderWay(lane) ? (
        <label className="flex flex-col gap-1">
          {words}
          <progress max={Math.max(1, lane.chunks)} value={lane.chunks_embedded} />
        </label>
      ) : (
        words
      )}
      {change !== null && (
        <span className="text-muted">
          {t(`admin.changeState.${change.state}`)}
          {change.failure !== null && `: ${change.failure}`}
        </span>
      )}
    </div>
  );
}
