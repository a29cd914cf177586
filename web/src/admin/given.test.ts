import { expect, test } from "vitest";

import { midnightOf } from "./given";

function form(day: string): FormData {
  const given = new FormData();
  given.set("day", day);
  return given;
}

test("a day lasts from its midnight to that of the next, however long it is", () => {
  for (const [day, next] of [
    ["2024-03-05", "2024-03-06"],
    ["2024-02-29", "2024-03-01"],
    ["2024-12-31", "2025-01-01"],
    // Clocks are changed on these days in Europe and America.
    ["2024-03-31", "2024-04-01"],
    ["2024-11-03", "2024-11-04"],
  ] as const) {
    expect(midnightOf(form(day), "day", 1)).toBe(midnightOf(form(next), "day"));
  }
  expect(midnightOf(form(""), "day", 1)).toBeUndefined();
});
