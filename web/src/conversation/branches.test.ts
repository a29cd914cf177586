import { expect, test } from "vitest";

import type { Message } from "../api/types";
import { activeBranch, versionsOf } from "./branches";

function message(id: string, parent: string | null, active = true): Message {
  return {
    message_id: id,
    message_no: 1,
    parent_id: parent,
    role: "user",
    text: id,
    active,
    created_at: "2026-01-01T00:00:00Z",
    answer: null,
    feedback: null,
  };
}

const MESSAGES = [
  message("asked", null, false),
  message("answer", "asked", false),
  message("edited", null),
  message("first try", "edited", false),
  message("second try", "edited"),
];

test("messages that follow the same one are versions of each other, in their order", () => {
  const versions = versionsOf(MESSAGES);
  expect(versions.get("edited")).toEqual(["asked", "edited"]);
  expect(versions.get("second try")).toEqual(["first try", "second try"]);
  expect(versions.get("answer")).toEqual(["answer"]);
});

test("the branch that goes on has one version of each", () => {
  expect(activeBranch(MESSAGES).map((each) => each.text)).toEqual(["edited", "second try"]);
});
