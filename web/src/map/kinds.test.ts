import { expect, test } from "vitest";

import type { MapPoint } from "../api/types";
import { MAX_KINDS, OUTLIERS, kindOfEach, kindsOf } from "./kinds";

function point(collection: string): MapPoint {
  return {
    document_id: collection,
    title: collection,
    collection,
    document_class: "generic",
    status: "indexed",
    tags: [],
    x: 0,
    y: 0,
    area: 0,
    cluster_id: null,
  };
}

test("the commonest kinds have colours of their own and the rest share one", () => {
  const points = Array.from({ length: 12 }, (_, index) =>
    Array.from({ length: 12 - index }, () => point(`c${String(index).padStart(2, "0")}`)),
  ).flat();
  const kinds = kindsOf({ points }, "collection");
  expect(kinds).toHaveLength(MAX_KINDS + 1);
  expect(kinds[0]).toMatchObject({ value: "c00", documents: 12, colour: 1, shape: "circle" });
  expect(kinds.at(-1)).toMatchObject({ value: null, documents: 4 + 3 + 2 + 1, colour: 0 });
  const each = kindOfEach(points, "collection", kinds);
  expect(each[0]).toBe(0);
  expect(each.at(-1)).toBe(MAX_KINDS);
});

test("documents of a cluster are of one kind, and those in none of another without a colour", () => {
  const points = [
    { ...point("a"), cluster_id: "one" },
    { ...point("b"), cluster_id: "one" },
    point("c"),
    point("d"),
    point("e"),
  ];
  const kinds = kindsOf({ points }, "cluster");
  expect(kinds.map(({ value, documents, colour }) => [value, documents, colour])).toEqual([
    ["one", 2, 1],
    [OUTLIERS, 3, 0],
  ]);
  expect(kindOfEach(points, "cluster", kinds)).toEqual([0, 0, 1, 1, 1]);
});

test("kinds that look alike in colour differ in shape beside each other", () => {
  const kinds = kindsOf({ points: ["a", "b", "c", "d"].map(point) }, "collection");
  expect(new Set(kinds.map(({ shape }) => shape)).size).toBe(4);
});
