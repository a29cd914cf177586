import { expect, test } from "vitest";

import { addressOf, listFrom } from "./list";

test("a list survives the address", () => {
  const list = {
    query: "storm report",
    chosen: { status: "failed", tags: "a:b" },
    metadata: [{ name: "year", operator: "gte", value: 2024 }],
    sort: "title",
    order: "asc",
  } as const;
  expect(listFrom(addressOf(list))).toEqual(list);
});

test("what makes no sense in an address is passed over", () => {
  expect(
    listFrom({ filters: ["secret:1", "status:", "x", '{"language":"de"}'], sort: "access-asc" }),
  ).toEqual({
    query: "",
    chosen: {},
    metadata: [],
    sort: "created_at",
    order: "desc",
  });
});
