// A question that could not be sent: it is kept, and sent as soon as the connection is back.
import { useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";

import { useOnline } from "../app/useOnline";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";

interface WaitingQuestionProps {
  readonly question: string;
  readonly onSend: () => void;
  readonly onDismiss: () => void;
}

export function WaitingQuestion({ question, onSend, onDismiss }: WaitingQuestionProps) {
  const { t } = useTranslation();
  const online = useOnline();
  const send = useEffectEvent(onSend);
  useEffect(() => {
    if (online) send();
  }, [online]);
  return (
    <Notice role="status" tone="warn">
      <p>{t("waiting.text")}</p>
      <q dir="auto" className="wrap-anywhere">
        {question}
      </q>
      <div className="mt-2 flex gap-2">
        <Button onClick={onSend}>{t("common.retry")}</Button>
        <Button onClick={onDismiss}>{t("common.dismiss")}</Button>
      </div>
    </Notice>
  );
}
