// Chooses files, or a whole folder, to hand in; who may only read is told so instead.
import { FolderUp, Upload } from "lucide-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";

import { DEFAULT_COLLECTION } from "../api/may";
import { Button } from "../ui/Button";
import { cx } from "../ui/cx";
import { CollectionChoice } from "./CollectionChoice";
import { useUploadPlace } from "./uploadPlace";
import { add } from "./uploads";

export function FilePicker() {
  const { t } = useTranslation();
  const files = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const place = useUploadPlace();
  const take = (input: HTMLInputElement) => {
    const chosen = [...(input.files ?? [])];
    const named = chosen.map((file) => ({ file, path: file.webkitRelativePath || file.name }));
    add(named, place?.collection ?? DEFAULT_COLLECTION);
    input.value = "";
  };
  if (place === null) return <p className="text-sm text-muted">{t("rights.readOnly")}</p>;
  return (
    // Until it is known what one may do, it has its room.
    <div className={cx("flex flex-wrap items-center gap-2", place === undefined && "invisible")}>
      {place && <CollectionChoice place={place} />}
      <span className="text-sm text-muted">{t("upload.drop")}</span>
      <input
        ref={files}
        id="files"
        type="file"
        multiple
        hidden
        aria-label={t("upload.files")}
        onChange={(event) => take(event.currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        aria-label={t("upload.folder")}
        onChange={(event) => take(event.currentTarget)}
        {...{ webkitdirectory: "" }}
      />
      <Button look="primary" onClick={() => files.current?.click()}>
        <Upload aria-hidden size={16} /> {t("upload.files")}
      </Button>
      <Button onClick={() => folder.current?.click()}>
        <FolderUp aria-hidden size={16} /> {t("upload.folder")}
      </Button>
    </div>
  );
}
