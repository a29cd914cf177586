// The field for finding words in a document, with how many there are and the way to each.
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";

import { IconButton } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import type { Find } from "./find";

interface FindBarProps {
  readonly find: Find;
  readonly onClose: () => void;
}

export function FindBar({ find, onClose }: FindBarProps) {
  const { t } = useTranslation();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const none = find.hits.length === 0;
  return (
    <div className="border-b border-line bg-surface p-1">
      <div role="search" aria-label={t("find.label")} className="flex items-center gap-1">
        <input
          ref={field}
          type="search"
          data-find
          dir="auto"
          aria-label={t("find.label")}
          placeholder={t("find.placeholder")}
          value={find.wanted}
          onChange={(event) => find.seek(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") find.step(event.shiftKey ? -1 : 1);
            else if (event.key === "Escape") onClose();
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
          className="min-w-0 flex-1 rounded border border-line bg-surface px-2 py-1 text-sm"
        />
        <span role="status" className="text-sm tabular-nums">
          {find.wanted.trim() === ""
            ? ""
            : find.loading
              ? t("find.looking")
              : t("find.count", { number: none ? 0 : find.index + 1, count: find.hits.length })}
        </span>
        <IconButton
          label={t("find.previous")}
          icon={<ChevronUp aria-hidden size={16} />}
          disabled={none}
          onClick={() => find.step(-1)}
        />
        <IconButton
          label={t("find.next")}
          icon={<ChevronDown aria-hidden size={16} />}
          disabled={none}
          onClick={() => find.step(1)}
        />
        <IconButton label={t("find.close")} icon={<X aria-hidden size={16} />} onClick={onClose} />
      </div>
      {find.error !== null && <ProblemNotice error={find.error} />}
    </div>
  );
}
