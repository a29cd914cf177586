import { afterEach, expect, test, vi } from "vitest";

import { isCopied } from "./copy";

afterEach(() => vi.unstubAllGlobals());

/** A page whose browser copies what is selected, or does not. */
function page(mayCopy: boolean): { copied: string } {
  const seen = { copied: "" };
  const field = { value: "", append: vi.fn(), focus: vi.fn(), select: vi.fn(), remove: vi.fn() };
  vi.stubGlobal("HTMLElement", Object);
  vi.stubGlobal("document", {
    activeElement: null,
    body: field,
    createElement: () => field,
    execCommand: () => {
      if (mayCopy) seen.copied = field.value;
      return mayCopy;
    },
  });
  return seen;
}

test("over plain HTTP, where there is no clipboard, a text is copied from a field", async () => {
  const seen = page(true);
  vi.stubGlobal("navigator", {});
  expect(await isCopied("a key")).toBe(true);
  expect(seen.copied).toBe("a key");
});

test("what a browser does not let be copied is said to be not copied", async () => {
  page(false);
  vi.stubGlobal("navigator", { clipboard: { writeText: () => Promise.reject(new Error("no")) } });
  expect(await isCopied("a key")).toBe(false);
});
