// Narrows a question to the document whose page is open.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { documentQuery } from "../api/queries";

interface OnlyHereProps {
  readonly document: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function OnlyHere({ document, checked, onChange }: OnlyHereProps) {
  const { t } = useTranslation();
  const { data } = useQuery(documentQuery(document));
  if (data === undefined) return null;
  return (
    <label className="flex items-center gap-2 text-sm text-muted">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="truncate">{t("conversation.onlyIn", { title: data.title })}</span>
    </label>
  );
}
