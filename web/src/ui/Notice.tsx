// A box that says what is the matter, and what to do.
import type { ReactNode } from "react";

import { cx } from "./cx";

interface NoticeProps {
  readonly tone?: "info" | "warn" | "bad";
  readonly title?: string;
  readonly children?: ReactNode;
  readonly role?: "alert" | "status";
}

const TONES = { info: "border-line", warn: "border-warn", bad: "border-bad" } as const;

export function Notice({ tone = "info", title, children, role }: NoticeProps) {
  return (
    <div
      className={cx("rounded-md border bg-raised p-3 text-sm text-ink", TONES[tone])}
      role={role}
    >
      {title !== undefined && <p className="font-semibold">{title}</p>}
      {children}
    </div>
  );
}
