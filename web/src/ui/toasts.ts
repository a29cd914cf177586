// Short messages that come and go, some of which can be undone.
import { createStore } from "./store";

export interface Toast {
  readonly id: number;
  readonly message: string;
  readonly undo?: (() => void) | undefined;
}

export const toasts = createStore<readonly Toast[]>([]);

let lastId = 0;

/** Shows a message; returns its id. It stays until it is dismissed. */
export function showToast(message: string, undo?: () => void): number {
  lastId += 1;
  const toast = { id: lastId, message, undo };
  toasts.change((shown) => [...shown, toast]);
  return toast.id;
}

export function dismissToast(id: number): void {
  toasts.change((shown) => shown.filter((each) => each.id !== id));
}

const UNDO_MILLISECONDS = 8000;

/**
 * Does what cannot be taken back only after a while in which it can be undone; at once when the
 * page is left. `undone` is called when it was.
 */
export function doUnlessUndone(message: string, act: () => void, undone: () => void): void {
  let open = true;
  const finish = () => {
    if (!open) return;
    open = false;
    clearTimeout(timer);
    window.removeEventListener("pagehide", finish);
    dismissToast(id);
    act();
  };
  const timer = setTimeout(finish, UNDO_MILLISECONDS);
  const id = showToast(message, () => {
    open = false;
    clearTimeout(timer);
    window.removeEventListener("pagehide", finish);
    dismissToast(id);
    undone();
  });
  window.addEventListener("pagehide", finish);
}
