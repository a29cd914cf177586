// What the colours and shapes of the map stand for.
import { useTranslation } from "react-i18next";

import type { Kind, Shape } from "./kinds";

const PATHS: Readonly<Record<Shape, string>> = {
  circle: "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z",
  square: "M-.9-.9h1.8v1.8h-1.8z",
  triangle: "M0-1.3 1.2.9h-2.4z",
  rhombus: "M0-1.35 1.35 0 0 1.35-1.35 0z",
};

interface LegendProps {
  readonly kinds: readonly Kind[];
  readonly named: (kind: Kind) => string;
}

export function Legend({ kinds, named }: LegendProps) {
  const { t } = useTranslation();
  return (
    <ul aria-label={t("map.legend")} className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
      {kinds.map((kind) => (
        <li key={kind.value ?? ""} className="flex max-w-72 items-center gap-1.5">
          <svg aria-hidden viewBox="-1.5 -1.5 3 3" className="size-4 shrink-0">
            <path
              d={PATHS[kind.shape]}
              fill={kind.colour === 0 ? "var(--muted)" : `var(--map-${kind.colour})`}
            />
          </svg>
          <bdi className="truncate">{named(kind)}</bdi>
          <span className="text-muted">{kind.documents}</span>
        </li>
      ))}
    </ul>
  );
}
