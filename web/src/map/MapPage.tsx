// The map of the documents: what is alike lies together, and is chosen by drawing around it.
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";

import type { DocumentClass, DocumentMap, MapArea, MapPoint } from "../api/types";
import { useOpenPlace } from "../app/place";
import { ListFilters } from "../documents/ListFilters";
import { leaving } from "../documents/deleting";
import { FACETS, type List, addressOf, isNarrowed, listFrom } from "../documents/list";
import { Button } from "../ui/Button";
import { Empty } from "../ui/Empty";
import { ProblemNotice } from "../ui/ProblemNotice";
import { useStore } from "../ui/store";
import { AreaList } from "./AreaList";
import { ChosenDocuments } from "./ChosenDocuments";
import { Legend } from "./Legend";
import { MapCanvas } from "./MapCanvas";
import { COLOURS, type Colour, type Kind, OUTLIERS, kindOfEach, kindsOf } from "./kinds";
import { countsQuery, mapQuery } from "./mapQuery";

const FEWEST = 3;
const NOBODY: ReadonlySet<string> = new Set();

export function MapPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const address = useSearch({ from: "__root__" });
  const list = useMemo(() => listFrom(address), [address]);
  const colour = address.colour ?? "collection";
  const found = useQuery({
    ...mapQuery(list, colour === "cluster"),
    placeholderData: keepPreviousData,
  });
  const counts = useQuery({
    ...countsQuery(list, Object.keys(FACETS)),
    placeholderData: keepPreviousData,
  });
  const hidden = useStore(leaving);
  const map = useMemo(() => found.data && without(found.data, hidden), [found.data, hidden]);
  const change = useCallback(
    (next: List) =>
      void navigate({
        to: "/map",
        search: { ...addressOf(next), ...(colour === "collection" ? {} : { colour }) },
        replace: true,
      }),
    [navigate, colour],
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 p-3">
      <h1 className="text-xl font-bold">{t("map.title")}</h1>
      <div className="flex flex-wrap items-center gap-2">
        <ListFilters list={list} counts={counts.data?.facets ?? {}} onChange={change} />
        <Link
          to="/clusters"
          search={{}}
          className="inline-block min-h-6 text-sm text-accent underline"
        >
          {t("clusters.title")}
        </Link>
      </div>
      {found.isError && (map === undefined || map.progress) ? (
        <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />
      ) : map === undefined || map.progress ? (
        <Placing map={map} />
      ) : map.points.length < (isNarrowed(list) ? 1 : FEWEST) ? (
        <Empty title={t(isNarrowed(list) ? "list.nothingTitle" : "map.emptyTitle")}>
          <p>{t(isNarrowed(list) ? "list.nothingHint" : "map.emptyHint")}</p>
        </Empty>
      ) : (
        <Drawn
          map={map}
          colour={colour}
          onColour={(next) =>
            void navigate({
              to: ".",
              search: (before) => ({ ...before, colour: next }),
              replace: true,
            })
          }
        />
      )}
    </div>
  );
}

function without(map: DocumentMap, hidden: ReadonlySet<string>): DocumentMap {
  if (hidden.size === 0) return map;
  return { ...map, points: map.points.filter((each) => !hidden.has(each.document_id)) };
}

function Placing({ map }: { readonly map: DocumentMap | undefined }) {
  const { t } = useTranslation();
  const label =
    map === undefined ? t("common.loading") : t("map.placing", { count: map.total - map.unplaced });
  return (
    <div role="status" className="mx-auto flex w-full max-w-md flex-col gap-2 p-8 text-center">
      <p>{label}</p>
      <progress
        aria-label={label}
        className="w-full"
        {...(map?.progress ? { value: map.progress.done, max: map.progress.total } : {})}
      />
    </div>
  );
}

interface DrawnProps {
  readonly map: DocumentMap;
  readonly colour: Colour;
  readonly onColour: (colour: Colour) => void;
}

function Drawn({ map, colour, onColour }: DrawnProps) {
  const { t } = useTranslation();
  const openPlace = useOpenPlace();
  const queries = useQueryClient();
  const [asList, setAsList] = useState(false);
  const [chosen, setChosen] = useState(NOBODY);
  const kinds = useMemo(() => kindsOf(map, colour), [map, colour]);
  const each = useMemo(() => kindOfEach(map.points, colour, kinds), [map, colour, kinds]);
  const nameOf = useCallback(
    ({ label, area }: MapArea) =>
      label.length > 0 ? label.join(" · ") : t("map.unnamed", { number: area + 1 }),
    [t],
  );
  const named = ({ value }: Kind) => {
    if (value === null) return t("map.others");
    if (colour === "collection") return value;
    if (colour === "class") return t(`class.${value as DocumentClass}`);
    if (colour === "cluster") {
      if (value === OUTLIERS) return t("map.outliers");
      const label = map.clusters.find((one) => one.cluster_id === value)?.label ?? [];
      return label.length > 0 ? label.join(" · ") : "–";
    }
    const area = map.areas.find((one) => String(one.area) === value);
    return area === undefined ? value : nameOf(area);
  };
  const choose = (ids: readonly string[], kept: ReadonlySet<string>) =>
    setChosen(new Set([...kept, ...ids]));
  const open = ({ document_id: document }: MapPoint) => openPlace({ document });
  const selected = map.points.filter(({ document_id: id }) => chosen.has(id));
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <label className="flex items-center gap-1.5 text-sm">
          {t("map.colour")}
          <select
            value={colour}
            onChange={(event) => onColour(event.target.value as Colour)}
            className="min-h-8 rounded-md border border-line bg-surface px-2 py-1"
          >
            {COLOURS.map((one) => (
              <option key={one} value={one}>
                {t(`map.colours.${one}`)}
              </option>
            ))}
          </select>
        </label>
        <div role="group" aria-label={t("map.shownAs")} className="flex gap-1">
          {[false, true].map((list) => (
            <Button
              key={String(list)}
              look={asList === list ? "primary" : "plain"}
              aria-pressed={asList === list}
              onClick={() => setAsList(list)}
            >
              {t(list ? "map.asList" : "map.asPicture")}
            </Button>
          ))}
        </div>
        <p role="status" className="text-sm text-muted">
          {t("documents.shown", { count: map.points.length })}
          {map.unplaced > 0 && `. ${t("map.unplaced", { count: map.unplaced })}`}
          {map.left_out > 0 && `. ${t("map.leftOut", { count: map.left_out })}`}
        </p>
      </div>
      {selected.length > 0 && (
        <ChosenDocuments
          chosen={selected}
          onDone={() => {
            setChosen(NOBODY);
            void queries.invalidateQueries({ queryKey: ["map"] });
          }}
          onClear={() => setChosen(NOBODY)}
        />
      )}
      {asList ? (
        <AreaList
          map={map}
          nameOf={nameOf}
          chosen={chosen}
          onChoose={(ids, add) =>
            add
              ? choose(ids, chosen)
              : setChosen(new Set([...chosen].filter((id) => !ids.includes(id))))
          }
          onOpen={open}
        />
      ) : (
        <>
          <MapCanvas
            map={map}
            kinds={kinds}
            kindOfEach={each}
            nameOf={nameOf}
            chosen={chosen}
            onChoose={(ids, more) => choose(ids, more ? chosen : NOBODY)}
            onOpen={open}
          />
          <Legend kinds={kinds} named={named} />
        </>
      )}
    </>
  );
}
