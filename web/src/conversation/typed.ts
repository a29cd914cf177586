// What is typed and not sent yet, by conversation, for as long as the page is open.
import { createPersonalStore } from "../ui/store";
import { NEW } from "./options";

export const typed = createPersonalStore<Readonly<Record<string, string>>>({});

/** Keeps the text in the field of a conversation. */
export function keepTyped(conversation: string, text: string): void {
  typed.change((texts) => ({ ...texts, [conversation]: text }));
}

/** Takes along what was typed since the first question of a conversation, which now has an id. */
export function typedBecomes(conversation: string): void {
  const text = typed.get()[NEW];
  if (text === undefined || text === "") return;
  keepTyped(NEW, "");
  keepTyped(conversation, text);
}
