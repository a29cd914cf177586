// Listens for shortcuts, wherever the focus is but in a field where people type.
import { useEffect } from "react";

import { preferences } from "./preferences";
import { useActions } from "./actions";

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select"))
  );
}

export function ShortcutKeys() {
  const actions = useActions();
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const held = event.metaKey || event.ctrlKey;
      if (event.defaultPrevented || event.altKey) return;
      const single = !held && preferences.get().keys && !isTyping(event.target);
      const key = held ? `mod+${event.key.toLowerCase()}` : event.key;
      const action = actions.find((each) => each.key === key);
      if (action === undefined || (!held && !single)) return;
      event.preventDefault();
      action.run();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [actions]);
  return null;
}
