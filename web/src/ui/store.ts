// A value outside of components that they follow.
import { useSyncExternalStore } from "react";

export interface Store<Value> {
  readonly get: () => Value;
  readonly set: (value: Value) => void;
  readonly change: (next: (value: Value) => Value) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

const forgetful = new Set<() => void>();

/** Calls back when whoever used the page does so no longer: nothing of theirs may stay. */
export function onForget(listener: () => void): void {
  forgetful.add(listener);
}

/** Forgets whatever is kept of the person who used the page. */
export function forgetPerson(): void {
  for (const listener of forgetful) listener();
}

/** A store of what belongs to the person who uses the page, which the next one must not see. */
export function createPersonalStore<Value>(initial: Value): Store<Value> {
  const store = createStore(initial);
  onForget(() => store.set(initial));
  return store;
}

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  const set = (next: Value) => {
    if (Object.is(next, value)) return;
    value = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => value,
    set,
    change: (next) => set(next(value)),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get);
}
