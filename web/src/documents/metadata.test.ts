import { expect, test } from "vitest";

import { conditionsFrom, filterOf, kindOf, valueFrom } from "./metadata";

test("a value keeps its kind", () => {
  for (const value of ["by the harbour", 12.5, -3, "2025-02-18", true, false]) {
    expect(valueFrom(kindOf(value), String(value))).toBe(value);
  }
});

test("a day that there is not is a text", () => {
  for (const value of ["0000-00-00", "2024-13-01", "2024-02-30"]) {
    expect(kindOf(value)).toBe("text");
    expect(valueFrom("date", value)).toBeNull();
  }
  expect(kindOf("2024-02-29")).toBe("date");
});

test("what is no value of a kind is none", () => {
  expect(valueFrom("number", "twelve")).toBeNull();
  expect(valueFrom("number", " ")).toBeNull();
  expect(valueFrom("date", "18 February")).toBeNull();
  expect(valueFrom("boolean", "")).toBeNull();
  expect(valueFrom("text", "  ")).toBeNull();
});

test("conditions survive the language of filters", () => {
  const conditions = [
    { name: "year", operator: "gte", value: 2024 },
    { name: "a.b:c", operator: "contains", value: "storm" },
    { name: "draft", operator: "eq", value: false },
  ] as const;
  expect(conditionsFrom(JSON.stringify({ all: conditions.map(filterOf) }))).toEqual(conditions);
  expect(conditionsFrom(JSON.stringify(filterOf(conditions[0])))).toEqual([conditions[0]]);
});

test("another filter is not taken for conditions", () => {
  for (const text of ['{"language":"de"}', '{"any":[]}', '{"metadata.":{"eq":1}}', "[]", "no"]) {
    expect(conditionsFrom(text)).toBeNull();
  }
});
