// Shows the messages of `toasts`, and reads them out.
import { X } from "lucide-react";
import { useTranslation } from "react-i18next";

import { Button, IconButton } from "./Button";
import { useStore } from "./store";
import { dismissToast, toasts } from "./toasts";

export function Toasts() {
  const { t } = useTranslation();
  const shown = useStore(toasts);
  return (
    <div role="status" className="fixed start-4 bottom-4 z-50 flex flex-col gap-2">
      {shown.map((toast) => (
        <div
          key={toast.id}
          className="flex items-center gap-3 rounded-md border border-line bg-surface px-3 py-2 text-sm text-ink shadow-lg"
        >
          <span>{toast.message}</span>
          {toast.undo && <Button onClick={toast.undo}>{t("common.undo")}</Button>}
          {!toast.undo && (
            <IconButton
              label={t("common.close")}
              icon={<X aria-hidden size={14} />}
              onClick={() => dismissToast(toast.id)}
            />
          )}
        </div>
      ))}
    </div>
  );
}
