// What can be done with the documents that are chosen.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { may } from "../api/may";
import { identityQuery } from "../api/queries";
import type { Document } from "../api/types";
import { Button } from "../ui/Button";
import { AccessDialog } from "./AccessForm";
import { MetadataInput } from "./MetadataInput";
import { addMetadata, addTags, retryDocuments, tagsIn, typed } from "./changing";
import { deleteUnlessUndone } from "./deleting";
import { type Kind, valueFrom } from "./metadata";

interface BulkActionsProps {
  readonly chosen: readonly Pick<Document, "document_id" | "status" | "tags" | "collection">[];
  readonly onDone: () => void;
}

export function BulkActions({ chosen, onDone }: BulkActionsProps) {
  const { t } = useTranslation();
  const [asking, setAsking] = useState<"tags" | "metadata" | "access" | null>(null);
  const ids = chosen.map((each) => each.document_id);
  const failed = chosen.filter((each) => each.status === "failed").map((each) => each.document_id);
  const count = chosen.length;
  const { data: who } = useQuery(identityQuery);
  // Of several the server says which ones it refused.
  const mayWrite = who && chosen.some((each) => may(who, "write", each.collection));
  if (mayWrite !== true) {
    return (
      <p className="flex min-h-8 flex-wrap items-center gap-2 text-sm">
        {t("list.chosen", { count })}
        {mayWrite === false && <span className="text-muted">{t("rights.readOnly")}</span>}
      </p>
    );
  }
  return (
    <div
      role="group"
      aria-label={t("list.chosen", { count })}
      className="flex flex-wrap items-center gap-2"
    >
      <span className="text-sm">{t("list.chosen", { count })}</span>
      {failed.length > 0 && (
        <Button onClick={() => void retryDocuments(failed)}>
          {t("documents.retryChosen", { count: failed.length })}
        </Button>
      )}
      {asking === "tags" ? (
        <form
          className="flex gap-1"
          onSubmit={(event) => {
            event.preventDefault();
            const tags = tagsIn(typed(event.currentTarget, "tags"));
            setAsking(null);
            if (tags.length > 0) void addTags(ids, tags).then((good) => good && onDone());
          }}
        >
          <input
            // eslint-disable-next-line jsx-a11y/no-autofocus -- it takes the place of the button
            autoFocus
            name="tags"
            dir="auto"
            aria-label={t("list.tagsHint")}
            placeholder={t("list.tagsHint")}
            className="min-h-8 rounded-md border border-line bg-surface px-2 text-sm"
            onKeyDown={(event) => event.key === "Escape" && setAsking(null)}
          />
          <Button type="submit">{t("common.save")}</Button>
        </form>
      ) : (
        <Button onClick={() => setAsking("tags")}>{t("list.tagChosen")}</Button>
      )}
      {asking === "metadata" ? (
        <BulkMetadata ids={ids} onClose={() => setAsking(null)} onDone={onDone} />
      ) : (
        <Button onClick={() => setAsking("metadata")}>{t("list.setMetadata")}</Button>
      )}
      <Button onClick={() => setAsking("access")}>{t("paper.access")}</Button>
      <Button
        look="danger"
        onClick={() => {
          onDone();
          deleteUnlessUndone(ids, t("documents.deleted", { count }));
        }}
      >
        {t("documents.deleteChosen", { count })}
      </Button>
      {asking === "access" && <AccessDialog ids={ids} onClose={() => setAsking(null)} />}
    </div>
  );
}

interface BulkMetadataProps {
  readonly ids: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** One member of the metadata for all of them. */
function BulkMetadata({ ids, onClose, onDone }: BulkMetadataProps) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<Kind>("text");
  return (
    <form
      aria-label={t("list.setMetadata")}
      className="flex flex-wrap gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        const name = typed(event.currentTarget, "name").trim();
        const value = valueFrom(kind, typed(event.currentTarget, "value"));
        if (name === "" || value === null) return;
        onClose();
        void addMetadata(ids, { [name]: value }).then((good) => good && onDone());
      }}
    >
      <MetadataInput kind={kind} onKind={setKind} onEscape={onClose} />
      <Button type="submit">{t("common.save")}</Button>
    </form>
  );
}
