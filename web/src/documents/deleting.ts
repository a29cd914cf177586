// Documents that are to be deleted, as long as that can be undone.
import { answered, api } from "../api/client";
import { statsQuery } from "../api/queries";
import { queryClient } from "../api/queryClient";
import { createPersonalStore } from "../ui/store";
import { doUnlessUndone, showToast } from "../ui/toasts";
import { inBatches, tellRefused } from "./changing";
import { titlesOf } from "./titles";

/** Their ids; they are hidden already. */
export const leaving = createPersonalStore<ReadonlySet<string>>(new Set());

function stay(ids: readonly string[]): void {
  leaving.change((before) => new Set([...before].filter((id) => !ids.includes(id))));
}

/** Deletes documents after a while in which `message` offers to undo it. */
export function deleteUnlessUndone(ids: readonly string[], message: string): void {
  leaving.change((before) => new Set([...before, ...ids]));
  const titles = titlesOf(ids);
  const act = async () => {
    // The page may be closing, which cuts off whatever is not told to outlive it.
    try {
      const refused = await inBatches(ids, (document_ids) =>
        answered(api.POST("/v1/documents/deletions", { body: { document_ids }, keepalive: true })),
      );
      tellRefused(refused, titles);
    } catch (error) {
      showToast(error instanceof Error ? error.message : String(error));
    }
    await queryClient.invalidateQueries({ queryKey: ["documents"] });
    await queryClient.invalidateQueries({ queryKey: ["map"] });
    await queryClient.invalidateQueries({ queryKey: statsQuery.queryKey });
    stay(ids);
  };
  doUnlessUndone(message, act, () => stay(ids));
}
