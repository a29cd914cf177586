// What can be done with the documents that are chosen on the map.
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import type { MapPoint } from "../api/types";
import { BulkActions } from "../documents/BulkActions";
import { MAX_LISTED, namedIn } from "../documents/only";
import { Button } from "../ui/Button";

interface ChosenDocumentsProps {
  readonly chosen: readonly MapPoint[];
  readonly onDone: () => void;
  readonly onClear: () => void;
}

export function ChosenDocuments({ chosen, onDone, onClear }: ChosenDocumentsProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const only = () => namedIn(chosen.map((each) => each.document_id));
  const tooMany = chosen.length > MAX_LISTED;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <BulkActions chosen={chosen} onDone={onDone} />
      <Button onClick={() => void navigate({ to: "/find", search: { only: only() } })}>
        {t("map.searchIn")}
      </Button>
      <Button
        disabled={tooMany}
        aria-describedby={tooMany ? "map-too-many" : undefined}
        onClick={() => void navigate({ to: "/documents", search: { only: only() } })}
      >
        {t("map.showTable")}
      </Button>
      <Button look="quiet" onClick={onClear}>
        {t("map.clear")}
      </Button>
      {tooMany && (
        <span id="map-too-many" className="text-sm text-muted">
          {t("map.tooMany", { most: MAX_LISTED })}
        </span>
      )}
    </div>
  );
}
