// What can be done with an answer: another one, another version of it, and an opinion on it.
import { useQueryClient } from "@tanstack/react-query";
import { RotateCcw, ThumbsDown, ThumbsUp } from "lucide-react";
import { type SubmitEvent, useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import { messagesQuery } from "../api/queries";
import type { Message } from "../api/types";
import { Button, IconButton } from "../ui/Button";
import { showToast } from "../ui/toasts";
import { Versions } from "./Versions";

const MAX_CHARACTERS = 5000;
const PATH = "/v1/conversations/{conversation_id}/messages/{message_id}/feedback";
type Thumb = "up" | "down";

interface ReplyActionsProps {
  readonly message: Message;
  readonly conversation: string;
  readonly versions: readonly string[];
  readonly onAgain: (message: Message) => void;
}

export function ReplyActions({ message, conversation, versions, onAgain }: ReplyActionsProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [asked, setAsked] = useState(false);
  const thumb = message.feedback?.thumb ?? null;
  const comment = message.feedback?.comment ?? "";
  const params = { path: { conversation_id: conversation, message_id: message.message_id } };
  const keep = async (given: Promise<unknown>) => {
    try {
      await given;
      await queries.invalidateQueries({ queryKey: messagesQuery(conversation).queryKey });
    } catch (error) {
      showToast(String(error));
    }
  };
  const judge = (chosen: Thumb) => {
    const withdrawn = chosen === thumb;
    setAsked(!withdrawn);
    void keep(
      withdrawn
        ? answered(api.DELETE(PATH, { params }))
        : answered(api.PUT(PATH, { params, body: { thumb: chosen, comment } })),
    );
  };
  const explain = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get("comment");
    if (thumb === null || typeof typed !== "string") return;
    setAsked(false);
    void keep(answered(api.PUT(PATH, { params, body: { thumb, comment: typed.trim() } })));
  };
  const field = `comment-${message.message_id}`;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center gap-1 text-muted">
        <IconButton
          label={t("conversation.again")}
          icon={<RotateCcw aria-hidden size={15} />}
          onClick={() => onAgain(message)}
        />
        <IconButton
          label={t("conversation.good")}
          aria-pressed={thumb === "up"}
          icon={<ThumbsUp aria-hidden size={15} fill={thumb === "up" ? "currentColor" : "none"} />}
          onClick={() => judge("up")}
        />
        <IconButton
          label={t("conversation.bad")}
          aria-pressed={thumb === "down"}
          icon={
            <ThumbsDown aria-hidden size={15} fill={thumb === "down" ? "currentColor" : "none"} />
          }
          onClick={() => judge("down")}
        />
        <Versions
          conversation={conversation}
          message={message.message_id}
          versions={versions}
          label={t("versions.answer")}
        />
      </div>
      {comment !== "" && !asked && (
        <p dir="auto" className="text-xs text-muted">
          {t("feedback.said")} <q>{comment}</q>
        </p>
      )}
      {asked && thumb !== null && (
        <form onSubmit={explain} className="flex flex-wrap items-end gap-2 text-sm">
          <label htmlFor={field} className="flex min-w-60 flex-1 flex-col gap-1 text-xs text-muted">
            {t("feedback.comment")}
            <input
              id={field}
              name="comment"
              dir="auto"
              maxLength={MAX_CHARACTERS}
              defaultValue={comment}
              className="rounded-md border border-line bg-surface px-2 py-1.5 text-sm text-ink"
            />
          </label>
          <Button type="submit">{t("feedback.send")}</Button>
          <Button look="quiet" onClick={() => setAsked(false)}>
            {t("feedback.later")}
          </Button>
        </form>
      )}
    </div>
  );
}
