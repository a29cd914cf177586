import { expect, test, vi } from "vitest";

import { bytes, day, milliseconds, percent } from "./format";

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

test.each(["America/New_York", "UTC", "Asia/Tokyo"])("a day is the same day in %s", (zone) => {
  vi.stubEnv("TZ", zone);
  expect(day("2024-01-01", "en")).toBe("Jan 1, 2024");
  vi.unstubAllEnvs();
});

test("a moment is of the day that it is here", () => {
  vi.stubEnv("TZ", "America/New_York");
  expect(day("2024-01-01T02:00:00Z", "en")).toBe("Dec 31, 2023");
  vi.unstubAllEnvs();
});
