// The documents of the workspace: hand in, follow, find, retry, delete.
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { DEFAULT_COLLECTION } from "../api/may";
import { wordsOf } from "../api/problem";
import { cx } from "../ui/cx";
import { showToast } from "../ui/toasts";
import { DocumentTable } from "./DocumentTable";
import { FilePicker } from "./FilePicker";
import { UploadQueue } from "./UploadQueue";
import { useUploadPlace } from "./uploadPlace";
import { add, filesOf } from "./uploads";

export function Documents() {
  const { t } = useTranslation();
  const [over, setOver] = useState(false);
  const place = useUploadPlace();
  return (
    // Dropping is a second way to what the buttons of FilePicker do.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={cx(
        "flex min-h-0 flex-1 flex-col gap-3 p-3",
        over && "outline-2 -outline-offset-4 outline-accent outline-dashed",
      )}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(place !== null);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (place === null) showToast(t("rights.readOnly"));
        else {
          const collection = place?.collection ?? DEFAULT_COLLECTION;
          filesOf(event.dataTransfer)
            .then((found) => add(found, collection))
            .catch((error: unknown) => showToast(wordsOf(error)));
        }
      }}
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h1 className="text-xl font-bold">{t("documents.title")}</h1>
        <FilePicker />
      </div>
      <UploadQueue />
      <DocumentTable />
    </div>
  );
}
