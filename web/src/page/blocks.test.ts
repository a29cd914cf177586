import { expect, test } from "vitest";

import type { Passage } from "../api/types";
import { blocksOf } from "./blocks";

function passage(text: string, kind: string, more: Partial<Passage> = {}): Passage {
  const length = Array.from(text).length - (more.body_offset ?? 0);
  const [start, end] = [10, 10 + length];
  const span = { char_start: start, char_end: end, page: null, paragraph: 1, kind };
  return {
    text,
    body_offset: 0,
    char_start: start,
    char_end: end,
    spans: [span],
    ...more,
  } as Passage;
}

test("the cells of a table stand where the text has them", () => {
  const text = "| Item | Price |\n| --- | --- |\n| Buoy 😀 | 9 |";
  expect(blocksOf(passage(text, "table"))).toEqual([
    {
      kind: "table",
      head: [
        { text: "Item", start: 12 },
        { text: "Price", start: 19 },
      ],
      rows: [
        [
          { text: "Buoy 😀", start: 10 + text.indexOf("Buoy") },
          // The picture is one character of the document and two of JavaScript.
          { text: "9", start: 10 + text.indexOf("9") - 1 },
        ],
      ],
    },
  ]);
});

test("the head that is repeated has no place in the document", () => {
  const head = "| Item |\n| --- |\n";
  const [block] = blocksOf(passage(`${head}| Rope |`, "table", { body_offset: head.length }));
  expect(block).toEqual({
    kind: "table",
    head: [{ text: "Item", start: null }],
    rows: [[{ text: "Rope", start: 12 }]],
  });
});

test("each item of a list has its depth and its place", () => {
  const [block] = blocksOf(passage("- a\n  - b", "list"));
  expect(block).toEqual({
    kind: "list",
    items: [
      { text: "- a", start: 10, depth: 0 },
      { text: "  - b", start: 14, depth: 1 },
    ],
  });
});

test("a text that was changed has no places", () => {
  const changed = passage("abc", "paragraph", { char_end: 99 });
  expect(blocksOf(changed)).toEqual([{ kind: "paragraph", piece: { text: "abc", start: null } }]);
});
