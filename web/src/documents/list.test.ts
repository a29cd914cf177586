import { expect, test } from "vitest";

import { addressOf, listFrom, listOf, viewOf } from "./list";
import { idsOf, namedIn } from "./only";

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

test("a view keeps chosen documents beside other conditions, few or many", () => {
  for (const count of [2, 100]) {
    const ids = Array.from({ length: count }, (_, index) => `id-${index}`);
    const list = {
      query: "",
      chosen: {},
      metadata: [{ name: "year", operator: "gte", value: 2024 }],
      sort: "title",
      order: "asc",
      only: namedIn(ids),
    } as const;
    const { where } = viewOf("mine", list);
    const nothing = { status: null, collection: null, document_class: null, tag: null };
    const kept = { name: "mine", query: "", ...nothing, updated_at: null };
    const again = listOf({ ...kept, where: where ?? null, sort: "title", order: "asc" });
    expect(again.metadata).toEqual(list.metadata);
    expect(idsOf(again.only)).toEqual(ids);
    expect(addressOf(again).only?.length).toBeLessThan(41);
  }
});

test("many chosen documents are the same list whenever they are asked for", () => {
  const ids = Array.from({ length: 60 }, (_, index) => `id-${index}`);
  expect(namedIn([...ids].reverse())).toEqual(namedIn(ids));
  expect(namedIn([...ids, "another"])).not.toEqual(namedIn(ids));
});
