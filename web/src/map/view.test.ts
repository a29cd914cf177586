import { expect, test } from "vitest";

import { moved, pixelOf, showing, spotAt, whole, zoomed } from "./view";

const SIZE = { width: 800, height: 600 };

test("no document of a narrow map lies below the buttons at its side", () => {
  const narrow = { width: 328, height: 480 };
  const { left } = pixelOf({ x: 1, y: 0 }, whole(narrow), narrow);
  expect(left).toBeLessThan(narrow.width - 56);
});

test("the whole map has room in the window", () => {
  for (const x of [-1, 1]) {
    for (const y of [-1, 1]) {
      const { left, top } = pixelOf({ x, y }, whole(SIZE), SIZE);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThan(SIZE.width);
      expect(top).toBeGreaterThan(0);
      expect(top).toBeLessThan(SIZE.height);
    }
  }
});

test("a pixel of a place is the place of the pixel", () => {
  const view = { x: 0.3, y: -0.2, scale: 700 };
  const { x, y } = spotAt(pixelOf({ x: 0.5, y: 0.25 }, view, SIZE), view, SIZE);
  expect([x, y]).toEqual([expect.closeTo(0.5), expect.closeTo(0.25)]);
});

test("zooming leaves what is under the pointer where it is", () => {
  const at = { left: 300, top: 200 };
  const view = whole(SIZE);
  const closer = zoomed(view, 2, at, SIZE);
  expect(closer.scale).toBe(view.scale * 2);
  const [before, after] = [spotAt(at, view, SIZE), spotAt(at, closer, SIZE)];
  expect(after.x).toBeCloseTo(before.x);
  expect(after.y).toBeCloseTo(before.y);
});

test("nobody gets lost: zoom and moves have their limits", () => {
  const view = whole(SIZE);
  const middle = { left: 400, top: 300 };
  expect(zoomed(view, 1e9, middle, SIZE).scale).toBe(view.scale * 200);
  expect(zoomed(view, 1e-9, middle, SIZE).scale).toBe(view.scale / 2);
  expect(moved(view, 1e9, -1e9)).toEqual({ ...view, x: -1, y: -1 });
});

test("a place outside of the window is brought in, and one inside moves nothing", () => {
  const close = { x: 0, y: 0, scale: 2000 };
  const { left, top } = pixelOf({ x: 0.9, y: 0.9 }, showing(close, { x: 0.9, y: 0.9 }, SIZE), SIZE);
  expect(left).toBeLessThan(SIZE.width);
  expect(top).toBeGreaterThan(0);
  expect(showing(close, { x: 0.05, y: 0.05 }, SIZE)).toEqual(close);
});
