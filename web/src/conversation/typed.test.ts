import { beforeEach, expect, test } from "vitest";

import { forgetPerson } from "../ui/store";
import { NEW } from "./options";
import { keepTyped, typed, typedBecomes } from "./typed";

beforeEach(forgetPerson);

test("each conversation keeps what is typed in its own field", () => {
  keepTyped("a", "When does");
  keepTyped("b", "Who");
  keepTyped("a", "");
  expect(typed.get()).toEqual({ a: "", b: "Who" });
});

test("what is typed while a conversation begins goes along", () => {
  keepTyped(NEW, "And on Sundays?");
  typedBecomes("a");
  expect(typed.get()).toEqual({ [NEW]: "", a: "And on Sundays?" });
  typedBecomes("b");
  expect(typed.get()).toEqual({ [NEW]: "", a: "And on Sundays?" });
});

test("nothing of one person is left for the next", () => {
  keepTyped("a", "Who");
  forgetPerson();
  expect(typed.get()).toEqual({});
});
