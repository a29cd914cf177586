import { expect, test } from "vitest";

import { inside, nearest, next, rectangle } from "./picking";

const CROSS = [
  { x: 0, y: 0 },
  { x: 1, y: 0 },
  { x: -1, y: 0 },
  { x: 0, y: 1 },
  { x: 0, y: -1 },
];

test("the nearest place is found within reach, and none beyond it", () => {
  expect(nearest(CROSS, { x: 0.9, y: 0.05 }, 0.2)).toBe(1);
  expect(nearest(CROSS, { x: 0.5, y: 0.5 }, 0.2)).toBeNull();
  expect(nearest([], { x: 0, y: 0 }, 1)).toBeNull();
});

test("a rectangle holds what is in it, however it is drawn", () => {
  expect(inside(CROSS, rectangle({ x: 1.5, y: -0.5 }, { x: -0.5, y: 0.5 }))).toEqual([0, 1]);
});

test("a lasso around a bend leaves out what the bend leaves out", () => {
  const bend = [
    { x: -1.5, y: -0.5 },
    { x: 1.5, y: -0.5 },
    { x: 1.5, y: 0.5 },
    { x: 0.5, y: 0.5 },
    { x: 0.5, y: -0.25 },
    { x: -0.5, y: -0.25 },
    { x: -0.5, y: 0.5 },
    { x: -1.5, y: 0.5 },
  ];
  expect(inside(CROSS, bend)).toEqual([1, 2]);
});

test("arrow keys go to the nearest in their direction and stop at the edge", () => {
  expect(next(CROSS, 0, "ArrowRight")).toBe(1);
  expect(next(CROSS, 0, "ArrowUp")).toBe(3);
  expect(next(CROSS, 1, "ArrowLeft")).toBe(0);
  expect(next(CROSS, 1, "ArrowRight")).toBeNull();
});

test("the keyboard gets past documents on one spot", () => {
  const spots = [
    { x: 0, y: 0 },
    { x: 0, y: 0 },
    { x: 1, y: 0 },
  ];
  expect(next(spots, 0, "ArrowRight")).toBe(1);
  expect(next(spots, 1, "ArrowRight")).toBe(2);
});
