import { expect, test } from "vitest";

import { bytes, milliseconds, percent } from "./format";

test.each([
  ["en", 1, "1 byte"],
  ["en", 47, "47 bytes"],
  ["en", 1500, "1.5 kB"],
  ["de", 1, "1 Byte"],
  ["de", 2_500_000, "2,5 MB"],
  ["fr", 0, "0 octet"],
  ["fr", 47, "47 octets"],
  ["es", 47, "47 bytes"],
  ["zh", 47, "47字节"],
])("%s writes %i bytes", (language, count, written) => {
  expect(bytes(count, language).replace(/\s/g, " ")).toBe(written);
});

test("Arabic writes sizes in its own words", () => {
  expect(new Set([1, 2, 3, 11].map((count) => bytes(count, "ar"))).size).toBe(4);
  expect(bytes(47, "ar")).not.toContain("byte");
});

test("times and shares are written as the language does", () => {
  expect(milliseconds(12.34, "en")).toBe("12.3 ms");
  expect(milliseconds(12.34, "de").replace(/\s/g, " ")).toBe("12,3 ms");
  expect(percent(0.93, "en")).toBe("93%");
  expect(percent(0.93, "fr").replace(/\s/g, " ")).toBe("93 %");
});
