// An evaluation that a worker asks: begun from a file or from questions that were asked before,
// followed, and stopped.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { StartedEvaluation } from "../api/types";
import { Button } from "../ui/Button";
import { ActForm, Choice, FIELD, Field } from "./Form";
import { Loaded, Moment, Part, useNumber } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh, useRun } from "./acting";
import { numberOrNull, textOf, textOrNull } from "./given";

const FOLLOW_MILLISECONDS = 1000;
const RESULTS = 10;

export function EvaluationStart() {
  const { t } = useTranslation();
  const refresh = useRefresh("started");
  const queries = useQueryClient();
  const found = useQuery({
    queryKey: adminKey("started"),
    queryFn: () => answered(api.GET("/v1/evaluations/started")),
    refetchInterval: (query) =>
      query.state.data?.started.some((each) => each.is_under_way) === true
        ? FOLLOW_MILLISECONDS
        : false,
  });
  const latest = found.data?.started[0];
  const done = latest?.state === "done" ? latest.run_id : null;
  // The run that it became stands in the list below.
  useEffect(() => {
    if (done !== null) void queries.invalidateQueries({ queryKey: adminKey("evaluations") });
  }, [done, queries]);
  const start = async (given: FormData) => {
    const file = given.get("file");
    const chosen = file instanceof File && file.size > 0 ? file : null;
    await answered(
      api.POST("/v1/evaluations", {
        body: {
          ...(chosen === null
            ? { golden: textOf(given, "golden") }
            : { lines: await chosen.text(), name: chosen.name }),
          plan: textOrNull(given, "plan"),
          k: numberOrNull(given, "k") ?? RESULTS,
        },
      }),
    );
    await refresh();
  };
  return (
    <Part title={t("admin.evaluations.start")} hint={t("admin.evaluations.startHint")}>
      <Loaded query={found}>
        {({ started }) => (
          <>
            {latest?.is_under_way === true ? (
              <UnderWay started={latest} />
            ) : (
              <StartForm started={started} onStart={start} />
            )}
            {started.length > 0 && <Started started={started} />}
          </>
        )}
      </Loaded>
    </Part>
  );
}

interface StartFormProps {
  readonly started: readonly StartedEvaluation[];
  readonly onStart: (given: FormData) => Promise<void>;
}

function StartForm({ started, onStart }: StartFormProps) {
  const { t } = useTranslation();
  const id = useId();
  const known = new Map([...started].reverse().map((each) => [each.golden, each.golden_name]));
  return (
    <ActForm
      label={t("admin.evaluations.start")}
      submit={t("admin.evaluations.begin")}
      onSubmit={onStart}
    >
      <div className="flex flex-col gap-1">
        <label htmlFor={id} className="text-sm font-medium">
          {t("admin.evaluations.file")}
        </label>
        <input
          id={id}
          name="file"
          type="file"
          accept=".jsonl,.json,application/jsonl,application/json"
          required={known.size === 0}
          className={FIELD}
        />
      </div>
      {known.size > 0 && (
        <Choice
          name="golden"
          label={t("admin.evaluations.again")}
          choices={[...known]
            .reverse()
            .map(([digest, name]) => [digest, `${name} (${digest.slice(0, 6)})`])}
        />
      )}
      <Field name="plan" label={t("admin.evaluations.plan")} />
      <Field
        name="k"
        label={t("admin.evaluations.results")}
        type="number"
        least={1}
        value={String(RESULTS)}
      />
    </ActForm>
  );
}

function UnderWay({ started }: { readonly started: StartedEvaluation }) {
  const { t } = useTranslation();
  const run = useRun("started");
  const money = useNumber({ style: "currency", currency: "USD", maximumFractionDigits: 4 });
  const words = t("admin.evaluations.asked", {
    asked: started.asked,
    count: started.questions,
    cost: money(started.cost_usd),
  });
  return (
    <div className="flex max-w-4xl flex-wrap items-center gap-3 rounded-md border border-line bg-raised p-3">
      <p role="status" className="text-sm">
        <bdi>{started.golden_name}</bdi>: {t(`admin.evaluationState.${started.state}`)}
      </p>
      <label className="flex flex-1 flex-wrap items-center gap-2 text-sm">
        {words}
        <progress
          className="h-2 min-w-32 flex-1 accent-accent"
          value={started.asked}
          max={started.questions}
        />
      </label>
      <Button
        look="danger"
        onClick={() =>
          run(() =>
            answered(
              api.POST("/v1/evaluations/started/{evaluation_id}/cancel", {
                params: { path: { evaluation_id: started.run_id } },
              }),
            ),
          )
        }
      >
        {t("admin.evaluations.cancel")}
      </Button>
    </div>
  );
}

function Started({ started }: { readonly started: readonly StartedEvaluation[] }) {
  const { t } = useTranslation();
  const money = useNumber({ style: "currency", currency: "USD", maximumFractionDigits: 4 });
  return (
    <Table
      caption={t("admin.evaluations.started")}
      rows={started}
      keyOf={(each) => each.run_id}
      empty=""
      columns={[
        { head: t("admin.when"), cell: (each) => <Moment at={each.started_at} /> },
        { head: t("admin.evaluations.golden"), cell: (each) => <bdi>{each.golden_name}</bdi> },
        {
          head: t("admin.state"),
          cell: (each) => (
            <>
              {t(`admin.evaluationState.${each.state}`)}
              {each.failure !== null && <span>{`: ${each.failure}`}</span>}
            </>
          ),
        },
        {
          head: t("admin.evaluations.questions"),
          numeric: true,
          cell: (each) => t("admin.shownOf", { shown: each.asked, all: each.questions }),
        },
        { head: t("admin.usage.cost"), numeric: true, cell: (each) => money(each.cost_usd) },
        { head: t("admin.by"), cell: (each) => <bdi>{each.started_by}</bdi> },
      ]}
    />
  );
}
