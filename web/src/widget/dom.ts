// Elements made by hand: the page that the widget stands on may forbid markup from text.

type Attributes = Readonly<Record<string, string | boolean | ((event: Event) => void)>>;

/** An element with its attributes, what listens to it (as `onclick`), and what it contains. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false) element.setAttribute(key, value);
  }
  element.append(...content);
  return element;
}
