// Says why a request failed, in the server's words, and offers to try again.
import { useTranslation } from "react-i18next";

import { Problem, isOffline } from "../api/problem";
import { Button } from "./Button";
import { Notice } from "./Notice";

interface ProblemNoticeProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

export function ProblemNotice({ error, onRetry }: ProblemNoticeProps) {
  const { t } = useTranslation();
  const hint = error instanceof Problem ? error.hint : null;
  const message = isOffline(error)
    ? t("offline.unreachable")
    : error instanceof Error
      ? error.message
      : String(error);
  return (
    <Notice tone="bad" role="alert">
      <p>{message}</p>
      {hint !== null && <p className="mt-1 text-muted">{hint}</p>}
      {onRetry && (
        <Button className="mt-2" onClick={onRetry}>
          {t("common.retry")}
        </Button>
      )}
    </Notice>
  );
}
