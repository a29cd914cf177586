import { expect, test } from "vitest";

import { type Right, WHOLE_WORKSPACE, may } from "./may";
import type { WhoAsks } from "./types";

const ALL: readonly Right[] = ["read", "write", "administer"];

function who(
  role: WhoAsks["role"],
  collections: WhoAsks["collections"] = {},
  rights: readonly Right[] = ALL,
) {
  return { role, collections, rights: [...rights] };
}

test("a role may do what those before it may", () => {
  expect(ALL.map((right) => may(who("reader"), right))).toEqual([true, false, false]);
  expect(ALL.map((right) => may(who("writer"), right))).toEqual([true, true, false]);
  expect(ALL.map((right) => may(who("admin"), right))).toEqual([true, true, true]);
  expect(ALL.map((right) => may(who(null), right))).toEqual([false, false, false]);
});

test("a credential may be used for no more than its rights", () => {
  expect(may(who("admin", {}, ["read"]), "write")).toBe(false);
  expect(may(who("admin", { handbook: "admin" }, ["read"]), "administer", "handbook")).toBe(false);
});

test("a role in a collection counts there, and where any place will do", () => {
  const writer = who("reader", { handbook: "writer" });
  expect(may(writer, "write", "handbook")).toBe(true);
  expect(may(writer, "write", "minutes")).toBe(false);
  expect(may(writer, "write", WHOLE_WORKSPACE)).toBe(false);
  expect(may(writer, "write")).toBe(true);
});
