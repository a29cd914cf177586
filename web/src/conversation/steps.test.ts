import { expect, test } from "vitest";

import { withTool } from "./steps";

test("what a tool gave belongs to its call, and other calls stay as they are", () => {
  const called = withTool([], { call_id: "1", name: "search", arguments: "{}" });
  const both = withTool(called, { call_id: "2", name: "read", arguments: "{}" });
  const done = withTool(both, { call_id: "1", name: "search", result: "found", failed: false });
  expect(done).toEqual([
    { call: "1", name: "search", arguments: "{}", result: "found", failed: false },
    { call: "2", name: "read", arguments: "{}", result: null, failed: false },
  ]);
});
