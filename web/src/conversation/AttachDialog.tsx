// Chooses documents for a conversation, among those that are there or on this device.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { documentsQuery } from "../api/queries";
import { CollectionChoice } from "../documents/CollectionChoice";
import { useUploadPlace } from "../documents/uploadPlace";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ProblemNotice } from "../ui/ProblemNotice";
import { attach, attachFiles, detach } from "./attaching";

interface AttachDialogProps {
  readonly conversation: string | undefined;
  readonly attached: readonly string[];
  readonly onClose: () => void;
}

export function AttachDialog({ conversation, attached, onClose }: AttachDialogProps) {
  const { t } = useTranslation();
  const [words, setWords] = useState("");
  const [error, setError] = useState<unknown>(null);
  const files = useRef<HTMLInputElement>(null);
  const upload = useUploadPlace();
  const found = useInfiniteQuery(documentsQuery);
  const sought = words.trim().toLocaleLowerCase();
  const shown = (found.data?.pages ?? [])
    .flatMap((page) => page.documents)
    .filter((each) => `${each.title} ${each.filename}`.toLocaleLowerCase().includes(sought));
  const toggle = (document: string, wanted: boolean) => {
    setError(null);
    (wanted ? attach : detach)(conversation, document).catch(setError);
  };
  const send = (input: HTMLInputElement) => {
    setError(null);
    if (upload) {
      attachFiles(conversation, [...(input.files ?? [])], upload.collection).catch(setError);
    }
    input.value = "";
  };
  return (
    <Dialog
      title={t("attaching.title")}
      description={t(upload ? "attaching.hint" : "attaching.hintReading")}
      open
      onClose={onClose}
    >
      <div className="flex flex-col gap-3">
        <input
          type="search"
          dir="auto"
          aria-label={t("attaching.filter")}
          placeholder={t("attaching.filter")}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          className="rounded-md border border-line bg-surface px-2 py-1.5 placeholder:text-muted"
        />
        {error !== null && <ProblemNotice error={error} />}
        {found.isError && (
          <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />
        )}
        <ul className="flex max-h-72 flex-col overflow-y-auto">
          {shown.map((each) => (
            <li key={each.document_id}>
              <label className="flex min-h-8 items-center gap-2 rounded px-1 hover:bg-hover">
                <input
                  type="checkbox"
                  checked={attached.includes(each.document_id)}
                  onChange={(event) => toggle(each.document_id, event.target.checked)}
                />
                <bdi className="truncate">{each.title}</bdi>
              </label>
            </li>
          ))}
        </ul>
        {found.hasNextPage && (
          <Button onClick={() => void found.fetchNextPage()}>{t("common.more")}</Button>
        )}
        <div className="flex flex-wrap items-center gap-2">
          {upload && (
            <>
              <input
                ref={files}
                id="attached-files"
                type="file"
                multiple
                hidden
                aria-label={t("upload.files")}
                onChange={(event) => send(event.currentTarget)}
              />
              <CollectionChoice place={upload} />
              <Button onClick={() => files.current?.click()}>
                <Upload aria-hidden size={16} /> {t("upload.files")}
              </Button>
            </>
          )}
          <Button look="primary" className="ms-auto" onClick={onClose}>
            {t("attaching.done")}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
