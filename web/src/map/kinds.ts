// What colours and shapes tell apart: the commonest kinds have one of their own, the rest share one.
import type { DocumentMap, MapPoint } from "../api/types";

export type Colour = "collection" | "class" | "area" | "cluster";
export const COLOURS: readonly Colour[] = ["collection", "class", "area", "cluster"];
/** The value of documents that belong to no cluster; ids of clusters have another form. */
export const OUTLIERS = "outliers";

/** Colours that are told from each other in every theme. */
export const MAX_KINDS = 8;
/** The shape tells apart what somebody sees in one colour. */
export const SHAPES = ["circle", "square", "triangle", "rhombus"] as const;
export type Shape = (typeof SHAPES)[number];

export interface Kind {
  /** The value that its documents share; null for all that are not among the commonest. */
  readonly value: string | null;
  readonly documents: number;
  /** From 1; 0 for the colour of the rest. */
  readonly colour: number;
  readonly shape: Shape;
}

export function valueOf(point: MapPoint, by: Colour): string {
  if (by === "collection") return point.collection;
  if (by === "class") return point.document_class;
  return by === "area" ? String(point.area) : (point.cluster_id ?? OUTLIERS);
}

/** The kinds of a map, the commonest first; what is in no cluster and what is left have no colour. */
export function kindsOf({ points }: Pick<DocumentMap, "points">, by: Colour): readonly Kind[] {
  const counts = new Map<string, number>();
  for (const point of points) {
    const value = valueOf(point, by);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const outliers = counts.get(OUTLIERS) ?? 0;
  if (by === "cluster") counts.delete(OUTLIERS);
  const sorted = [...counts].sort(([one, few], [other, many]) =>
    many === few ? one.localeCompare(other) : many - few,
  );
  const kinds: Kind[] = sorted.slice(0, MAX_KINDS).map(([value, documents], index) => ({
    value,
    documents,
    colour: index + 1,
    shape: SHAPES[index % SHAPES.length] ?? "circle",
  }));
  const rest = sorted.slice(MAX_KINDS).reduce((sum, [, documents]) => sum + documents, 0);
  if (by === "cluster" && outliers > 0) {
    kinds.push({ value: OUTLIERS, documents: outliers, colour: 0, shape: "rhombus" });
  }
  if (rest > 0) kinds.push({ value: null, documents: rest, colour: 0, shape: "circle" });
  return kinds;
}

/** For each point the number of its kind. */
export function kindOfEach(
  points: readonly MapPoint[],
  by: Colour,
  kinds: readonly Kind[],
): readonly number[] {
  const numbers = new Map(kinds.map(({ value }, index) => [value, index]));
  const rest = numbers.get(null) ?? 0;
  return points.map((point) => numbers.get(valueOf(point, by)) ?? rest);
}
