import { expect, test } from "vitest";

import { addressOf, listFrom } from "./list";

test("a list survives the address", () => {
  const list = {
    query: "storm report",
    chosen: { status: "failed", tags: "a:b" },
    sort: "title",
    order: "asc",
  } as const;
  expect(listFrom(addressOf(list))).toEqual(list);
});

test("what makes no sense in an address is passed over", () => {
  expect(listFrom({ filters: ["secret:1", "status:", "x"], sort: "access-asc" })).toEqual({
    query: "",
    chosen: {},
    sort: "created_at",
    order: "desc",
  });
});
