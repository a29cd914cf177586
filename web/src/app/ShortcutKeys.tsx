// Listens for shortcuts, wherever the focus is but in a field where people type.
import { useEffect } from "react";

import { keyOf } from "./keys";
import { hideOverlays, overlays, typedAhead } from "./overlays";
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
      const pressed = keyOf(event);
      if (event.defaultPrevented || pressed === null) return;
      const { key, held } = pressed;
      const { palette, shortcuts } = overlays.get();
      if (palette && !held && !isTyping(event.target)) {
        // The palette is loaded when it is first opened; who types on meanwhile means it.
        if (event.key.length === 1) typedAhead.change((before) => before + event.key);
        else if (event.key === "Backspace") typedAhead.change((before) => before.slice(0, -1));
        else if (event.key === "Escape") hideOverlays();
        else return;
        event.preventDefault();
        return;
      }
      if (shortcuts && !held) return;
      // Whatever lies over the app has the keys to itself.
      if (!palette && document.querySelector("[data-modal]") !== null) return;
      const single = !held && preferences.get().keys && !isTyping(event.target);
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
