// The map as a picture that can be moved, zoomed, drawn on and walked through with the keyboard.
import { Lasso, Maximize, Move, SquareDashed, ZoomIn, ZoomOut } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { DocumentMap, MapArea, MapPoint } from "../api/types";
import { IconButton } from "../ui/Button";
import { PointCard } from "./PointCard";
import { radiusOf } from "./drawing";
import type { Kind } from "./kinds";
import { isDirection, nearest, next, stepOf } from "./picking";
import { useSize } from "../ui/useSize";
import { useCanvas } from "./useCanvas";
import { TOOLS, type Tool, usePointer } from "./usePointer";
import { type View, moved, pixelOf, showing, whole, zoomed } from "./view";

const STEP_PIXELS = 60;
const CLOSER = 1.5;
const REACH_PIXELS = 8;
const LEAVE_MILLISECONDS = 300;
const ICONS = { move: Move, rectangle: SquareDashed, lasso: Lasso } as const;

interface MapCanvasProps {
  readonly map: DocumentMap;
  readonly kinds: readonly Kind[];
  readonly kindOfEach: readonly number[];
  readonly nameOf: (area: MapArea) => string;
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (ids: readonly string[], more: boolean) => void;
  readonly onOpen: (point: MapPoint) => void;
}

export function MapCanvas(props: MapCanvasProps) {
  const { map, kinds, kindOfEach, nameOf, chosen, onChoose, onOpen } = props;
  const { t } = useTranslation();
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useSize(frame);
  const [kept, setView] = useState<View | null>(null);
  const view = kept ?? whole(size);
  const [tool, setTool] = useState<Tool>("move");
  const [walked, setWalked] = useState<number | null>(null);
  const [hovered, setHovered] = useState<number | null>(null);
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(leaving.current), []);
  const { points } = map;
  const current = hovered ?? walked;
  const point = current === null ? undefined : points[current];

  const reach = (radiusOf(points.length, view, size) + REACH_PIXELS) / view.scale;
  const hover = (found: number | null) => {
    clearTimeout(leaving.current);
    if (found !== null) setHovered(found);
    // There is time to move onto the card.
    else leaving.current = setTimeout(() => setHovered(null), LEAVE_MILLISECONDS);
  };
  const toggle = ({ document_id: id }: MapPoint) => {
    if (chosen.has(id))
      onChoose(
        [...chosen].filter((each) => each !== id),
        false,
      );
    else onChoose([id], true);
  };
  const { outline, handlers } = usePointer({
    tool,
    spots: points,
    size,
    view,
    onView: setView,
    onHover: (spot) => hover(spot && nearest(points, spot, reach)),
    onClick: (spot) => {
      const found = nearest(points, spot, reach);
      const hit = found === null ? undefined : points[found];
      if (hit === undefined) return;
      setWalked(found);
      if (tool === "move") onOpen(hit);
      else toggle(hit);
    },
    onChoose: (indexes, more) =>
      onChoose(
        indexes.flatMap((index) => points[index]?.document_id ?? []),
        more,
      ),
  });
  const picture = useMemo(() => {
    const numbers = new Set(
      points.flatMap(({ document_id: id }, index) => (chosen.has(id) ? [index] : [])),
    );
    const { areas } = map;
    return { spots: points, kindOfEach, kinds, areas, nameOf, chosen: numbers, current, outline };
  }, [points, map, kindOfEach, kinds, nameOf, chosen, current, outline]);
  useCanvas(canvas, picture, view, size);

  const zoom = (factor: number) => {
    const at =
      point === undefined
        ? { left: size.width / 2, top: size.height / 2 }
        : pixelOf(point, view, size);
    setView(zoomed(view, factor, at, size));
  };
  const walk = (index: number | null) => {
    const to = index === null ? undefined : points[index];
    if (to === undefined) return;
    setHovered(null);
    setWalked(index);
    setView(showing(view, to, size));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isDirection(key)) {
      if (event.shiftKey) setView(moved(view, ...stepOf(key, STEP_PIXELS)));
      else if (walked === null) walk(nearest(points, view, Number.POSITIVE_INFINITY));
      else walk(next(points, walked, key));
    } else if (key === "+" || key === "=") zoom(CLOSER);
    else if (key === "-") zoom(1 / CLOSER);
    else if (key === "0") setView(null);
    else if (key === " " && point !== undefined) toggle(point);
    else if (key === "Enter" && point !== undefined) onOpen(point);
    else if (key === "Escape" && current !== null) {
      setHovered(null);
      setWalked(null);
    } else if (key === "Escape" && chosen.size > 0) onChoose([], false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const card = point === undefined ? undefined : pixelOf(point, view, size);
  const area = point && map.areas.find((each) => each.area === point.area);
  return (
    <div className="relative flex min-h-80 flex-1 overflow-hidden rounded-md border border-line">
      <p id="map-keys" className="sr-only">
        {t("map.keys")}
      </p>
      {/* Whoever cannot see it has the same as a list; it is walked through like a picture. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- it takes keys */}
      <div
        ref={frame}
        id="map"
        role="application"
        aria-label={t("map.picture", { count: points.length })}
        aria-describedby="map-keys"
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its keys are told above
        tabIndex={0}
        className={`relative flex-1 touch-none select-none focus-visible:-outline-offset-2 ${tool === "move" ? "cursor-grab active:cursor-grabbing" : "cursor-crosshair"}`}
        onKeyDown={onKeyDown}
        {...handlers}
      >
        <canvas ref={canvas} aria-hidden className="absolute inset-0 size-full" />
      </div>
      <p role="status" className="sr-only">
        {point !== undefined &&
          t(chosen.has(point.document_id) ? "map.atChosen" : "map.at", {
            title: point.title,
            area: area === undefined ? "" : nameOf(area),
          })}
      </p>
      {point !== undefined && card !== undefined && (
        <PointCard
          point={point}
          area={area === undefined ? "" : nameOf(area)}
          at={card}
          size={size}
          onEnter={() => clearTimeout(leaving.current)}
          onLeave={() => hover(null)}
        />
      )}
      <div className="absolute end-2 top-2 flex flex-col gap-1 rounded-md border border-line bg-surface p-1">
        <div role="group" aria-label={t("map.tools")} className="flex flex-col gap-1">
          {TOOLS.map((each) => {
            const Icon = ICONS[each];
            return (
              <IconButton
                key={each}
                label={t(`map.tool.${each}`)}
                aria-pressed={tool === each}
                look={tool === each ? "primary" : "quiet"}
                icon={<Icon aria-hidden size={18} />}
                onClick={() => setTool(each)}
              />
            );
          })}
        </div>
        <div
          role="group"
          aria-label={t("map.zoom")}
          className="flex flex-col gap-1 border-t border-line pt-1"
        >
          <IconButton
            label={t("map.zoomIn")}
            icon={<ZoomIn aria-hidden size={18} />}
            onClick={() => zoom(CLOSER)}
          />
          <IconButton
            label={t("map.zoomOut")}
            icon={<ZoomOut aria-hidden size={18} />}
            onClick={() => zoom(1 / CLOSER)}
          />
          <IconButton
            label={t("map.fit")}
            icon={<Maximize aria-hidden size={18} />}
            onClick={() => setView(null)}
          />
        </div>
      </div>
    </div>
  );
}
