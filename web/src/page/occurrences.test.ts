import { expect, test } from "vitest";

import { occurrences } from "./occurrences";

test("words are found whatever their case, accents and white space", () => {
  expect(occurrences("Café  noir, CAFE\nNOIR", "cafe noir")).toEqual([
    { start: 0, end: 10 },
    { start: 12, end: 21 },
  ]);
});

test("offsets count characters that JavaScript counts twice once", () => {
  expect(occurrences("😀 rent", "rent")).toEqual([{ start: 2, end: 6 }]);
});

test("a ligature has the letters it stands for", () => {
  expect(occurrences("the ﬁsh", "fish")).toEqual([{ start: 4, end: 7 }]);
});

test("Chinese needs no spaces, and nothing is found of nothing", () => {
  expect(occurrences("租金為九百", "九百")).toEqual([{ start: 3, end: 5 }]);
  expect(occurrences("a b", " ")).toEqual([]);
});
