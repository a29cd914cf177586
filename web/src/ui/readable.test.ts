import { expect, test } from "vitest";

import { readable } from "./readable";

test("a row of a table says its cells under their titles", () => {
  const table = "| Plant | Price |\n| --- | ---: |\n| Aster | 3.50 |\n| Box | |";
  expect(readable(`Stock\n\n${table}\n\nAs of May.`)).toBe(
    "Stock\n\nPlant: Aster, Price: 3.50\nPlant: Box\n\nAs of May.",
  );
});

test("rows whose titles stand elsewhere say their cells alone", () => {
  expect(readable("| Aster | 3.50 |\n| a\\|b | 4 |")).toBe("Aster, 3.50\na|b, 4");
});

test("titles without rows, and what is no table, are kept", () => {
  expect(readable("| Plant | Price |\n| --- | --- |")).toBe("Plant, Price");
  expect(readable("either | or\n- - -")).toBe("either | or\n- - -");
});
