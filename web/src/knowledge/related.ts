// How a graph is shown around its middle: by kind of relationship, and where each thing is drawn.
import type { Graph, GraphEdge, GraphNode, RelationshipKind } from "../api/types";

/** In the order in which they are shown: what concerns documents as a whole comes first. */
const ORDER: readonly RelationshipKind[] = [
  "contradicts",
  "version of",
  "duplicate of",
  "replies to",
  "attached to",
  "cites",
  "resembles",
  "shares entities with",
  "stated",
  "named together",
  "names",
];

/** Kinds that read differently from their two ends. */
export const DIRECTED = ["replies to", "attached to", "cites", "stated", "names"] as const;
type Directed = (typeof DIRECTED)[number];

export interface Relation {
  readonly edge: GraphEdge;
  readonly other: GraphNode;
}

export interface RelationGroup {
  readonly kind: RelationshipKind;
  /** Set where the edges lead to the middle, and read from their other end. */
  readonly back: Directed | null;
  readonly relations: readonly Relation[];
}

/** What is related to the middle, by kind, the strongest of each first. */
export function groupsAround(graph: Graph, middle: string): readonly RelationGroup[] {
  const nodes = new Map(graph.nodes.map((each) => [each.node_id, each]));
  const groups = new Map<string, RelationGroup & { readonly relations: Relation[] }>();
  for (const edge of graph.edges) {
    if (edge.source_id !== middle && edge.target_id !== middle) continue;
    const leaves = edge.source_id === middle;
    const other = nodes.get(leaves ? edge.target_id : edge.source_id);
    if (other === undefined) continue;
    const back = leaves ? null : (DIRECTED.find((each) => each === edge.kind) ?? null);
    const key = `${edge.kind} ${back === null ? "from" : "to"}`;
    const group = groups.get(key) ?? { kind: edge.kind, back, relations: [] };
    group.relations.push({ edge, other });
    groups.set(key, group);
  }
  const found = [...groups.values()];
  for (const { relations } of found) relations.sort((a, b) => b.edge.weight - a.edge.weight);
  return found.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

/** Some of what is related, each thing once: of every kind in turn, the strongest first. */
export function mostRelated(groups: readonly RelationGroup[], most: number): readonly GraphNode[] {
  const chosen = new Map<string, GraphNode>();
  const longest = Math.max(0, ...groups.map(({ relations }) => relations.length));
  for (let at = 0; at < longest; at += 1) {
    for (const { relations } of groups) {
      const other = relations[at]?.other;
      if (other !== undefined && chosen.size < most) chosen.set(other.node_id, other);
    }
  }
  return [...chosen.values()];
}

export interface Spot {
  readonly x: number;
  readonly y: number;
  /** To which side of the spot its name stands. */
  readonly side: "left" | "right";
}

export interface Layout {
  readonly height: number;
  readonly middle: Spot;
  readonly spots: readonly Spot[];
  /** How long names may be. */
  readonly characters: number;
}

const ROW_PIXELS = 34;
const CHARACTER_PIXELS = 7;
const WIDE_PIXELS = 560;
const MARGIN_PIXELS = 14;

/** Rows beside the middle: on both of its sides where there is room, else on one. */
export function layoutOf(count: number, width: number): Layout {
  const wide = width >= WIDE_PIXELS && count > 1;
  const left = wide ? Math.floor(count / 2) : 0;
  const rows = Math.max(left, count - left, 1);
  const height = (rows + 1) * ROW_PIXELS;
  const [leftX, middleX, rightX] = wide
    ? [width * 0.36, width * 0.5, width * 0.64]
    : [0, MARGIN_PIXELS, MARGIN_PIXELS * 5];
  const spots = Array.from({ length: count }, (_, index): Spot => {
    const onLeft = index < left;
    const number = onLeft ? index : index - left;
    const beside = onLeft ? left : count - left;
    const y = height / 2 + (number - (beside - 1) / 2) * ROW_PIXELS;
    return { x: onLeft ? leftX : rightX, y, side: onLeft ? "left" : "right" };
  });
  const room = (wide ? leftX : width - rightX) - 2 * MARGIN_PIXELS;
  return {
    height,
    middle: { x: middleX, y: height / 2, side: "right" },
    spots,
    characters: Math.max(6, Math.floor(room / CHARACTER_PIXELS)),
  };
}
