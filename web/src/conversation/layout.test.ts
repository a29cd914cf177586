import { expect, test } from "vitest";

import { type Block, type Run, blocksOf } from "./layout";

function shown(runs: readonly Run[]): string {
  return runs
    .map((run) => {
      if (run.kind === "footnote") return `<${run.marker}>`;
      return run.kind === "verdict" ? `{${run.verdict}}` : run.text;
    })
    .join("");
}

function outline(block: Block): unknown {
  if (block.kind === "paragraph") return shown(block.runs);
  if (block.kind === "list") return block.items.map(shown);
  return [block.head.map(shown), ...block.rows.map((row) => row.map(shown))];
}

test("a marker becomes a footnote, and nothing of the words is lost", () => {
  expect(blocksOf("Within 14 days. [1][2] Or later. [3]").map(outline)).toEqual([
    "Within 14 days.<1><2> Or later.<3>",
  ]);
});

test("a verdict that warns stands behind its sentence and its footnotes", () => {
  const sentences = [
    { text: "It is blue.", verdict: "supported" as const },
    { text: "It is big.", verdict: "unsupported" as const },
    { text: "It is old.", verdict: "uncited" as const },
  ];
  expect(blocksOf("It is blue. [1] It is big. [2] It is old.", sentences).map(outline)).toEqual([
    "It is blue.<1> It is big.<2>{unsupported} It is old.{uncited}",
  ]);
});

test("equal sentences are judged each at its own place", () => {
  const sentences = [
    { text: "Yes.", verdict: "supported" as const },
    { text: "Yes.", verdict: "partly" as const },
  ];
  expect(blocksOf("Yes. [1]\nYes. [2]", sentences).map(outline)).toEqual([
    "Yes.<1>",
    "Yes.<2>{partly}",
  ]);
});

test("lines that begin with a sign are lists", () => {
  expect(blocksOf("Two things:\n- one [1]\n- two\n\n1. first").map(outline)).toEqual([
    "Two things:",
    ["one<1>", "two"],
    ["first"],
  ]);
});

test("a table keeps its head, and the markers of an open row stand in its last cell", () => {
  expect(
    blocksOf("| Item | Price |\n|---|---|\n| Sensor | 290 [1]\n| Buoy | 900 |").map(outline),
  ).toEqual([
    [["Item", "Price"].map((each) => ` ${each} `), [" Sensor ", " 290<1>"], [" Buoy ", " 900 "]],
  ]);
});

test("emphasis is shown as such, and markup that is none stays text", () => {
  const [block] = blocksOf("**Rent** is `a*b` * 3 <b>x</b>");
  expect(block?.kind === "paragraph" && block.runs.map((run) => run.kind)).toEqual([
    "strong",
    "text",
    "code",
    "text",
  ]);
  expect(outline(block as Block)).toBe("Rent is a*b * 3 <b>x</b>");
});
