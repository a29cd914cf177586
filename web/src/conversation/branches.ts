// Which versions of a question or an answer there are, and which of them go on.
import type { Message } from "../api/types";

/** The messages of the branch that goes on, oldest first. */
export function activeBranch(messages: readonly Message[]): readonly Message[] {
  return messages.filter((each) => each.active);
}

/** Ids of the messages that stand in one place, oldest first, by each of them. */
export function versionsOf(messages: readonly Message[]): ReadonlyMap<string, readonly string[]> {
  const byParent = new Map<string, string[]>();
  for (const { message_id: id, parent_id: parent } of messages) {
    const place = parent ?? "";
    const siblings = byParent.get(place);
    if (siblings === undefined) byParent.set(place, [id]);
    else siblings.push(id);
  }
  return new Map([...byParent.values()].flatMap((ids) => ids.map((id) => [id, ids] as const)));
}
