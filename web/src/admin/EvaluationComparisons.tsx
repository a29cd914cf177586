// Two kept runs over the same questions: each metric, and the questions that came out differently.
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { EvaluationComparison, EvaluationRun } from "../api/types";
import { ActForm, Choice } from "./Form";
import { Part, useNumber } from "./parts";
import { Table } from "./Table";
import { Verdict } from "./Verdict";
import { textOf } from "./given";

interface EvaluationComparisonsProps {
  /** Latest first, at least two. */
  readonly runs: readonly EvaluationRun[];
}

export function EvaluationComparisons({ runs }: EvaluationComparisonsProps) {
  const { t, i18n } = useTranslation();
  const [compared, setCompared] = useState<EvaluationComparison | null>(null);
  const moment = new Intl.DateTimeFormat(i18n.language, {
    dateStyle: "medium",
    timeStyle: "medium",
  });
  const choices = runs.map(
    (each) =>
      [
        each.run_id,
        `${moment.format(new Date(each.kept_at))}, ${each.golden_name}, ${each.setup}`,
      ] as const,
  );
  const latest = runs[0];
  const earlier = runs.slice(1).find((each) => each.golden === latest?.golden);
  const compare = async (given: FormData) => {
    setCompared(
      await answered(
        api.GET("/v1/evaluations/comparison", {
          params: { query: { a: textOf(given, "a"), b: textOf(given, "b") } },
        }),
      ),
    );
  };
  return (
    <Part title={t("admin.evaluations.compare")} hint={t("admin.evaluations.compareHint")}>
      <ActForm
        key={`${compared?.a.run_id} ${compared?.b.run_id}`}
        label={t("admin.evaluations.compare")}
        submit={t("admin.evaluations.compareNow")}
        onSubmit={compare}
      >
        <Choice
          name="a"
          label={t("admin.evaluations.first")}
          choices={choices}
          value={compared?.a.run_id ?? (earlier ?? runs[1])?.run_id ?? ""}
        />
        <Choice
          name="b"
          label={t("admin.evaluations.second")}
          choices={choices}
          value={compared?.b.run_id ?? latest?.run_id ?? ""}
        />
      </ActForm>
      {compared !== null && <Compared compared={compared} />}
    </Part>
  );
}

function Compared({ compared }: { readonly compared: EvaluationComparison }) {
  const { t } = useTranslation();
  const figure = useNumber({ maximumFractionDigits: 3 });
  const signed = useNumber({ maximumFractionDigits: 3, signDisplay: "exceptZero" });
  const better = (name: string | null) => {
    if (name === null) return t("admin.evaluations.even");
    return t(name === "a" ? "admin.evaluations.first" : "admin.evaluations.second");
  };
  return (
    <>
      <p role="status" className="text-sm">
        {t("admin.evaluations.changed", {
          questions: figure(compared.changes.length),
        })}
      </p>
      <Table
        caption={t("admin.evaluations.difference")}
        rows={compared.differences}
        keyOf={(each) => each.metric}
        empty="–"
        columns={[
          { head: t("admin.evaluations.metric"), cell: (each) => <bdi>{each.metric}</bdi> },
          { head: t("admin.evaluations.first"), numeric: true, cell: (each) => figure(each.a) },
          { head: t("admin.evaluations.second"), numeric: true, cell: (each) => figure(each.b) },
          {
            head: t("admin.evaluations.difference"),
            numeric: true,
            cell: (each) => (
              <bdi>
                {signed(each.difference)}{" "}
                <span className="text-xs text-muted">
                  ({signed(each.low)} … {signed(each.high)})
                </span>
              </bdi>
            ),
          },
          { head: t("admin.evaluations.chance"), numeric: true, cell: (each) => figure(each.p) },
          { head: t("admin.evaluations.better"), cell: (each) => better(each.better) },
        ]}
      />
      <h3 className="font-semibold">{t("admin.evaluations.changes")}</h3>
      <Table
        caption={t("admin.evaluations.changes")}
        rows={compared.changes}
        keyOf={(each) => each.id}
        empty={t("admin.evaluations.noChanges")}
        columns={[
          {
            head: t("admin.unanswered.question"),
            cell: (each) => <p dir="auto">{each.question}</p>,
          },
          { head: t("admin.target.kind"), cell: (each) => <bdi>{each.kind}</bdi> },
          { head: t("admin.evaluations.first"), cell: (each) => <Verdict of={each.a} /> },
          { head: t("admin.evaluations.second"), cell: (each) => <Verdict of={each.b} /> },
        ]}
      />
    </>
  );
}
