import { expect, test } from "vitest";

import type { Graph, GraphEdge, GraphNode, RelationshipKind } from "../api/types";
import { groupsAround, layoutOf, mostRelated } from "./related";

function node(id: string): GraphNode {
  return { node_id: id, kind: "entity", name: id, entity_kind: "person", documents: 1 };
}

function edge(source: string, kind: RelationshipKind, target: string, weight = 1): GraphEdge {
  const ends = { source_id: source, target_id: target };
  return { ...ends, kind, label: "", weight, documents: 1, evidence: [] };
}

const GRAPH: Graph = {
  nodes: ["a", "b", "c", "d"].map(node),
  edges: [
    edge("a", "named together", "b"),
    edge("c", "named together", "a", 3),
    edge("b", "cites", "a"),
    edge("a", "cites", "c"),
    edge("c", "named together", "d"),
  ],
  complete: true,
};

test("what is related stands by kind and direction, the strongest first", () => {
  const groups = groupsAround(GRAPH, "a").map(({ kind, back, relations }) => [
    kind,
    back,
    relations.map(({ other }) => other.node_id).join(""),
  ]);
  expect(groups).toEqual([
    ["cites", "cites", "b"],
    ["cites", null, "c"],
    ["named together", null, "cb"],
  ]);
});

test("each thing is drawn once, and of every kind some", () => {
  const groups = groupsAround(GRAPH, "a");
  expect(mostRelated(groups, 9).map((each) => each.node_id)).toEqual(["b", "c"]);
  expect(mostRelated(groups, 1).map((each) => each.node_id)).toEqual(["b"]);
  expect(mostRelated([], 9)).toEqual([]);
});

test.each([
  [1, 700],
  [7, 700],
  [12, 300],
])("%i things on %i pixels stand within the picture, apart from each other", (count, width) => {
  const { spots, height, middle } = layoutOf(count, width);
  for (const { x, y } of [...spots, middle]) {
    expect([x > 0, x < width, y > 0, y < height]).toEqual([true, true, true, true]);
  }
  const apart = spots.flatMap((one, at) =>
    spots.slice(at + 1).map((other) => Math.hypot(one.x - other.x, one.y - other.y)),
  );
  expect(Math.min(24, ...apart)).toBe(24);
});
