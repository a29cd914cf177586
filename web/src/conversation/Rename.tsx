// Gives a conversation another title.
import { useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { Conversation } from "../api/types";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ProblemNotice } from "../ui/ProblemNotice";

interface RenameProps {
  readonly conversation: Conversation;
  readonly onClose: () => void;
}

export function Rename({ conversation, onClose }: RenameProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const rename = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const title = new FormData(event.currentTarget).get("title");
    if (typeof title !== "string" || title.trim() === "") return;
    try {
      await answered(
        api.PATCH("/v1/conversations/{conversation_id}", {
          params: { path: { conversation_id: conversation.conversation_id } },
          body: { title: title.trim() },
        }),
      );
      await queries.invalidateQueries({ queryKey: ["conversations"] });
      onClose();
    } catch (refused) {
      setError(refused);
    }
  };
  return (
    <Dialog title={t("conversation.rename")} open onClose={onClose}>
      <form onSubmit={(event) => void rename(event)} className="flex flex-col gap-3">
        <label htmlFor="title" className="text-sm">
          {t("conversation.newTitle")}
        </label>
        <input
          id="title"
          // eslint-disable-next-line jsx-a11y/no-autofocus -- it is what the dialog was opened for
          autoFocus
          onFocus={(event) => event.currentTarget.select()}
          name="title"
          dir="auto"
          maxLength={200}
          defaultValue={conversation.title}
          className="rounded-md border border-line bg-surface px-2 py-1.5"
        />
        {error !== null && <ProblemNotice error={error} />}
        <Button look="primary" type="submit" className="self-end">
          {t("common.save")}
        </Button>
      </form>
    </Dialog>
  );
}
