// What stands in place of a page whose subject is not there: it is gone, cannot be read, or loads.
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { isAbsent } from "../api/problem";
import { Missing } from "./Missing";
import { ProblemNotice } from "./ProblemNotice";

interface UnloadedProps {
  readonly found: { readonly error: unknown; readonly refetch: () => unknown };
  /** Says what is gone. */
  readonly missing: string;
  /** Leads to what there is. */
  readonly children: ReactNode;
}

export function Unloaded({ found, missing, children }: UnloadedProps) {
  const { t } = useTranslation();
  if (isAbsent(found.error)) {
    return (
      <Missing title={missing} hint={t("missing.hint")}>
        {children}
      </Missing>
    );
  }
  if (found.error === null) return <p className="p-4 text-sm text-muted">{t("common.loading")}</p>;
  return (
    <div className="p-4">
      <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />
    </div>
  );
}
