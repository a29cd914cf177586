// What one script tag brings: the element, and with a key in the tag a widget in the corner.
import { FootnoteChat } from "./FootnoteChat";

const GIVEN = ["key", "collections", "heading", "greeting", "language", "theme"] as const;

// Only while it runs does a script know its own tag.
const tag = document.currentScript as HTMLScriptElement | null;

function place(): void {
  if (tag?.dataset["key"] === undefined) return;
  const chat = document.createElement("footnote-chat");
  chat.setAttribute("server", tag.dataset["server"] ?? tag.src.replace(/\/widget\.js.*$/, ""));
  for (const name of GIVEN) {
    const value = tag.dataset[name];
    if (value !== undefined) chat.setAttribute(name, value);
  }
  const target = tag.dataset["target"];
  if (target === undefined) chat.setAttribute("floating", "");
  (target === undefined ? document.body : document.querySelector(target))?.append(chat);
}

if (customElements.get("footnote-chat") === undefined) {
  customElements.define("footnote-chat", FootnoteChat);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", place);
  else place();
}
