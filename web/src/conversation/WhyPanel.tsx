// Why an answer rests on these passages: how they were found and ranked, and what it took.
import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { contextQuery } from "../api/queries";
import type { Answer, MessageAnswer } from "../api/types";
import { StageTable } from "../search/StageTable";
import { Timings } from "../search/Timings";
import { tracedAnswer } from "../search/stages";
import { Passages } from "./Passages";

interface WhyPanelProps {
  readonly answer: MessageAnswer;
  /** The answer of this visit, which has its passages; of a kept one they are asked for. */
  readonly live: Answer | undefined;
}

export function WhyPanel({ answer, live }: WhyPanelProps) {
  const { t, i18n } = useTranslation();
  const kept = useQueries({
    queries:
      live === undefined ? answer.evidence.map((each) => contextQuery(each.chunk_id, 0)) : [],
  });
  const passages = live?.evidence ?? kept.flatMap((each) => (each.data ? [each.data.chunk] : []));
  const names = new Map(
    passages.map((each) => [
      each.chunk_id,
      [
        each.document_title,
        each.page_start == null ? "" : t("page.number", { page: each.page_start }),
      ]
        .filter(Boolean)
        .join(", "),
    ]),
  );
  const { usage } = answer;
  const money = new Intl.NumberFormat(i18n.language, {
    style: "currency",
    currency: "USD",
    maximumFractionDigits: 4,
  });
  return (
    <div className="mt-2 flex flex-col gap-3">
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 text-xs text-muted">
        <dt>{t("trace.confidence")}</dt>
        <dd>{Math.round(answer.confidence * 100)} %</dd>
        <dt>{t("trace.writer")}</dt>
        <dd>
          <bdi>{answer.model ?? t("options.quotes")}</bdi>
          {answer.cached && ` · ${t("trace.cached")}`}
        </dd>
        <dt>{t("trace.asked")}</dt>
        <dd>
          <bdi>{[answer.asked_as, ...answer.searched].filter(Boolean).join(" · ")}</bdi>
        </dd>
        {usage.requests > 0 && (
          <>
            <dt>{t("trace.tokens")}</dt>
            <dd>
              {t("trace.inAndOut", {
                input: usage.input_tokens.toLocaleString(i18n.language),
                output: usage.output_tokens.toLocaleString(i18n.language),
              })}
            </dd>
            <dt>{t("trace.cost")}</dt>
            <dd>{usage.cost_usd === null ? t("trace.unpriced") : money.format(usage.cost_usd)}</dd>
          </>
        )}
        {answer.degraded.length > 0 && (
          <>
            <dt>{t("trace.degraded")}</dt>
            <dd>{answer.degraded.join(" · ")}</dd>
          </>
        )}
      </dl>
      {answer.evidence.length > 0 && (
        <StageTable traced={tracedAnswer(answer.evidence)} names={names} />
      )}
      <Timings timings={answer.timings_ms} />
      {answer.asked_as !== "" && (
        <Link
          to="/compare"
          search={{ query: answer.asked_as }}
          className="min-h-6 self-start text-sm text-accent underline"
        >
          {t("compare.open")}
        </Link>
      )}
      <Passages passages={passages} />
    </div>
  );
}
