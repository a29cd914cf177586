// Draws the map: marks of documents by kind, what is chosen, the names of areas, the lasso.
import type { MapArea } from "../api/types";
import type { Kind, Shape } from "./kinds";
import { type Size, type Spot, type View, pixelOf } from "./view";

export interface Inks {
  readonly surface: string;
  readonly ink: string;
  readonly accent: string;
  /** That of the rest first, then those of the kinds. */
  readonly kinds: readonly string[];
  readonly font: string;
}

export interface Picture {
  readonly spots: readonly Spot[];
  readonly kindOfEach: readonly number[];
  readonly kinds: readonly Kind[];
  readonly areas: readonly MapArea[];
  readonly nameOf: (area: MapArea) => string;
  readonly chosen: ReadonlySet<number>;
  readonly current: number | null;
  /** The corners of what is being drawn to choose. */
  readonly outline: readonly Spot[];
}

const FEW = 400;
const LARGEST_RADIUS = 6;
const SMALLEST_RADIUS = 2.5;
const LABEL_PIXELS = 13;

/** How large a mark is: smaller where there are many, larger as one looks closer. */
export function radiusOf(count: number, view: View, size: Size): number {
  const crowded = LARGEST_RADIUS * Math.min(1, Math.sqrt(FEW / Math.max(1, count)));
  const closer = view.scale / (Math.min(size.width, size.height) / 2 || 1);
  return Math.min(
    LARGEST_RADIUS + 2,
    Math.max(SMALLEST_RADIUS, crowded) * Math.sqrt(Math.max(1, closer)),
  );
}

export function inksOf(element: Element): Inks {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return {
    surface: of("--surface"),
    ink: of("--ink"),
    accent: of("--accent"),
    kinds: [of("--muted"), ...Array.from({ length: 8 }, (_, index) => of(`--map-${index + 1}`))],
    font: style.fontFamily,
  };
}

function trace(canvas: CanvasRenderingContext2D, shape: Shape, x: number, y: number, r: number) {
  if (shape === "circle") {
    canvas.moveTo(x + r, y);
    canvas.arc(x, y, r, 0, 2 * Math.PI);
  } else if (shape === "square") {
    canvas.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r);
  } else if (shape === "triangle") {
    canvas.moveTo(x, y - 1.3 * r);
    canvas.lineTo(x + 1.2 * r, y + 0.9 * r);
    canvas.lineTo(x - 1.2 * r, y + 0.9 * r);
    canvas.closePath();
  } else {
    canvas.moveTo(x, y - 1.35 * r);
    canvas.lineTo(x + 1.35 * r, y);
    canvas.lineTo(x, y + 1.35 * r);
    canvas.lineTo(x - 1.35 * r, y);
    canvas.closePath();
  }
}

export function draw(
  canvas: CanvasRenderingContext2D,
  picture: Picture,
  view: View,
  size: Size,
  inks: Inks,
): void {
  canvas.clearRect(0, 0, size.width, size.height);
  const { spots, kinds, kindOfEach, chosen, current } = picture;
  const radius = radiusOf(spots.length, view, size);
  const pixels = spots.map((spot) => pixelOf(spot, view, size));
  const seen = pixels.map(
    ({ left, top }) =>
      left > -radius && top > -radius && left < size.width + radius && top < size.height + radius,
  );
  kinds.forEach((kind, number) => {
    // One path for each kind: ten thousand marks take a few milliseconds.
    canvas.beginPath();
    pixels.forEach(({ left, top }, index) => {
      if (seen[index] && kindOfEach[index] === number) {
        trace(canvas, kind.shape, left, top, radius);
      }
    });
    canvas.fillStyle = inks.kinds[kind.colour] ?? inks.ink;
    canvas.globalAlpha = chosen.size > 0 ? 0.35 : 0.85;
    canvas.fill();
  });
  canvas.globalAlpha = 1;
  for (const index of chosen) {
    const [pixel, kind] = [pixels[index], kinds[kindOfEach[index] ?? 0]];
    if (!seen[index] || pixel === undefined || kind === undefined) continue;
    canvas.beginPath();
    trace(canvas, kind.shape, pixel.left, pixel.top, radius + 1);
    canvas.fillStyle = inks.kinds[kind.colour] ?? inks.ink;
    canvas.fill();
    canvas.lineWidth = 2;
    canvas.strokeStyle = inks.ink;
    canvas.stroke();
  }
  const at = current === null ? undefined : pixels[current];
  if (at !== undefined) {
    canvas.beginPath();
    canvas.arc(at.left, at.top, radius + 5, 0, 2 * Math.PI);
    canvas.lineWidth = 3;
    canvas.strokeStyle = inks.accent;
    canvas.stroke();
  }
  names(canvas, picture, view, size, inks);
  outline(canvas, picture.outline, view, size, inks);
}

/** The names of areas, the larger ones first; those that would cover another are left out. */
function names(
  canvas: CanvasRenderingContext2D,
  { areas, nameOf }: Picture,
  view: View,
  size: Size,
  inks: Inks,
): void {
  canvas.font = `600 ${LABEL_PIXELS}px ${inks.font}`;
  canvas.textAlign = "center";
  canvas.textBaseline = "middle";
  canvas.lineJoin = "round";
  const taken: { left: number; top: number; half: number }[] = [];
  for (const area of areas) {
    const { left, top } = pixelOf(area, view, size);
    const text = nameOf(area);
    const half = canvas.measureText(text).width / 2 + 4;
    const covers = taken.some(
      (each) =>
        Math.abs(each.left - left) < each.half + half &&
        Math.abs(each.top - top) < LABEL_PIXELS + 6,
    );
    if (covers || left < 0 || top < 0 || left > size.width || top > size.height) continue;
    // Not cut off at the side of the window.
    const shifted = Math.min(Math.max(left, half), Math.max(half, size.width - half));
    taken.push({ left: shifted, top, half });
    canvas.lineWidth = 4;
    canvas.strokeStyle = inks.surface;
    canvas.strokeText(text, shifted, top);
    canvas.fillStyle = inks.ink;
    canvas.fillText(text, shifted, top);
  }
}

function outline(
  canvas: CanvasRenderingContext2D,
  corners: readonly Spot[],
  view: View,
  size: Size,
  inks: Inks,
): void {
  if (corners.length < 2) return;
  canvas.beginPath();
  corners.forEach((corner, index) => {
    const { left, top } = pixelOf(corner, view, size);
    if (index === 0) canvas.moveTo(left, top);
    else canvas.lineTo(left, top);
  });
  canvas.closePath();
  canvas.globalAlpha = 0.12;
  canvas.fillStyle = inks.accent;
  canvas.fill();
  canvas.globalAlpha = 1;
  canvas.lineWidth = 2;
  canvas.setLineDash([6, 4]);
  canvas.strokeStyle = inks.accent;
  canvas.stroke();
  canvas.setLineDash([]);
}
