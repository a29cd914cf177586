// Where a document stands, in a word and with its progress.
import { useTranslation } from "react-i18next";

import type { DocumentStatus, Progress, Stage } from "../api/types";
import { cx } from "../ui/cx";

interface StatusBadgeProps {
  readonly state: {
    readonly status: DocumentStatus;
    readonly stage: Stage;
    readonly progress: Progress | null;
  };
}

const LOOKS: Record<DocumentStatus, string> = {
  queued: "text-muted",
  ingesting: "text-accent",
  indexed: "text-good",
  failed: "text-bad",
};

export function StatusBadge({ state }: StatusBadgeProps) {
  const { t } = useTranslation();
  const { status, stage, progress } = state;
  return (
    <span
      data-status={status}
      className={cx("inline-flex items-center gap-1.5 text-xs", LOOKS[status])}
    >
      <span aria-hidden className="size-2 shrink-0 rounded-full bg-current" />
      {status === "ingesting" ? t(`stage.${stage}`) : t(`status.${status}`)}
      {status === "ingesting" && progress !== null && (
        <>
          <progress
            className="h-1.5 w-16 accent-accent"
            aria-label={t(`stage.${stage}`)}
            value={progress.done}
            max={progress.total}
          />
          <span>
            {progress.done}/{progress.total}
          </span>
        </>
      )}
    </span>
  );
}
