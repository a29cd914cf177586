import { afterEach, expect, test, vi } from "vitest";

import { forgetPerson } from "../ui/store";
import { hasUnsent } from "../ui/unsent";
import { add, cancelRest, setPaused, uploads } from "./uploads";

afterEach(() => {
  forgetPerson();
  vi.unstubAllGlobals();
});

test("over plain HTTP, where a browser makes no UUIDs, files are handed in all the same", () => {
  const getRandomValues = crypto.getRandomValues.bind(crypto);
  vi.stubGlobal("crypto", { getRandomValues });
  setPaused(true);
  const files = ["a.txt", "b.txt"].map((path) => ({ file: new File(["x"], path), path }));
  add(files, "default");
  const ids = uploads.get().all.map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
});

test("the page is kept while files wait, and no longer", () => {
  setPaused(true);
  expect(hasUnsent()).toBe(false);
  add([{ file: new File(["x"], "a.txt"), path: "a.txt" }], "default");
  expect(hasUnsent()).toBe(true);
  cancelRest();
  expect(hasUnsent()).toBe(false);
});
