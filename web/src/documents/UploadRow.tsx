// One file of the queue: how far it is, why it failed and what to do, and what can be done with it.
import { Link } from "@tanstack/react-router";
import { Pause, Play, X } from "lucide-react";
import { useTranslation } from "react-i18next";

import { DEFAULT_COLLECTION } from "../api/may";
import { Button, IconButton } from "../ui/Button";
import { StatusBadge } from "./StatusBadge";
import { retryDocuments } from "./changing";
import type { DocumentState } from "./events";
import { type Upload, UNSENT, cancel, hold, retry } from "./uploads";

interface UploadRowProps {
  readonly upload: Upload;
  readonly state: DocumentState | null;
}

export function UploadRow({ upload, state }: UploadRowProps) {
  const { t } = useTranslation();
  const failure = state?.failure ?? null;
  const reason = failure?.cause ?? upload.reason;
  const remedy = failure?.advice ?? upload.remedy;
  const again = () => {
    if (upload.document === null) retry(upload.id);
    else void retryDocuments([upload.document.document_id]);
  };
  // The same bytes under another name are one document: that of the name which they first had.
  const same = upload.document !== null && upload.document.filename !== upload.file.name;
  const refused = upload.state === "refused" || state?.status === "failed";
  return (
    <>
      <div className="min-w-0 flex-1">
        <p className="flex">
          <bdi className="truncate">{upload.path}</bdi>
          {upload.collection !== DEFAULT_COLLECTION && (
            <span className="shrink-0 text-muted">
              &nbsp;· <bdi>{upload.collection}</bdi>
            </span>
          )}
        </p>
        {upload.document !== null && (upload.duplicate || same) && (
          <p className="truncate text-xs text-muted">
            {t(upload.duplicate ? "upload.duplicate" : "upload.sameAs")}{" "}
            <Link
              to="/documents/$documentId"
              params={{ documentId: upload.document.document_id }}
              search={{}}
              className="text-accent underline"
            >
              <bdi>{upload.document.title}</bdi>
            </Link>
          </p>
        )}
        {refused && (
          <>
            <p className="truncate text-xs text-bad" title={reason}>
              {reason}
            </p>
            <p className="truncate text-xs text-muted" title={remedy}>
              {remedy}
            </p>
          </>
        )}
      </div>
      {state !== null ? (
        <StatusBadge state={state} />
      ) : (
        <span className="text-xs text-muted">
          {upload.state === "held" || upload.state === "cancelled"
            ? t(`queue.${upload.state}`)
            : t(`upload.state.${upload.state}`)}
        </span>
      )}
      {(upload.state === "waiting" || upload.state === "held") && (
        <IconButton
          label={t(upload.state === "held" ? "queue.resume" : "queue.pause", { path: upload.path })}
          icon={
            upload.state === "held" ? (
              <Play aria-hidden size={16} />
            ) : (
              <Pause aria-hidden size={16} />
            )
          }
          onClick={() => hold(upload.id, upload.state === "waiting")}
        />
      )}
      {UNSENT.includes(upload.state) && (
        <IconButton
          label={t("queue.cancel", { path: upload.path })}
          icon={<X aria-hidden size={16} />}
          onClick={() => cancel(upload.id)}
        />
      )}
      {upload.state === "cancelled" && <Button onClick={again}>{t("common.retry")}</Button>}
      {refused && (failure === null || failure.retryable) && (
        <Button onClick={again}>{t("common.retry")}</Button>
      )}
    </>
  );
}
