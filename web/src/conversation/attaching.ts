// Documents of a conversation: attached, taken off, and handed in to be attached.
import { answered, api, newKey, raw } from "../api/client";
import { credentialEpoch } from "../api/credential";
import { wordsOf } from "../api/problem";
import { conversationQuery, documentsQuery } from "../api/queries";
import { queryClient } from "../api/queryClient";
import type { Conversation, Received } from "../api/types";
import { createPersonalStore } from "../ui/store";
import { showToast } from "../ui/toasts";

/** What the next conversation begins with. */
export const draft = createPersonalStore<readonly string[]>([]);

/** Which conversation the draft became; undefined as long as it is one. */
let owner: { conversation: string | undefined } = { conversation: undefined };
let taken: readonly string[] = [];

/** The documents that a conversation is begun with; the draft stays until it has begun. */
export function takeDraft(): string[] {
  taken = draft.get();
  return [...taken];
}

/** Gives a conversation that has begun what was added to the draft meanwhile, and is from now on. */
export async function draftBecomes(conversation: string): Promise<void> {
  owner.conversation = conversation;
  owner = { conversation: undefined };
  const late = draft.get().filter((each) => !taken.includes(each));
  draft.set([]);
  for (const each of late) {
    await attach(conversation, each).catch((error: unknown) => showToast(wordsOf(error)));
  }
}

/** Names of files that are being handed in. */
export const sending = createPersonalStore<readonly string[]>([]);

const PATH = "/v1/conversations/{conversation_id}/documents/{document_id}";

function keep(conversation: Conversation): void {
  queryClient.setQueryData(conversationQuery(conversation.conversation_id).queryKey, conversation);
}

export async function attach(conversation: string | undefined, document: string): Promise<void> {
  if (conversation === undefined) {
    draft.change((before) => (before.includes(document) ? before : [...before, document]));
    return;
  }
  const path = { conversation_id: conversation, document_id: document };
  keep(await answered(api.PUT(PATH, { params: { path } })));
}

export async function detach(conversation: string | undefined, document: string): Promise<void> {
  if (conversation === undefined) {
    draft.change((before) => before.filter((each) => each !== document));
    return;
  }
  const path = { conversation_id: conversation, document_id: document };
  keep(await answered(api.DELETE(PATH, { params: { path } })));
}

export async function searchAttached(conversation: string, mode: "first" | "only"): Promise<void> {
  const { queryKey } = conversationQuery(conversation);
  // It is shown at once, and taken back where the server refuses it.
  queryClient.setQueryData(queryKey, (known) => known && { ...known, document_mode: mode });
  try {
    keep(
      await answered(
        api.PATCH("/v1/conversations/{conversation_id}", {
          params: { path: { conversation_id: conversation } },
          body: { document_mode: mode },
        }),
      ),
    );
  } catch (error) {
    await queryClient.invalidateQueries({ queryKey });
    throw error;
  }
}

/**
 * Hands files in, one after the other, and attaches each as soon as the server has it. Throws once
 * all were tried, and names those that were refused.
 */
export async function attachFiles(
  conversation: string | undefined,
  files: readonly File[],
  collection: string,
): Promise<void> {
  const refused: string[] = [];
  const asked = credentialEpoch();
  // The draft may become a conversation while files are on their way.
  const to = conversation === undefined ? owner : { conversation };
  for (const file of files) {
    // What one person chose is not handed in, nor attached, by the next.
    if (asked !== credentialEpoch()) return;
    const body = new FormData();
    body.append("file", file);
    body.append("collection", collection);
    sending.change((before) => [...before, file.name]);
    try {
      const response = await raw("/v1/documents", {
        method: "POST",
        body,
        headers: { "Idempotency-Key": newKey() },
      });
      const received = (await response.json()) as Received;
      if (asked !== credentialEpoch()) return;
      await attach(to.conversation, received.document_id);
      void queryClient.invalidateQueries({ queryKey: documentsQuery.queryKey });
    } catch (error) {
      refused.push(`${file.name}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      sending.change((before) => before.filter((each) => each !== file.name));
    }
  }
  if (refused.length > 0) throw new Error(refused.join("\n"));
}
