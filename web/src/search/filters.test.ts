import { expect, test } from "vitest";

import { conditionOf, filterFrom, filterText } from "./filters";

test("a filter survives the address, colons in its value included", () => {
  const filter = { field: "tags", value: "a:b" } as const;
  expect(filterFrom(filterText(filter))).toEqual(filter);
});

test("what is no filter is passed over", () => {
  expect(["", "class", "class:", "secret:1"].map(filterFrom)).toEqual([null, null, null, null]);
});

test("values of one field are alternatives, fields must all hold", () => {
  expect(
    conditionOf([
      { field: "class", value: "policy" },
      { field: "language", value: "en" },
      { field: "class", value: "report" },
    ]),
  ).toEqual({
    all: [{ any: [{ class: "policy" }, { class: "report" }] }, { language: "en" }],
  });
  expect(conditionOf([])).toBeNull();
});
