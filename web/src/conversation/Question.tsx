// A question of the conversation, which can be put otherwise in its place.
import { Pencil } from "lucide-react";
import { type KeyboardEvent, type SubmitEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { Message } from "../api/types";
import { Button, IconButton } from "../ui/Button";
import { TooLong } from "./TooLong";
import { Versions } from "./Versions";
import { isTooLong } from "./length";

interface QuestionProps {
  readonly message: Message;
  readonly conversation: string;
  readonly versions: readonly string[];
  readonly onEdit: (message: Message, question: string) => void;
}

export function Question({ message, conversation, versions, onEdit }: QuestionProps) {
  const { t } = useTranslation();
  const [editing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  const close = () => {
    setEditing(false);
    // The field that had the focus is gone.
    requestAnimationFrame(() => edit.current?.focus());
  };
  if (editing) {
    return (
      <EditForm
        text={message.text}
        onCancel={close}
        onAsk={(question) => {
          setEditing(false);
          onEdit(message, question);
        }}
      />
    );
  }
  return (
    <div className="flex flex-col items-end gap-1">
      <QuestionText text={message.text} />
      <div className="flex items-center gap-1 text-muted">
        <Versions
          conversation={conversation}
          message={message.message_id}
          versions={versions}
          label={t("versions.question")}
        />
        <IconButton
          ref={edit}
          label={t("versions.edit")}
          icon={<Pencil aria-hidden size={14} />}
          onClick={() => setEditing(true)}
        />
      </div>
    </div>
  );
}

export function QuestionText({ text }: { readonly text: string }) {
  const { t } = useTranslation();
  return (
    <article
      aria-label={t("conversation.question")}
      dir="auto"
      className="ms-auto w-fit max-w-[85%] rounded-lg bg-raised px-3 py-2 wrap-anywhere whitespace-pre-wrap"
    >
      {text}
    </article>
  );
}

function focused(field: HTMLTextAreaElement | null): void {
  field?.focus();
}

interface EditFormProps {
  readonly text: string;
  readonly onAsk: (question: string) => void;
  readonly onCancel: () => void;
}

function EditForm({ text, onAsk, onCancel }: EditFormProps) {
  const { t } = useTranslation();
  const told = useId();
  const [edited, setEdited] = useState(text);
  const tooLong = isTooLong(edited);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get("edited");
    const question = typeof typed === "string" ? typed.trim() : "";
    if (question === "" || isTooLong(question)) return;
    if (question === text) onCancel();
    else onAsk(question);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Escape") onCancel();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 rounded-lg bg-raised p-3">
      <textarea
        name="edited"
        aria-label={t("versions.edited")}
        dir="auto"
        aria-invalid={tooLong}
        aria-describedby={tooLong ? told : undefined}
        defaultValue={text}
        onChange={(event) => setEdited(event.target.value)}
        ref={focused}
        onKeyDown={onKeyDown}
        className="field-sizing-content max-h-48 rounded-md border border-line bg-surface px-3 py-2"
      />
      <TooLong id={told} text={edited} />
      <p className="text-xs text-muted">{t("versions.kept")}</p>
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t("versions.cancel")}</Button>
        <Button look="primary" type="submit" disabled={tooLong}>
          {t("conversation.ask")}
        </Button>
      </div>
    </form>
  );
}
