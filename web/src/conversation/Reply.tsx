// An answer in a conversation: its text, or that there is none and what comes nearest.
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Message, MessageAnswer } from "../api/types";
import { Notice } from "../ui/Notice";
import { lazily } from "../ui/lazily";
import { useStore } from "../ui/store";
import { AnswerText } from "./AnswerText";
import { Passages, PassagesByChunk } from "./Passages";
import { ReplyActions } from "./ReplyActions";
import { finished, stepsTaken } from "./running";

const NEAREST = 3;
/** As `UNSURE` of footnote.domain.answers. */
const UNSURE = 0.7;
const Steps = lazily(() => import("./Steps").then((m) => m.Steps), "waiting");
const Conflicts = lazily(() => import("./Conflicts").then((m) => m.Conflicts), "waiting");
const WhyPanel = lazily(() => import("./WhyPanel").then((m) => m.WhyPanel));

interface ReplyProps {
  readonly message: Message;
  readonly conversation: string;
  readonly versions: readonly string[];
  readonly onAgain: (message: Message) => void;
}

export function Reply({ message, conversation, versions, onAgain }: ReplyProps) {
  const { t } = useTranslation();
  const { answer } = message;
  if (answer === null) return null;
  return (
    <article aria-label={t("conversation.answer")} className="flex flex-col gap-2">
      {answer.found && answer.summarised_documents > 0 && (
        <p className="text-sm text-muted">
          {t("conversation.summarised", { count: answer.summarised_documents })}
        </p>
      )}
      {answer.found ? (
        <AnswerText text={message.text} sentences={answer.sentences} citations={answer.citations} />
      ) : (
        <Refusal message={message} answer={answer} />
      )}
      <Doubt answer={answer} />
      {answer.conflicts.length > 0 && (
        <Suspense fallback={null}>
          <Conflicts conflicts={answer.conflicts} citations={answer.citations} />
        </Suspense>
      )}
      {answer.removed_markers.length > 0 && <Notice>{t("conversation.removed")}</Notice>}
      {answer.degraded.length > 0 && (
        <details className="text-xs text-muted">
          <summary>{t("conversation.degraded")}</summary>
          <ul className="list-disc ps-5">
            {answer.degraded.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </details>
      )}
      <Taken message={message} />
      <Why message={message} answer={answer} />
      <ReplyActions
        message={message}
        conversation={conversation}
        versions={versions}
        onAgain={onAgain}
      />
    </article>
  );
}

interface PartProps {
  readonly message: Message;
  readonly answer: MessageAnswer;
}

/** That quotes may be about something else; what is computed cites several places. */
function Doubt({ answer }: { readonly answer: MessageAnswer }) {
  const { t, i18n } = useTranslation();
  const quotes = answer.model === null && answer.sentences.every((each) => each.markers.length < 2);
  if (!answer.found || !quotes || answer.confidence >= UNSURE) return null;
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent" });
  return (
    <p className="text-sm text-muted">
      {t("conversation.unsure", { percent: percent.format(answer.confidence) })}
    </p>
  );
}

function Refusal({ message, answer }: PartProps) {
  const { t } = useTranslation();
  const live = useStore(finished)[message.message_id];
  const searched = answer.searched.length > 0 ? answer.searched : [answer.asked_as].filter(Boolean);
  const nearest = answer.evidence.slice(0, NEAREST).map((each) => each.chunk_id);
  return (
    <Notice tone="warn" title={t("refusal.title")}>
      {live?.closest && (
        <div className="mt-2">
          <p className="text-muted">{t("refusal.closest")}</p>
          <AnswerText text={`${live.closest.text} [1]`} citations={[live.closest.citation]} />
        </div>
      )}
      {searched.length > 0 && (
        <p className="mt-2 wrap-anywhere">
          {t("refusal.searched")} <q>{searched.join(" · ")}</q>
        </p>
      )}
      {nearest.length > 0 && (
        <div className="mt-2 flex flex-col gap-1">
          <p className="text-muted">{t("refusal.nearest")}</p>
          {live ? (
            <Passages passages={live.evidence.slice(0, NEAREST)} />
          ) : (
            <PassagesByChunk chunks={nearest} />
          )}
        </div>
      )}
    </Notice>
  );
}

/** What was looked up for it, as long as this visit lasts. */
function Taken({ message }: { readonly message: Message }) {
  const steps = useStore(stepsTaken)[message.message_id];
  if (steps === undefined || steps.length === 0) return null;
  return (
    <Suspense fallback={null}>
      <Steps steps={steps} />
    </Suspense>
  );
}

function Why({ message, answer }: PartProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const live = useStore(finished)[message.message_id];
  return (
    <details className="text-sm" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-muted">{t("why.title", { count: answer.evidence.length })}</summary>
      {open && (
        <Suspense fallback={<p className="text-muted">{t("common.loading")}</p>}>
          <WhyPanel answer={answer} live={live} />
        </Suspense>
      )}
    </details>
  );
}
