// Changes of documents that are shown: tags, access, another try.
import { answered, api } from "../api/client";
import { queryClient } from "../api/queryClient";
import type { Visibility } from "../api/types";
import { showToast } from "../ui/toasts";

/** Does something for each of several documents; what failed first is told. */
async function forEach(
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
): Promise<boolean> {
  const outcomes = await Promise.allSettled(ids.map(act));
  await queryClient.invalidateQueries({ queryKey: ["documents"] });
  for (const id of ids) void queryClient.invalidateQueries({ queryKey: ["document", id] });
  const failed = outcomes.find((each) => each.status === "rejected");
  if (failed === undefined) return true;
  const reason: unknown = failed.reason;
  showToast(reason instanceof Error ? reason.message : String(reason));
  return false;
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

export function setTags(id: string, tags: readonly string[]): Promise<boolean> {
  return forEach([id], () =>
    answered(
      api.PATCH("/v1/documents/{document_id}", {
        params: { path: { document_id: id } },
        body: { tags: [...tags] },
      }),
    ),
  );
}

export function addTags(
  documents: readonly { readonly document_id: string; readonly tags: readonly string[] }[],
  tags: readonly string[],
): Promise<boolean> {
  const known = new Map(documents.map((each) => [each.document_id, each.tags]));
  return forEach([...known.keys()], (id) =>
    answered(
      api.PATCH("/v1/documents/{document_id}", {
        params: { path: { document_id: id } },
        body: { tags: [...new Set([...(known.get(id) ?? []), ...tags])] },
      }),
    ),
  );
}

export function setAccess(
  ids: readonly string[],
  visibility: Visibility,
  sharedWith: readonly string[],
): Promise<boolean> {
  return forEach(ids, (id) =>
    answered(
      api.PUT("/v1/documents/{document_id}/access", {
        params: { path: { document_id: id } },
        body: { visibility, shared_with: [...sharedWith] },
      }),
    ),
  );
}

export function retryDocuments(ids: readonly string[]): Promise<boolean> {
  return forEach(ids, (id) =>
    answered(
      api.POST("/v1/documents/{document_id}/retry", { params: { path: { document_id: id } } }),
    ),
  );
}
