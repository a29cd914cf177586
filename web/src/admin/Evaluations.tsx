// The evaluation runs that were kept: how a figure went, what came of each question, two side by side.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { EvaluationRun } from "../api/types";
import { Button } from "../ui/Button";
import { EvaluationComparisons } from "./EvaluationComparisons";
import { EvaluationQuestions } from "./EvaluationQuestions";
import { EvaluationStart } from "./EvaluationStart";
import { ActForm, Choice } from "./Form";
import { Heading, Loaded, Moment, Part, useNumber } from "./parts";
import { Table } from "./Table";
import { Trend } from "./Trend";
import { adminKey, useRemoval } from "./acting";
import { textOf } from "./given";

/** All that a workspace keeps. */
const MOST = 200;

interface Shown {
  readonly golden: string;
  readonly metric: string;
}

export function Evaluations() {
  const { t } = useTranslation();
  const found = useQuery({
    queryKey: adminKey("evaluations"),
    queryFn: () => answered(api.GET("/v1/evaluations", { params: { query: { limit: MOST } } })),
  });
  const { hidden, remove } = useRemoval("evaluations");
  return (
    <>
      <Heading section="evaluations" />
      <EvaluationStart />
      <Loaded query={found}>
        {({ runs }) => {
          const shown = runs.filter((each) => !hidden.has(each.run_id));
          if (shown.length === 0) {
            return <p className="text-sm text-muted">{t("admin.evaluations.none")}</p>;
          }
          return (
            <>
              <Runs
                runs={shown}
                onRemove={(run) =>
                  remove(run.run_id, t("admin.removed", { name: run.golden_name }), () =>
                    answered(
                      api.DELETE("/v1/evaluations/{evaluation_id}", {
                        params: { path: { evaluation_id: run.run_id } },
                        keepalive: true,
                      }),
                    ),
                  )
                }
              />
              {shown.length > 1 && <EvaluationComparisons runs={shown} />}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

interface RunsProps {
  /** Latest first, at least one. */
  readonly runs: readonly EvaluationRun[];
  readonly onRemove: (run: EvaluationRun) => void;
}

function Runs({ runs, onRemove }: RunsProps) {
  const { t, i18n } = useTranslation();
  const figure = useNumber({ maximumFractionDigits: 3 });
  const whole = useNumber();
  const [wanted, setWanted] = useState<Shown | null>(null);
  const [open, setOpen] = useState<EvaluationRun | null>(null);
  // Runs of other questions say nothing of each other: a line has those of one golden set.
  const sets = new Map(runs.map((each) => [each.golden, each.golden_name]));
  const golden = wanted && sets.has(wanted.golden) ? wanted.golden : (runs[0]?.golden ?? "");
  const ofSet = runs.filter((each) => each.golden === golden);
  const metrics = [...new Set(ofSet.flatMap((each) => Object.keys(each.figures)))];
  const metric = wanted && metrics.includes(wanted.metric) ? wanted.metric : (metrics[0] ?? "");
  const moment = new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium" });
  const points = [...ofSet].reverse().flatMap((each) => {
    const value = each.figures[metric];
    return value == null
      ? []
      : [
          {
            id: each.run_id,
            label: moment.format(new Date(each.kept_at)),
            value,
            written: figure(value),
          },
        ];
  });
  const title = t("admin.evaluations.trend", { metric });
  return (
    <>
      <Part title={title}>
        <ActForm
          key={`${golden} ${metric}`}
          label={title}
          submit={t("admin.show")}
          onSubmit={(given) => {
            setWanted({ golden: textOf(given, "golden"), metric: textOf(given, "metric") });
            return Promise.resolve();
          }}
        >
          <Choice
            name="golden"
            label={t("admin.evaluations.golden")}
            choices={[...sets].map(([digest, name]) => [digest, `${name} (${digest.slice(0, 6)})`])}
            value={golden}
          />
          <Choice
            name="metric"
            label={t("admin.evaluations.metric")}
            choices={metrics.map((each) => [each, each])}
            value={metric}
          />
        </ActForm>
        {points.length > 0 && <Trend title={title} points={points} />}
      </Part>
      <Table
        caption={t("admin.section.evaluations")}
        rows={runs}
        keyOf={(each) => each.run_id}
        empty={t("admin.evaluations.none")}
        columns={[
          { head: t("admin.when"), cell: (each) => <Moment at={each.kept_at} /> },
          { head: t("admin.evaluations.golden"), cell: (each) => <bdi>{each.golden_name}</bdi> },
          { head: t("admin.evaluations.setup"), cell: (each) => <bdi>{each.setup}</bdi> },
          {
            head: t("admin.evaluations.questions"),
            numeric: true,
            cell: (each) => whole(each.questions),
          },
          {
            head: metric,
            numeric: true,
            cell: (each) => {
              const value = each.figures[metric];
              return value == null ? "–" : figure(value);
            },
          },
          { head: t("admin.by"), cell: (each) => <bdi>{each.kept_by}</bdi> },
          {
            head: t("admin.actions"),
            cell: (each) => (
              <div className="flex flex-wrap gap-2">
                <Button onClick={() => setOpen(each)}>{t("admin.evaluations.open")}</Button>
                <Button look="danger" onClick={() => onRemove(each)}>
                  {t("admin.remove")}
                </Button>
              </div>
            ),
          },
        ]}
      />
      {open !== null && <EvaluationQuestions run={open} onClose={() => setOpen(null)} />}
    </>
  );
}
