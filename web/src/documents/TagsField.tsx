// The tags of a document, changed where they stand.
import { Pencil } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { useMay } from "../api/may";
import type { Document } from "../api/types";
import { setTags, tagsIn } from "./changing";

export function TagsField({ document }: { readonly document: Document }) {
  const { t } = useTranslation();
  const [editing, setEditing] = useState(false);
  const mayWrite = useMay("write", document.collection) === true;
  const label = t("list.editTags", { title: document.title });
  if (editing) {
    const done = (typed: string) => {
      setEditing(false);
      const tags = tagsIn(typed);
      if (tags.join() !== document.tags.join()) void setTags(document.document_id, tags);
    };
    return (
      <input
        // eslint-disable-next-line jsx-a11y/no-autofocus -- it takes the place of the button
        autoFocus
        dir="auto"
        aria-label={label}
        placeholder={t("list.tagsHint")}
        defaultValue={document.tags.join(", ")}
        className="w-full rounded border border-line bg-surface px-1"
        onBlur={(event) => done(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
          if (event.key === "Escape") setEditing(false);
        }}
      />
    );
  }
  if (!mayWrite || document.parent_id !== null) return <bdi>{document.tags.join(", ")}</bdi>;
  return (
    <button
      type="button"
      aria-label={document.tags.length === 0 ? label : `${label}: ${document.tags.join(", ")}`}
      title={document.tags.join(", ")}
      className="group flex min-h-6 w-full items-center gap-1 text-start hover:underline"
      onClick={() => setEditing(true)}
    >
      <bdi className="truncate">{document.tags.join(", ")}</bdi>
      <Pencil aria-hidden size={12} className="shrink-0 text-muted" />
    </button>
  );
}
