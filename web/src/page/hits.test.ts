import { expect, test } from "vitest";

import type { Passage } from "../api/types";
import { hitsIn } from "./hits";

const TEXT = "The hen is a duck. A male duck is a drake. It swims.";

function passage(start: number, end: number): Passage {
  const text = TEXT.slice(start, end);
  const more = { body_offset: 0, spans: [], chunk_id: `d:1:${start}`, page_start: null };
  return { text, char_start: start, char_end: end, ...more } as unknown as Passage;
}

test("passages that overlap are looked through once", () => {
  const passages = [passage(0, 42), passage(19, 30), passage(19, TEXT.length)];
  const places = (wanted: string) => hitsIn(passages, wanted).map(({ start, end }) => [start, end]);
  const at = (words: string) => [TEXT.indexOf(words), TEXT.indexOf(words) + words.length];
  expect(places("male duck")).toEqual([at("male duck")]);
  expect(places("drake. It")).toEqual([at("drake. It")]);
  expect(places("swims")).toEqual([at("swims")]);
});
