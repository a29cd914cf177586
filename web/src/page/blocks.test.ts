import { expect, test } from "vitest";

import type { Passage } from "../api/types";
import { blocksOf, laidOut } from "./blocks";

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

test("what a passage before has shown is cut off", () => {
  const both = passage("😀one\n- a\n- b", "paragraph");
  const [first] = both.spans as [Passage["spans"][number]];
  both.spans = [
    { ...first, char_end: 14 },
    { ...first, char_start: 15, kind: "list" },
  ];
  expect(blocksOf(both, 12)).toEqual([
    { kind: "paragraph", piece: { text: "ne", start: 12 } },
    {
      kind: "list",
      items: [
        { text: "- a", start: 15, depth: 0 },
        { text: "- b", start: 19, depth: 0 },
      ],
    },
  ]);
  // The list goes on with its second item.
  expect(blocksOf(both, 18)).toEqual([
    { kind: "list", items: [{ text: "- b", start: 19, depth: 0 }] },
  ]);
  expect(blocksOf(both, 22)).toEqual([]);
  expect(blocksOf(passage("abc", "paragraph", { char_end: 99 }), 99)).toEqual([]);
});

test("passages that overlap show each character once", () => {
  const one = passage("A male duck is a drake.", "paragraph", { ordinal: 7 });
  const within = { ...one, ordinal: 8, text: "a drake.", char_start: 25 };
  const on = { ...within, ordinal: 9, text: "a drake. It swims.", char_end: 43 };
  const spans = one.spans.map((each) => ({ ...each, char_end: 43 }));
  const passages = [one, within, { ...on, spans }, one];
  expect(laidOut(passages).flatMap(({ blocks }) => blocks)).toEqual([
    { kind: "paragraph", piece: { text: "A male duck is a drake.", start: 10 } },
    { kind: "paragraph", piece: { text: " It swims.", start: 33 } },
  ]);
});
