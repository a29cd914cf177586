// Goes back and forth between the versions of a question or an answer.
import { useQueryClient } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import { messagesQuery } from "../api/queries";
import { IconButton } from "../ui/Button";
import { showToast } from "../ui/toasts";

interface VersionsProps {
  readonly conversation: string;
  readonly message: string;
  /** The ids of all versions, oldest first. */
  readonly versions: readonly string[];
  /** What there are several of. */
  readonly label: string;
}

export function Versions({ conversation, message, versions, label }: VersionsProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  if (versions.length < 2) return null;
  const now = versions.indexOf(message);
  const choose = async (chosen: string | undefined) => {
    if (chosen === undefined || busy) return;
    setBusy(true);
    try {
      await answered(
        api.POST("/v1/conversations/{conversation_id}/messages/{message_id}/activate", {
          params: { path: { conversation_id: conversation, message_id: chosen } },
        }),
      );
      await queries.invalidateQueries({ queryKey: messagesQuery(conversation).queryKey });
    } catch (error) {
      showToast(String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div role="group" aria-label={label} className="inline-flex items-center text-xs text-muted">
      <IconButton
        label={t("versions.previous")}
        icon={<ChevronLeft aria-hidden size={14} className="rtl:-scale-x-100" />}
        aria-disabled={now === 0}
        onClick={() => void choose(versions[now - 1])}
      />
      <span aria-live="polite">
        {t("versions.of", { number: now + 1, count: versions.length })}
      </span>
      <IconButton
        label={t("versions.next")}
        icon={<ChevronRight aria-hidden size={14} className="rtl:-scale-x-100" />}
        aria-disabled={now === versions.length - 1}
        onClick={() => void choose(versions[now + 1])}
      />
    </div>
  );
}
