// Documents that are to be deleted, as long as that can be undone.
import { raw } from "../api/client";
import { statsQuery } from "../api/queries";
import { queryClient } from "../api/queryClient";
import { createStore } from "../ui/store";
import { doUnlessUndone, showToast } from "../ui/toasts";

/** Their ids; they are hidden already. */
export const leaving = createStore<ReadonlySet<string>>(new Set());

function stay(ids: readonly string[]): void {
  leaving.change((before) => new Set([...before].filter((id) => !ids.includes(id))));
}

/** Deletes documents after a while in which `message` offers to undo it. */
export function deleteUnlessUndone(ids: readonly string[], message: string): void {
  leaving.change((before) => new Set([...before, ...ids]));
  const act = async () => {
    // The page may be closing, which cuts off whatever is not told to outlive it.
    const outcomes = await Promise.allSettled(
      ids.map((id) => raw(`/v1/documents/${id}`, { method: "DELETE", keepalive: true })),
    );
    const failed = outcomes.find((each) => each.status === "rejected");
    if (failed !== undefined) showToast(String(failed.reason));
    await queryClient.invalidateQueries({ queryKey: ["documents"] });
    await queryClient.invalidateQueries({ queryKey: statsQuery.queryKey });
    stay(ids);
  };
  doUnlessUndone(
    message,
    () => void act(),
    () => stay(ids),
  );
}
