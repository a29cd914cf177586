import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { paced } from "./paced";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** When what takes so long begins, as it is asked for every tenth of a second for ten. */
async function begun(takesMilliseconds: number): Promise<number[]> {
  const start = performance.now();
  const found: number[] = [];
  const ask = paced(() => {
    found.push(performance.now() - start);
    return new Promise((resolve) => setTimeout(resolve, takesMilliseconds));
  }, 1000);
  for (let at = 0; at < 10_000; at += 100) {
    ask();
    await vi.advanceTimersByTimeAsync(100);
  }
  // What was asked for last is done too.
  const before = found.length;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(found.length).toBeGreaterThan(before);
  return found.slice(0, before);
}

test("what is quick is done about once a second", async () => {
  const times = await begun(0);
  expect(times.length).toBeGreaterThanOrEqual(8);
  expect(times.length).toBeLessThanOrEqual(10);
});

test("what takes longer than its pause is done to its end, and half of the time at most", async () => {
  expect(await begun(2000)).toEqual([1000, 6000]);
});
