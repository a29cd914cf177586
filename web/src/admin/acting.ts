// Acts of an administrator: what they change is asked for again, and what is refused is said.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";

import { doUnlessUndone, showToast } from "../ui/toasts";

/** The key of what a section asks for. */
export function adminKey(what: string, ...rest: readonly unknown[]): readonly unknown[] {
  return ["admin", what, ...rest];
}

/** How to have what was asked for under these names asked for again. */
export function useRefresh(...names: readonly string[]): () => Promise<void> {
  const queries = useQueryClient();
  const all = names.join(" ");
  return useCallback(async () => {
    const keys = all.split(" ").map((name) => adminKey(name));
    await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  }, [queries, all]);
}

/** How to do something at the press of a button; a message says that it failed, and why. */
export function useRun(...names: readonly string[]): (act: () => Promise<unknown>) => void {
  const refresh = useRefresh(...names);
  return useCallback(
    (act) => {
      act()
        .then(refresh)
        .catch((error: unknown) => {
          showToast(error instanceof Error ? error.message : String(error));
        });
    },
    [refresh],
  );
}

interface Removal {
  readonly hidden: ReadonlySet<string>;
  /** Hides a thing, and removes it unless that is undone. */
  readonly remove: (id: string, message: string, act: () => Promise<unknown>) => void;
}

/** How to remove things so that it can be undone. */
export function useRemoval(...names: readonly string[]): Removal {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const refresh = useRefresh(...names);
  const show = useCallback(
    (id: string) => setHidden((before) => new Set([...before].filter((each) => each !== id))),
    [],
  );
  const remove = useCallback(
    (id: string, message: string, act: () => Promise<unknown>) => {
      setHidden((before) => new Set([...before, id]));
      doUnlessUndone(
        message,
        () =>
          act()
            .then(refresh)
            .catch((error: unknown) => {
              showToast(error instanceof Error ? error.message : String(error));
            })
            .finally(() => show(id)),
        () => show(id),
      );
    },
    [refresh, show],
  );
  return { hidden, remove };
}
