// Short messages that come and go, some of which can be undone.
import { createPersonalStore, onForget } from "./store";

export interface Toast {
  readonly id: number;
  readonly message: string;
  readonly undo?: (() => void) | undefined;
}

export const toasts = createPersonalStore<readonly Toast[]>([]);

let lastId = 0;

/** What is put off until it cannot be undone any more. */
const putOff = new Set<{ readonly finish: () => Promise<unknown>; readonly drop: () => void }>();

/**
 * Does at once what could still be undone, as long as the one who wanted it is known. Resolves once
 * all of it was done or has failed.
 */
export async function finishPutOff(): Promise<void> {
  await Promise.allSettled([...putOff].map(({ finish }) => finish()));
}

// What one person wanted is not done in the name of the next.
onForget(() => {
  for (const { drop } of [...putOff]) drop();
});

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

/** Says that something was done, and offers for a while to undo it. */
export function showUndoable(message: string, undo: () => void): void {
  const id = showToast(message, () => {
    close();
    undo();
  });
  const timer = setTimeout(() => close(), UNDO_MILLISECONDS);
  const close = () => {
    clearTimeout(timer);
    dismissToast(id);
  };
}

/**
 * Does what cannot be taken back only after a while in which it can be undone; at once when the
 * page is left. `undone` is called when it was. `act` says itself what fails.
 */
export function doUnlessUndone(
  message: string,
  act: () => Promise<unknown>,
  undone: () => void,
): void {
  const close = () => {
    putOff.delete(waiting);
    clearTimeout(timer);
    window.removeEventListener("pagehide", leave);
    dismissToast(id);
  };
  const finish = () => {
    close();
    return act();
  };
  const leave = () => void finish();
  const waiting = { finish, drop: close };
  putOff.add(waiting);
  const timer = setTimeout(leave, UNDO_MILLISECONDS);
  const id = showToast(message, () => {
    close();
    undone();
  });
  window.addEventListener("pagehide", leave);
}
