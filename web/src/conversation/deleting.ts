// Conversations that are to be deleted, as long as that can be undone.
import { raw } from "../api/client";
import { wordsOf } from "../api/problem";
import { queryClient } from "../api/queryClient";
import { createPersonalStore } from "../ui/store";
import { doUnlessUndone, showToast } from "../ui/toasts";

/** Their ids; they are hidden already. */
export const leaving = createPersonalStore<ReadonlySet<string>>(new Set());

function stay(id: string): void {
  leaving.change((before) => new Set([...before].filter((each) => each !== id)));
}

/** Deletes a conversation after a while in which `message` offers to undo it. */
export function deleteUnlessUndone(id: string, message: string): void {
  leaving.change((before) => new Set(before).add(id));
  const act = async () => {
    try {
      // The page may be closing, which cuts off whatever is not told to outlive it.
      await raw(`/v1/conversations/${id}`, { method: "DELETE", keepalive: true });
    } catch (error) {
      showToast(wordsOf(error));
    }
    await queryClient.invalidateQueries({ queryKey: ["conversations"] });
    stay(id);
  };
  doUnlessUndone(message, act, () => stay(id));
}
