// Where a question is written, and an answer stopped.
import { SendHorizontal, Square } from "lucide-react";
import { type KeyboardEvent, type SubmitEvent, useId, useRef } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { useStore } from "../ui/store";
import { TooLong } from "./TooLong";
import { isTooLong } from "./length";
import { keepTyped, typed } from "./typed";

interface ComposerProps {
  /** The conversation whose text is in the field; it stays there while something else is shown. */
  readonly conversation: string;
  readonly busy: boolean;
  /** Whether a question waits already: the next one stays in its field until that is sent. */
  readonly held: boolean;
  readonly onAsk: (question: string) => void;
  readonly onStop: () => void;
  /** What narrows the question, above its field. */
  readonly children?: React.ReactNode;
}

export function Composer({ conversation, busy, held, onAsk, onStop, children }: ComposerProps) {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const told = useId();
  const text = useStore(typed)[conversation] ?? "";
  const tooLong = isTooLong(text);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const question = text.trim();
    if (question === "" || busy || held || isTooLong(question)) return;
    keepTyped(conversation, "");
    onAsk(question);
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    // While characters are composed, Enter chooses among them.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    form.current?.requestSubmit();
  };
  return (
    <form ref={form} onSubmit={submit} className="border-t border-line bg-surface p-3">
      <div className="mx-auto flex max-w-3xl flex-col gap-2">
        {children}
        <TooLong id={told} text={text} />
        <div className="flex items-end gap-2">
          <label htmlFor="question" className="sr-only">
            {t("conversation.question")}
          </label>
          <textarea
            id="question"
            name="question"
            rows={2}
            dir="auto"
            placeholder={t("conversation.placeholder")}
            aria-invalid={tooLong}
            aria-describedby={tooLong ? told : undefined}
            value={text}
            onChange={(event) => keepTyped(conversation, event.target.value)}
            onKeyDown={sendOnEnter}
            className="field-sizing-content max-h-48 min-h-10 flex-1 resize-none rounded-md border border-line bg-surface px-3 py-2 placeholder:text-muted"
          />
          {busy ? (
            <Button look="danger" onClick={onStop} className="h-10">
              <Square aria-hidden size={16} /> {t("conversation.stop")}
            </Button>
          ) : (
            <Button look="primary" type="submit" disabled={tooLong || held} className="h-10">
              <SendHorizontal aria-hidden size={16} className="rtl:-scale-x-100" />
              {t("conversation.ask")}
            </Button>
          )}
        </div>
      </div>
    </form>
  );
}
