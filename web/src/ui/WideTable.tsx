// Room for a table that may be wider than its pane: the arrow keys scroll it sideways.
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { cx } from "./cx";

interface WideTableProps {
  readonly className?: string;
  readonly children: ReactNode;
}

export function WideTable({ className, children }: WideTableProps) {
  const { t } = useTranslation();
  return (
    <div
      role="group"
      aria-label={t("class.table")}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by its arrow keys
      tabIndex={0}
      className={cx("overflow-x-auto", className)}
    >
      {children}
    </div>
  );
}
