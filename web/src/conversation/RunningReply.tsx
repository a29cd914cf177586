// An answer while it is made, or why it was not.
import { Suspense } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { ProblemNotice } from "../ui/ProblemNotice";
import { lazily } from "../ui/lazily";
import { AnswerText } from "./AnswerText";
import type { Running } from "./running";

const Steps = lazily(() => import("./Steps").then((m) => m.Steps), "waiting");

interface RunningReplyProps {
  readonly running: Running;
  readonly onRetry: () => void;
  readonly onDismiss: () => void;
}

export function RunningReply({ running, onRetry, onDismiss }: RunningReplyProps) {
  const { t } = useTranslation();
  const { state, text, citations, evidence, steps, error } = running;
  return (
    <article
      aria-label={t("conversation.answer")}
      aria-busy={state === "searching" || state === "writing"}
      className="flex flex-col gap-2"
    >
      {state === "searching" && (
        <p role="status" className="animate-pulse text-sm text-muted">
          {evidence.length === 0
            ? t("conversation.searching")
            : t("conversation.reading", { count: evidence.length })}
        </p>
      )}
      {steps.length > 0 && (
        <Suspense fallback={null}>
          <Steps steps={steps} />
        </Suspense>
      )}
      {text !== "" && <AnswerText text={text} citations={citations} />}
      {state === "failed" && <ProblemNotice error={error} onRetry={onRetry} />}
      {state === "stopped" && (
        <Notice role="status">
          <p>{t("conversation.stopped")}</p>
          <div className="mt-2 flex gap-2">
            <Button onClick={onRetry}>{t("common.retry")}</Button>
            <Button onClick={onDismiss}>{t("common.dismiss")}</Button>
          </div>
        </Notice>
      )}
    </article>
  );
}
