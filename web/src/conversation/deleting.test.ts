import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { finishPutOff, toasts } from "../ui/toasts";
import { deleteUnlessUndone, leaving } from "./deleting";

beforeEach(() => {
  vi.stubGlobal("window", new EventTarget());
});

afterEach(() => {
  vi.unstubAllGlobals();
  toasts.set([]);
});

test("a conversation whose deletion is refused is shown again, with the reason and what to do", async () => {
  const problem = { detail: "It is under a legal hold.", hint: "Ask who holds it." };
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json(problem, { status: 409 })));
  deleteUnlessUndone("c1", "It is deleted.");
  expect([...leaving.get()]).toEqual(["c1"]);
  await finishPutOff();
  expect([...leaving.get()]).toEqual([]);
  expect(toasts.get().map(({ message }) => message)).toEqual([
    "It is under a legal hold. Ask who holds it.",
  ]);
});

test("a conversation whose deletion is undone is shown again, and is deleted by nobody", async () => {
  const fetched = vi.fn();
  vi.stubGlobal("fetch", fetched);
  deleteUnlessUndone("c1", "It is deleted.");
  toasts.get()[0]?.undo?.();
  await finishPutOff();
  expect([...leaving.get()]).toEqual([]);
  expect(fetched).not.toHaveBeenCalled();
});
