// One row of the table of documents.
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { useTranslation } from "react-i18next";

import type { Document } from "../api/types";
import { StatusBadge } from "./StatusBadge";
import { TagsField } from "./TagsField";
import { bytes, day } from "./format";

interface DocumentRowProps {
  readonly document: Document;
  readonly index: number;
  readonly chosen: boolean;
  /** With `range`, all that stand between this one and the one that was chosen last, too. */
  readonly onChoose: (index: number, chosen: boolean, range: boolean) => void;
}

export const DocumentRow = memo(function DocumentRow({
  document,
  index,
  chosen,
  onChoose,
}: DocumentRowProps) {
  const { t, i18n } = useTranslation();
  return (
    <tr aria-rowindex={index + 2} className="h-10 border-t border-line hover:bg-hover">
      <td className="px-2">
        <input
          type="checkbox"
          aria-label={t("documents.choose", { title: document.title })}
          checked={chosen}
          onChange={(event) =>
            onChoose(
              index,
              event.target.checked,
              (event.nativeEvent as MouseEvent | KeyboardEvent).shiftKey,
            )
          }
        />
      </td>
      <td className="px-2">
        <Link
          to="/documents/$documentId"
          params={{ documentId: document.document_id }}
          search={{}}
          className="flex py-1 underline-offset-2 hover:underline"
          title={document.filename}
        >
          <bdi className="truncate">{document.title}</bdi>
        </Link>
      </td>
      <td className="truncate px-2" title={document.failure?.cause ?? ""}>
        <StatusBadge state={document} />
      </td>
      <td className="truncate px-2">
        <bdi>{document.collection}</bdi>
      </td>
      <td className="truncate px-2">{t(`class.${document.document_class}`)}</td>
      <td className="truncate px-2">
        <TagsField document={document} />
      </td>
      <td className="px-2 tabular-nums">
        {document.page_count === null ? "" : document.page_count.toLocaleString(i18n.language)}
      </td>
      <td className="px-2 whitespace-nowrap tabular-nums">
        {bytes(document.byte_size, i18n.language)}
      </td>
      <td className="truncate px-2">{day(document.created_at, i18n.language)}</td>
    </tr>
  );
});

/** A row that has not been fetched yet. */
export function ComingRow({ index }: { readonly index: number }) {
  const { t } = useTranslation();
  return (
    <tr aria-rowindex={index + 2} className="h-10 border-t border-line">
      <td colSpan={9} className="px-3 text-sm text-muted">
        {t("common.loading")}
      </td>
    </tr>
  );
}
