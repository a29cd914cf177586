// What a mark of the map stands for; it stays while the pointer is on it, and Escape closes it.
import { useTranslation } from "react-i18next";

import type { MapPoint } from "../api/types";
import type { Pixel, Size } from "./view";

interface PointCardProps {
  readonly point: MapPoint;
  readonly area: string;
  readonly at: Pixel;
  readonly size: Size;
  readonly onEnter: () => void;
  readonly onLeave: () => void;
}

const WIDTH = 256;
const GAP = 14;

export function PointCard({ point, area, at, size, onEnter, onLeave }: PointCardProps) {
  const { t } = useTranslation();
  const after = at.left + GAP + WIDTH < size.width;
  const below = at.top < size.height / 2;
  return (
    <div
      data-card
      aria-hidden
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
      style={{
        width: WIDTH,
        left: after ? at.left + GAP : Math.max(0, at.left - GAP - WIDTH),
        ...(below ? { top: at.top + GAP } : { bottom: size.height - at.top + GAP }),
      }}
      className="absolute z-10 rounded-md border border-line bg-surface p-2 text-sm text-ink shadow-lg"
    >
      <p className="line-clamp-3 font-semibold break-words">
        <bdi>{point.title}</bdi>
      </p>
      <p className="text-muted">
        <bdi>{point.collection}</bdi> · {t(`class.${point.document_class}`)}
      </p>
      {area !== "" && (
        <p className="text-muted">
          <bdi>{area}</bdi>
        </p>
      )}
      {point.tags.length > 0 && (
        <p className="text-muted">
          <bdi>{point.tags.join(", ")}</bdi>
        </p>
      )}
    </div>
  );
}
