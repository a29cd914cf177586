// Questions to go on with, below the newest answer; each was tried on the documents before.
import { useQuery } from "@tanstack/react-query";
import { CornerDownRight } from "lucide-react";
import { useId } from "react";
import { useTranslation } from "react-i18next";

import { suggestionsQuery } from "../api/queries";
import type { Message } from "../api/types";
import { Button } from "../ui/Button";

interface SuggestionsProps {
  readonly conversation: string;
  /** The newest answer. */
  readonly message: Message;
  readonly onAsk: (question: string) => void;
}

export function Suggestions({ conversation, message, onAsk }: SuggestionsProps) {
  const { t, i18n } = useTranslation();
  const heading = useId();
  const kept = message.answer?.suggestions ?? null;
  const found = useQuery({
    ...suggestionsQuery(conversation, message.message_id, i18n.language),
    enabled: kept === null,
  });
  const questions = kept ?? found.data?.questions ?? [];
  if (questions.length === 0) return null;
  return (
    <section aria-labelledby={heading} className="flex flex-col gap-2">
      <h2 id={heading} className="text-xs text-muted">
        {t("suggestions.title")}
      </h2>
      <ul className="flex flex-wrap gap-2">
        {questions.map((each) => (
          <li key={each.question}>
            <Button className="text-start" onClick={() => onAsk(each.question)}>
              <CornerDownRight aria-hidden size={14} className="shrink-0 rtl:-scale-x-100" />
              <bdi>{each.question}</bdi>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
