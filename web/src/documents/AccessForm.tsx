// Who is to see one document or several.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { Visibility } from "../api/types";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ProblemNotice } from "../ui/ProblemNotice";
import { setAccess, tagsIn } from "./changing";

const VISIBILITIES: readonly Visibility[] = ["workspace", "collection", "private"];
const FIELD = "min-h-8 w-full rounded-md border border-line bg-surface px-2 py-1 text-sm";

interface AccessDialogProps {
  readonly ids: readonly string[];
  readonly onClose: () => void;
}

export function AccessDialog({ ids, onClose }: AccessDialogProps) {
  const { t } = useTranslation();
  const [only] = ids;
  const found = useQuery({
    queryKey: ["access", only],
    queryFn: () =>
      answered(
        api.GET("/v1/documents/{document_id}/access", {
          params: { path: { document_id: only ?? "" } },
        }),
      ),
    enabled: ids.length === 1,
    retry: false,
    gcTime: 0,
  });
  return (
    <Dialog open title={t("paper.access")} description={t("paper.accessHint")} onClose={onClose}>
      {found.isError ? (
        <ProblemNotice error={found.error} />
      ) : ids.length === 1 && !found.data ? (
        <p>{t("common.loading")}</p>
      ) : (
        <Fields
          ids={ids}
          visibility={found.data?.visibility ?? "workspace"}
          sharedWith={found.data?.shared_with ?? []}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

interface FieldsProps extends AccessDialogProps {
  readonly visibility: Visibility;
  readonly sharedWith: readonly string[];
}

function Fields({ ids, visibility, sharedWith, onClose }: FieldsProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState(visibility);
  const [shared, setShared] = useState(sharedWith.join(", "));
  const save = async () => {
    const names = chosen === "workspace" ? [] : tagsIn(shared);
    if (await setAccess(ids, chosen, names)) onClose();
  };
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <fieldset className="flex flex-col gap-1 text-sm">
        <legend className="mb-1 font-semibold">{t("paper.seenBy")}</legend>
        {VISIBILITIES.map((each) => (
          <label key={each} className="flex items-center gap-2">
            <input
              type="radio"
              name="visibility"
              checked={chosen === each}
              onChange={() => setChosen(each)}
            />
            {t(`paper.visibility.${each}`)}
          </label>
        ))}
      </fieldset>
      {chosen !== "workspace" && (
        <label className="flex flex-col gap-1 text-sm">
          {t("paper.sharedWith")}
          <input
            className={FIELD}
            value={shared}
            onChange={(event) => setShared(event.target.value)}
          />
        </label>
      )}
      <div>
        <Button type="submit" look="primary">
          {t("common.save")}
        </Button>
      </div>
    </form>
  );
}
