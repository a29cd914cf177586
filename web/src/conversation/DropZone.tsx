// Takes files and folders that are dropped onto a conversation.
import { type DragEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";

import { DEFAULT_COLLECTION } from "../api/may";
import { useUploadPlace } from "../documents/uploadPlace";
import { filesOf } from "../documents/uploads";
import { cx } from "../ui/cx";
import { showToast } from "../ui/toasts";
import { attachFiles } from "./attaching";

interface DropZoneProps {
  readonly conversation: string | undefined;
  readonly children: ReactNode;
}

export function DropZone({ conversation, children }: DropZoneProps) {
  const { t } = useTranslation();
  const [over, setOver] = useState(false);
  const upload = useUploadPlace();
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  const onDrop = (event: DragEvent) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    setOver(false);
    if (upload === null) {
      showToast(t("rights.readOnly"));
      return;
    }
    filesOf(event.dataTransfer)
      .then((found) =>
        attachFiles(
          conversation,
          found.map(({ file }) => file),
          upload?.collection ?? DEFAULT_COLLECTION,
        ),
      )
      .catch((error: unknown) => showToast(String(error)));
  };
  return (
    <div
      role="presentation"
      data-drop-zone
      className={cx("flex min-h-0 flex-1 flex-col", over && "outline-2 outline-accent")}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(upload !== null);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      {over && (
        <p role="status" className="p-2 text-center text-sm font-medium">
          {t("attaching.drop")}
        </p>
      )}
      {children}
    </div>
  );
}
