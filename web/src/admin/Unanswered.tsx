// What was asked and not answered: how often, by how many, what came nearest, and the same as files.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api, raw } from "../api/client";
import type { UnansweredQuestion } from "../api/types";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { saveAs } from "../ui/saveAs";
import { Bars } from "./Bars";
import { DaysForm, type DaysSought } from "./Days";
import { Heading, Loaded, Moment, useNumber } from "./parts";
import { Table } from "./Table";
import { adminKey, useRun } from "./acting";

async function save(format: "golden" | "csv", days: DaysSought): Promise<void> {
  const asked = new URLSearchParams({ format, ...days }).toString();
  const answer = await raw(`/v1/unanswered/export?${asked}`);
  saveAs(await answer.blob(), format === "golden" ? "unanswered.jsonl" : "unanswered.csv");
}

export function Unanswered() {
  const { t } = useTranslation();
  const run = useRun();
  const number = useNumber();
  const [days, setDays] = useState<DaysSought>({});
  const found = useQuery({
    queryKey: adminKey("unanswered", days),
    queryFn: () => answered(api.GET("/v1/unanswered", { params: { query: days } })),
  });
  return (
    <>
      <Heading section="unanswered" />
      <DaysForm value={days} onChange={setDays} />
      <Loaded query={found}>
        {(report) => {
          const sum = t("admin.unanswered.sum", {
            asked: number(report.asked),
            days: number(report.days.length),
          });
          return (
            <>
              <p role="status" className="text-sm">
                {sum}
              </p>
              {!report.complete && <Notice tone="warn">{t("admin.unanswered.partial")}</Notice>}
              {report.days.length > 1 && (
                <Bars
                  title={sum}
                  bars={report.days.map((each) => ({
                    label: each.day,
                    value: each.questions,
                    written: number(each.questions),
                  }))}
                />
              )}
              <Table
                caption={t("admin.section.unanswered")}
                rows={report.questions}
                keyOf={(each) => each.question}
                empty={t("admin.unanswered.none")}
                columns={[
                  {
                    head: t("admin.unanswered.question"),
                    cell: (each) => <Wordings question={each} />,
                  },
                  {
                    head: t("admin.unanswered.asked"),
                    numeric: true,
                    cell: (each) => number(each.asked),
                  },
                  {
                    head: t("admin.unanswered.people"),
                    numeric: true,
                    cell: (each) => number(each.people),
                  },
                  {
                    head: t("admin.unanswered.last"),
                    cell: (each) => <Moment at={each.last_asked_at} />,
                  },
                  {
                    head: t("admin.unanswered.nearest"),
                    cell: (each) => <Nearest question={each} />,
                  },
                ]}
              />
              {report.questions.length > 0 && (
                <div className="flex flex-wrap gap-2">
                  <Button onClick={() => run(() => save("golden", days))}>
                    {t("admin.unanswered.golden")}
                  </Button>
                  <Button onClick={() => run(() => save("csv", days))}>
                    {t("admin.usage.exportPeople")}
                  </Button>
                </div>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function Wordings({ question }: { readonly question: UnansweredQuestion }) {
  const { t } = useTranslation();
  return (
    <>
      <p dir="auto">{question.question}</p>
      {question.wordings.length > 0 && (
        <p className="text-xs text-muted">
          {t("admin.unanswered.also", { wordings: question.wordings.join(" · ") })}
        </p>
      )}
      {question.searched.length > 0 && (
        <p className="text-xs text-muted">
          {t("admin.unanswered.searched", { wordings: question.searched.join(" · ") })}
        </p>
      )}
    </>
  );
}

function Nearest({ question }: { readonly question: UnansweredQuestion }) {
  return (
    <ul>
      {question.nearest.map((each) => (
        <li key={each.document_id}>
          <Link
            to="/documents/$documentId"
            params={{ documentId: each.document_id }}
            className="inline-block min-h-6 underline"
          >
            <bdi>{each.title || each.filename}</bdi>
          </Link>
        </li>
      ))}
    </ul>
  );
}
