// All figures of a kept run, and what came of each of its questions.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { EvaluationRun } from "../api/types";
import { Dialog } from "../ui/Dialog";
import { Loaded, useNumber } from "./parts";
import { Table } from "./Table";
import { Verdict } from "./Verdict";
import { adminKey } from "./acting";

interface EvaluationQuestionsProps {
  readonly run: EvaluationRun;
  readonly onClose: () => void;
}

export function EvaluationQuestions({ run, onClose }: EvaluationQuestionsProps) {
  const { t } = useTranslation();
  const figure = useNumber({ maximumFractionDigits: 3 });
  const share = useNumber({ style: "percent" });
  const found = useQuery({
    queryKey: adminKey("evaluation", run.run_id),
    queryFn: () =>
      answered(
        api.GET("/v1/evaluations/{evaluation_id}", {
          params: { path: { evaluation_id: run.run_id } },
        }),
      ),
  });
  return (
    <Dialog title={`${run.golden_name}, ${run.setup}`} open onClose={onClose}>
      <div className="flex flex-col gap-3">
        <Table
          caption={t("admin.evaluations.metric")}
          rows={Object.entries(run.figures)}
          keyOf={([metric]) => metric}
          empty="–"
          columns={[
            { head: t("admin.evaluations.metric"), cell: ([metric]) => <bdi>{metric}</bdi> },
            {
              head: t("admin.evaluations.figure"),
              numeric: true,
              cell: ([, value]) => (value == null ? "–" : figure(value)),
            },
          ]}
        />
        <Loaded query={found}>
          {({ outcomes }) => (
            <Table
              caption={t("admin.evaluations.questions")}
              rows={outcomes}
              keyOf={(each) => each.id}
              empty="–"
              columns={[
                {
                  head: t("admin.unanswered.question"),
                  cell: (each) => <p dir="auto">{each.question}</p>,
                },
                { head: t("admin.target.kind"), cell: (each) => <bdi>{each.kind}</bdi> },
                {
                  head: t("admin.evaluations.verdict"),
                  cell: (each) => <Verdict of={each.verdict} />,
                },
                {
                  head: t("admin.evaluations.confidence"),
                  numeric: true,
                  cell: (each) => share(each.confidence),
                },
              ]}
            />
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}
