import { expect, test } from "vitest";

import { isSendable } from "./credential";

test("a header carries visible characters of ASCII alone", () => {
  expect(isSendable("fn_0123456789abcdef_secret")).toBe(true);
  expect(isSendable("fn_ключ")).toBe(false);
  expect(isSendable("fn_é")).toBe(false);
  expect(isSendable("two words")).toBe(false);
  expect(isSendable("")).toBe(false);
});
