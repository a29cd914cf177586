import { afterEach, expect, test, vi } from "vitest";

import { add, setPaused, uploads } from "./uploads";

afterEach(() => vi.unstubAllGlobals());

test("over plain HTTP, where a browser makes no UUIDs, files are handed in all the same", () => {
  const getRandomValues = crypto.getRandomValues.bind(crypto);
  vi.stubGlobal("crypto", { getRandomValues });
  setPaused(true);
  const files = ["a.txt", "b.txt"].map((path) => ({ file: new File(["x"], path), path }));
  add(files, "default");
  const ids = uploads.get().all.map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
});
