// Chooses the collection that files are put into, where there is any choice.
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { typed } from "./changing";
import { type UploadPlace, chosenCollection } from "./uploadPlace";

const FIELD = "min-h-8 rounded-md border border-line bg-surface px-2 py-1 text-sm text-ink";
const MAX_CHARACTERS = 200;

export function CollectionChoice({ place }: { readonly place: UploadPlace }) {
  const { t } = useTranslation();
  const [naming, setNaming] = useState(false);
  const { collection, offered, anywhere } = place;
  if (naming) {
    return (
      <form
        className="flex gap-1"
        onSubmit={(event) => {
          event.preventDefault();
          const name = typed(event.currentTarget, "collection").trim();
          if (name !== "") chosenCollection.set(name);
          setNaming(false);
        }}
      >
        <input
          // eslint-disable-next-line jsx-a11y/no-autofocus -- it takes the place of the choice
          autoFocus
          name="collection"
          dir="auto"
          required
          maxLength={MAX_CHARACTERS}
          aria-label={t("upload.newCollection")}
          placeholder={t("upload.newCollection")}
          className={FIELD}
          onKeyDown={(event) => event.key === "Escape" && setNaming(false)}
        />
        <Button type="submit">{t("common.save")}</Button>
      </form>
    );
  }
  if (offered.length === 1 && !anywhere) {
    return (
      <span className="text-sm text-muted">
        {t("upload.collection")} <bdi className="text-ink">{collection}</bdi>
      </span>
    );
  }
  return (
    <label className="flex items-center gap-1 text-sm text-muted">
      {t("upload.collection")}
      <select
        value={collection}
        onChange={({ target }) =>
          target.value === "" ? setNaming(true) : chosenCollection.set(target.value)
        }
        className={`${FIELD} max-w-48`}
      >
        {offered.map((each) => (
          <option key={each}>{each}</option>
        ))}
        {/* No collection has an empty name. */}
        {anywhere && <option value="">{t("upload.newCollection")}</option>}
      </select>
    </label>
  );
}
