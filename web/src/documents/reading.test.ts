import { expect, test } from "vitest";

import type { Passage } from "../api/types";
import { outlineOf } from "./reading";

const under = (...heading_path: string[]) => ({ heading_path }) as unknown as Passage;

test("each heading stands once, where it begins, as deep as it is", () => {
  const passages = [
    under(),
    under("A"),
    under("A", "B"),
    under("A", "B"),
    under("C", "B"),
    under("C"),
  ];
  expect(outlineOf(passages).map(({ text, depth }) => `${depth}${text}`)).toEqual([
    "0A",
    "1B",
    "0C",
    "1B",
  ]);
});
