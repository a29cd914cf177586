// The map as a list: its areas, and the documents of each, for whoever would rather read it.
import { useState } from "react";
import { useTranslation } from "react-i18next";

import type { DocumentMap, MapArea, MapPoint } from "../api/types";
import { Button } from "../ui/Button";
import { Scroller } from "../ui/Scroller";

const AT_ONCE = 50;

interface AreaListProps {
  readonly map: DocumentMap;
  readonly nameOf: (area: MapArea) => string;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (ids: readonly string[], chosen: boolean) => void;
  readonly onOpen: (point: MapPoint) => void;
}

export function AreaList({ map, nameOf, chosen, onChoose, onOpen }: AreaListProps) {
  const { t } = useTranslation();
  return (
    <Scroller label={t("map.list")} className="min-h-40 flex-1 rounded-md border border-line p-2">
      <ul className="flex flex-col gap-1">
        {map.areas.map((area) => (
          <Area
            key={area.area}
            name={nameOf(area)}
            points={map.points.filter((each) => each.area === area.area)}
            chosen={chosen}
            onChoose={onChoose}
            onOpen={onOpen}
          />
        ))}
      </ul>
    </Scroller>
  );
}

interface AreaProps extends Pick<AreaListProps, "chosen" | "onChoose" | "onOpen"> {
  readonly name: string;
  readonly points: readonly MapPoint[];
}

function Area({ name, points, chosen, onChoose, onOpen }: AreaProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const [most, setMost] = useState(AT_ONCE);
  const ids = points.map((each) => each.document_id);
  return (
    <li className="flex gap-2">
      <input
        type="checkbox"
        className="mt-1.5 self-start"
        aria-label={t("map.chooseArea", { area: name })}
        checked={ids.every((id) => chosen.has(id))}
        onChange={(event) => onChoose(ids, event.target.checked)}
      />
      <details className="min-w-0 flex-1" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="cursor-pointer py-0.5">
          <bdi className="font-semibold">{name}</bdi>{" "}
          <span className="text-sm text-muted">
            {t("documents.shown", { count: points.length })}
          </span>
        </summary>
        {open && (
          <>
            <ul className="my-1 flex flex-col gap-0.5">
              {points.slice(0, most).map((point) => (
                <li key={point.document_id} className="flex items-baseline gap-2 text-sm">
                  <input
                    type="checkbox"
                    aria-label={t("documents.choose", { title: point.title })}
                    checked={chosen.has(point.document_id)}
                    onChange={(event) => onChoose([point.document_id], event.target.checked)}
                  />
                  <button
                    type="button"
                    className="min-h-6 min-w-0 truncate text-start underline-offset-2 hover:underline"
                    onClick={() => onOpen(point)}
                  >
                    <bdi>{point.title}</bdi>
                  </button>
                  <span className="shrink-0 text-muted">
                    <bdi>{point.collection}</bdi> · {t(`class.${point.document_class}`)}
                  </span>
                </li>
              ))}
            </ul>
            {points.length > most && (
              <Button look="quiet" onClick={() => setMost(most + AT_ONCE)}>
                {t("common.more")}
              </Button>
            )}
          </>
        )}
      </details>
    </li>
  );
}
