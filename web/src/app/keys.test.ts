import { expect, test } from "vitest";

import { keyOf } from "./keys";

const BARE = { altKey: false, ctrlKey: false, metaKey: false };

test("a bracket is one, however the keyboard makes it", () => {
  const plain = { key: "[", held: false };
  expect(keyOf({ ...BARE, key: "[" })).toEqual(plain);
  // AltGr on Windows, and Option on a Mac.
  expect(keyOf({ ...BARE, key: "[", altKey: true, ctrlKey: true })).toEqual(plain);
  expect(keyOf({ ...BARE, key: "[", altKey: true })).toEqual(plain);
});

test("other keys beside Alt are no shortcuts", () => {
  expect(keyOf({ ...BARE, key: "d", altKey: true })).toBeNull();
  expect(keyOf({ ...BARE, key: "k", altKey: true, ctrlKey: true })).toBeNull();
});

test("Control and Command are one", () => {
  const held = { key: "mod+k", held: true };
  expect(keyOf({ ...BARE, key: "K", ctrlKey: true })).toEqual(held);
  expect(keyOf({ ...BARE, key: "k", metaKey: true })).toEqual(held);
});
