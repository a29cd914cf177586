import { expect, test } from "vitest";

import { forgetPerson } from "../ui/store";
import { isKept, keepWaiting, waiting } from "./running";

const made = { reply: null, place: { kind: "next" }, after: 2, question: "How far?" } as const;
const asked = { message_id: "m3", message_no: 3, role: "user", text: "How far?" } as const;
const answer = { message_id: "m4", message_no: 4, role: "assistant", text: "12 miles." } as const;

test("an exchange is kept once its answer is among the messages", () => {
  expect(isKept([answer], { ...made, reply: "m4" })).toBe(true);
  expect(isKept([answer], { ...made, reply: "m5" })).toBe(false);
});

test("what was cut off before it had a name is known by the words of its question", () => {
  expect(isKept([asked, answer], made)).toBe(true);
  expect(isKept([{ ...asked, message_no: 1 }], made)).toBe(false);
  expect(isKept([asked], { ...made, place: { kind: "again", message: "m3" } })).toBe(false);
});

test("a question that waits is forgotten with the person who asked it", () => {
  keepWaiting("new", { question: "How far?", documents: [], key: "k" });
  expect(Object.keys(waiting.get())).toEqual(["new"]);
  forgetPerson();
  expect(waiting.get()).toEqual({});
});
