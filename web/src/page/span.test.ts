import { expect, test } from "vitest";

import { divided } from "./span";

const PASSAGE = { text: "The rent is 900.", body_offset: 0, char_start: 100, char_end: 116 };

test("a span is cut out by its offsets in the document", () => {
  expect(divided(PASSAGE, { start: 112, end: 115 })).toEqual({
    before: "The rent is ",
    marked: "900",
    after: ".",
  });
});

test("characters that JavaScript counts twice are one", () => {
  const passage = { text: "😀😀 rent", body_offset: 0, char_start: 0, char_end: 7 };
  expect(divided(passage, { start: 3, end: 7 }).marked).toBe("rent");
});

test("the repeated head of a table is no part of the document", () => {
  const passage = { text: "Item\nBuoy 9", body_offset: 5, char_start: 40, char_end: 46 };
  expect(divided(passage, { start: 45, end: 46 })).toEqual({
    before: "Item\nBuoy ",
    marked: "9",
    after: "",
  });
});

test("a span that goes over the end of a passage is marked up to there", () => {
  expect(divided(PASSAGE, { start: 112, end: 300 }).marked).toBe("900.");
});

test("a span elsewhere, or a text that was changed, marks nothing", () => {
  expect(divided(PASSAGE, { start: 0, end: 100 }).marked).toBe("");
  expect(divided(PASSAGE, null).marked).toBe("");
  expect(divided({ ...PASSAGE, char_end: 117 }, { start: 112, end: 115 }).marked).toBe("");
});
