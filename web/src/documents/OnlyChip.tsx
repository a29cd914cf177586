// Says that a list or a search has nothing but documents that were chosen, and lets go of that.
import { X } from "lucide-react";
import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { idsOf } from "./only";

interface OnlyChipProps {
  readonly only: readonly string[] | undefined;
  readonly onRemove: () => void;
}

export function OnlyChip({ only, onRemove }: OnlyChipProps) {
  const { t } = useTranslation();
  const ids = idsOf(only);
  if (ids === undefined) return null;
  const label = t("map.only", { count: ids.length });
  return (
    <Button aria-label={t("search.without", { filter: label })} onClick={onRemove}>
      {label} <X aria-hidden size={14} />
    </Button>
  );
}
