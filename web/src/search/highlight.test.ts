import { expect, test } from "vitest";

import { highlighted } from "./highlight";

function matched(text: string, query: string): string[] {
  return highlighted(text, query).flatMap((each) => (each.matched ? [each.text] : []));
}

test("nothing of the text is lost", () => {
  const text = "The Größe of the claims, POL-88213-X.";
  expect(
    highlighted(text, "claim größe")
      .map((each) => each.text)
      .join(""),
  ).toBe(text);
});

test("words match whatever their case, accents and ending", () => {
  expect(matched("Reporting a Claim; reported claims.", "how to report claims")).toEqual([
    "Claim",
    "reported",
    "claims",
  ]);
  expect(matched("Über Größe", "grosse GRÖSSE größe")).toEqual(["Größe"]);
});
