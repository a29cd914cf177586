import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { showUndoable, toasts } from "./toasts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  toasts.set([]);
});

test("a message that offers to undo what was done goes by itself", () => {
  const undo = vi.fn();
  showUndoable("It is rejected.", undo);
  expect(toasts.get()).toHaveLength(1);
  vi.runAllTimers();
  expect(toasts.get()).toEqual([]);
  expect(undo).not.toHaveBeenCalled();
});

test("a message goes once what it says was undone", () => {
  const undo = vi.fn();
  showUndoable("It is rejected.", undo);
  toasts.get()[0]?.undo?.();
  expect(toasts.get()).toEqual([]);
  expect(undo).toHaveBeenCalledOnce();
});
