// The documents that a conversation is about, as chips, and how to attach more.
import { useQuery } from "@tanstack/react-query";
import { Paperclip, X } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { conversationQuery, documentQuery } from "../api/queries";
import { Button } from "../ui/Button";
import { lazily } from "../ui/lazily";
import { useStore } from "../ui/store";
import { showToast } from "../ui/toasts";
import { detach, draft, searchAttached, sending } from "./attaching";

const AttachDialog = lazily(() => import("./AttachDialog").then((m) => m.AttachDialog), "waiting");

interface AttachmentsProps {
  /** Undefined before there is one. */
  readonly conversation: string | undefined;
}

export function Attachments({ conversation }: AttachmentsProps) {
  const { t } = useTranslation();
  const [choosing, setChoosing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const drafted = useStore(draft);
  const underWay = useStore(sending);
  const { data } = useQuery({
    ...conversationQuery(conversation ?? ""),
    enabled: conversation !== undefined,
  });
  const attached = conversation === undefined ? drafted : (data?.document_ids ?? []);
  const failed = (error: unknown) => showToast(String(error));
  return (
    <div className="flex flex-wrap items-center gap-2 text-xs">
      <Button ref={button} look="quiet" onClick={() => setChoosing(true)}>
        <Paperclip aria-hidden size={14} /> {t("attaching.attach")}
      </Button>
      {attached.length > 0 && (
        <ul aria-label={t("attaching.attached")} className="flex flex-wrap gap-1">
          {attached.map((document) => (
            <Chip
              key={document}
              document={document}
              onRemove={() => {
                void detach(conversation, document).catch(failed);
                button.current?.focus();
              }}
            />
          ))}
        </ul>
      )}
      {underWay.map((name) => (
        <span key={name} role="status" className="text-muted">
          {t("attaching.sending", { name })}
        </span>
      ))}
      {conversation !== undefined && attached.length > 0 && (
        <label className="flex min-h-8 items-center gap-1 text-muted">
          <input
            type="checkbox"
            checked={data?.document_mode === "only"}
            onChange={(event) =>
              void searchAttached(conversation, event.target.checked ? "only" : "first").catch(
                failed,
              )
            }
          />
          {t("attaching.only")}
        </label>
      )}
      <Suspense fallback={null}>
        {choosing && (
          <AttachDialog
            conversation={conversation}
            attached={attached}
            onClose={() => setChoosing(false)}
          />
        )}
      </Suspense>
    </div>
  );
}

interface ChipProps {
  readonly document: string;
  readonly onRemove: () => void;
}

function Chip({ document, onRemove }: ChipProps) {
  const { t } = useTranslation();
  const { data } = useQuery(documentQuery(document));
  const title = data?.title ?? "…";
  return (
    <li>
      <Button aria-label={t("attaching.remove", { title })} onClick={onRemove} className="text-xs">
        <bdi className="max-w-48 truncate">{title}</bdi>
        {data !== undefined && data.status !== "indexed" && (
          <span className="text-muted">{t(`status.${data.status}`)}</span>
        )}
        <X aria-hidden size={12} />
      </Button>
    </li>
  );
}
