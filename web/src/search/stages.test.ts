import { expect, test } from "vitest";

import { type Traced, movement, recalledBy, stagesOf } from "./stages";

function traced(chunk: string, ...stages: string[]): Traced {
  const places = stages.map((stage) => ({ stage, rank: 1, score: 1 }));
  return { chunk, rank: 1, score: 1, similarity: null, stages: places };
}

test("stages stand in the order in which they ran, also where a passage skipped some", () => {
  const passages = [traced("a", "dense", "adaptive"), traced("b", "lexical", "adaptive", "expand")];
  const names = stagesOf(passages);
  expect([...names].sort()).toEqual(["adaptive", "dense", "expand", "lexical"]);
  expect(names.indexOf("dense")).toBeLessThan(names.indexOf("adaptive"));
  expect(names.indexOf("lexical")).toBeLessThan(names.indexOf("adaptive"));
  expect(names.at(-1)).toBe("expand");
});

test("the half that recalled a passage is told by its stages", () => {
  expect(recalledBy(traced("a", "dense", "lexical", "adaptive"))).toBe("both");
  expect(recalledBy(traced("a", "dense", "adaptive"))).toBe("meaning");
  expect(recalledBy(traced("a", "lexical", "adaptive"))).toBe("words");
  expect(recalledBy(traced("a", "lexical_only"))).toBe("neither");
});

test("a passage moved up is positive, and one that the other list lacks has not moved", () => {
  const other = [
    { chunk_id: "a", rank: 3 },
    { chunk_id: "b", rank: 1 },
  ];
  expect(movement("a", 1, other)).toBe(2);
  expect(movement("b", 2, other)).toBe(-1);
  expect(movement("c", 3, other)).toBeNull();
});
