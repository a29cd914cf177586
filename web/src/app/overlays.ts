// What lies over the app, and which panes are open.
import { createPersonalStore, createStore } from "../ui/store";

export const overlays = createPersonalStore({ palette: false, shortcuts: false });
/** What was typed for the palette before it was there. */
export const typedAhead = createPersonalStore("");
export const panesOpen = createStore({ sources: true, page: true });

export function showOverlay(which: "palette" | "shortcuts"): void {
  typedAhead.set("");
  overlays.set({ palette: which === "palette", shortcuts: which === "shortcuts" });
}

export function hideOverlays(): void {
  overlays.set({ palette: false, shortcuts: false });
}

export function togglePane(which: "sources" | "page"): void {
  panesOpen.change((open) => ({ ...open, [which]: !open[which] }));
}
