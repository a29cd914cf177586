import { expect, test } from "vitest";

import type { DocumentMap } from "../api/types";
import { listFrom } from "../documents/list";
import { mapQuery } from "./mapQuery";

/** When the map is asked for again, in milliseconds. */
function again(status: string, progress: DocumentMap["progress"]): unknown {
  const { refetchInterval } = mapQuery(listFrom({}), false);
  if (typeof refetchInterval !== "function") return refetchInterval;
  const query: unknown = { state: { status, data: { progress } } };
  return refetchInterval(query as Parameters<typeof refetchInterval>[0]);
}

test("a map is asked for until it is made, and no more once that failed", () => {
  const progress = { done: 1, total: 9 };
  expect(again("success", progress)).toBeGreaterThan(0);
  expect(again("success", null)).toBe(false);
  expect(again("error", progress)).toBe(false);
});
