// What the server does not have yet and a page that is loaded anew would lose.
import { useEffect } from "react";

const kept = new Set<() => boolean>();

/** Has the page kept for as long as this says that something is not sent yet. */
export function keepPageWhile(isUnsent: () => boolean): void {
  kept.add(isUnsent);
}

export function hasUnsent(): boolean {
  return [...kept].some((isUnsent) => isUnsent());
}

/** Has the browser ask whoever leaves the page before something is sent. */
export function useAskBeforeLeaving(): void {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (hasUnsent()) event.preventDefault();
    };
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, []);
}
