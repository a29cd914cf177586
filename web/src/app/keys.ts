// Which key of a shortcut was pressed, whatever the keyboard.

type Pressed = Pick<KeyboardEvent, "key" | "altKey" | "ctrlKey" | "metaKey">;

/** Signs that many keyboards have beside AltGr, which is Control and Alt on Windows, or Option. */
const BESIDE_ALT = ["[", "]"];

/** The key as shortcuts call it, and whether Control or Command is held; null for none of them. */
export function keyOf({ key, altKey, ctrlKey, metaKey }: Pressed): {
  readonly key: string;
  readonly held: boolean;
} | null {
  if (altKey) return BESIDE_ALT.includes(key) ? { key, held: false } : null;
  const held = ctrlKey || metaKey;
  return { key: held ? `mod+${key.toLowerCase()}` : key, held };
}
