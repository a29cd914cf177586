import { expect, test } from "vitest";

import { addressFrom, isAt, placeOf, withoutPlace } from "./address";

const CITED = { document_id: "d", chunk_id: "d:1:0", char_start: 5, char_end: 9, page: 3 };

test("numbers are read whether the address has them as text or not", () => {
  expect(addressFrom({ page: "3", start: 5 })).toEqual({ page: 3, start: 5 });
});

test("a place beside has what a place has, and is none without a document", () => {
  const beside = { document: "e", page: "2", other: 1 };
  expect(addressFrom({ beside })).toEqual({ beside: { document: "e", page: 2 } });
  expect(addressFrom({ beside: { page: 2 } })).toEqual({});
});

test("what makes no sense is passed over", () => {
  const wrong = addressFrom({ page: 0, start: -1, end: "x", filters: "a", other: 1 });
  expect(wrong).toEqual({});
  expect(Object.keys(wrong)).toEqual(expect.arrayContaining(["page", "start", "end", "filters"]));
});

test("signing in leads to a path of this server alone", () => {
  expect(addressFrom({ next: "/find?query=rent" })).toEqual({ next: "/find?query=rent" });
  for (const next of ["https://evil.example", "//evil.example", "/\\evil.example", "find", 7]) {
    expect(addressFrom({ next })).toEqual({});
  }
});

test("a workspace may be called by a number", () => {
  expect(addressFrom({ workspace: 2024 })).toEqual({ workspace: "2024" });
});

test("closing the page keeps the workspace and the search", () => {
  const rest = { workspace: "acme", query: "rent" };
  expect(withoutPlace({ ...rest, ...placeOf(CITED) })).toEqual(rest);
});

test("a citation is at its own place, and a format without pages has none", () => {
  expect(isAt(placeOf(CITED), CITED)).toBe(true);
  expect(placeOf({ ...CITED, page: null })).not.toHaveProperty("page");
});
