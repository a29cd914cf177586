// Changes of documents: tags, metadata, access, another try. Several go in one request, whose answer
// says which of them were refused.
import i18next from "i18next";

import { answered, api } from "../api/client";
import { queryClient } from "../api/queryClient";
import type { MetadataValue, Visibility } from "../api/types";
import { showToast } from "../ui/toasts";
import { titlesOf } from "./titles";

/** Documents that a request may name. */
const MAX_AT_ONCE = 500;

interface Outcome {
  readonly document_id: string;
  readonly refusal: string;
}

/** Sends documents in as few requests as they fit into; what the server refused. */
export async function inBatches(
  ids: readonly string[],
  send: (ids: string[]) => Promise<{ readonly documents: readonly Outcome[] }>,
): Promise<Outcome[]> {
  const refused: Outcome[] = [];
  for (let first = 0; first < ids.length; first += MAX_AT_ONCE) {
    const { documents } = await send(ids.slice(first, first + MAX_AT_ONCE));
    refused.push(...documents.filter(({ refusal }) => refusal !== ""));
  }
  return refused;
}

/** As the server refuses what is not there, or not for whoever asks. */
const ABSENT = /^there is no document /;

/** Says how many documents were refused, and why the first was: by its title, where it is known. */
export function tellRefused(
  refused: readonly Outcome[],
  titles: ReadonlyMap<string, string>,
): void {
  const [first] = refused;
  if (first === undefined) return;
  const { document_id: id, refusal } = first;
  const count = refused.length;
  const title = titles.get(id);
  const isGone = title !== undefined && ABSENT.test(refusal);
  const reason = title === undefined ? refusal : refusal.replaceAll(id, `“${title}”`);
  showToast(
    isGone
      ? i18next.t("list.gone", { count, title })
      : i18next.t("list.refused", { count, reason }),
  );
}

/** Changes documents and shows them as they are then; whether all of them were. */
async function changed(
  ids: readonly string[],
  send: (ids: string[]) => Promise<{ readonly documents: readonly Outcome[] }>,
): Promise<boolean> {
  let refused: readonly Outcome[] | null = null;
  const titles = titlesOf(ids);
  try {
    refused = await inBatches(ids, send);
    tellRefused(refused, titles);
  } catch (error) {
    showToast(error instanceof Error ? error.message : String(error));
  }
  await queryClient.invalidateQueries({ queryKey: ["documents"] });
  for (const id of ids) void queryClient.invalidateQueries({ queryKey: ["document", id] });
  return refused?.length === 0;
}

/** What stands in a field of a form. */
export function typed(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === "string" ? value : "";
}

/** Tags as they are typed, with commas between. */
export function tagsIn(typed: string): string[] {
  return [...new Set(typed.split(",").map((each) => each.trim()))].filter((each) => each !== "");
}

export async function setTags(id: string, tags: readonly string[]): Promise<boolean> {
  try {
    await changeDocument(id, { tags: [...tags] });
    return true;
  } catch (error) {
    showToast(error instanceof Error ? error.message : String(error));
    return false;
  }
}

/** Merges metadata into what a document has; null removes a member. Throws a Problem. */
export async function setMetadata(
  id: string,
  metadata: Readonly<Record<string, MetadataValue | null>>,
): Promise<void> {
  await changeDocument(id, { metadata });
}

async function changeDocument(
  id: string,
  body: { tags?: string[]; metadata?: Record<string, MetadataValue | null> },
): Promise<void> {
  await answered(
    api.PATCH("/v1/documents/{document_id}", { params: { path: { document_id: id } }, body }),
  );
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ["document", id] }),
    queryClient.invalidateQueries({ queryKey: ["documents"] }),
  ]);
}

export function addTags(ids: readonly string[], tags: readonly string[]): Promise<boolean> {
  return changed(ids, (document_ids) =>
    answered(api.POST("/v1/documents/changes", { body: { document_ids, add_tags: [...tags] } })),
  );
}

export function addMetadata(
  ids: readonly string[],
  metadata: Readonly<Record<string, MetadataValue | null>>,
): Promise<boolean> {
  return changed(ids, (document_ids) =>
    answered(api.POST("/v1/documents/changes", { body: { document_ids, metadata } })),
  );
}

export function setAccess(
  ids: readonly string[],
  visibility: Visibility,
  sharedWith: readonly string[],
): Promise<boolean> {
  return changed(ids, (document_ids) =>
    answered(
      api.POST("/v1/documents/changes", {
        body: { document_ids, visibility, shared_with: [...sharedWith] },
      }),
    ),
  );
}

export function retryDocuments(ids: readonly string[]): Promise<boolean> {
  return changed(ids, (document_ids) =>
    answered(api.POST("/v1/documents/retries", { body: { document_ids } })),
  );
}
