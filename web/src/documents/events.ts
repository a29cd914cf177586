// Follows what happens to documents, and keeps what is shown of them up to date.
import type { InfiniteData } from "@tanstack/react-query";

import { raw } from "../api/client";
import { currentWorkspace, keyMark } from "../api/credential";
import { type ServerEvent, pause, untilAgain } from "../api/events";
import { Problem, isFinal } from "../api/problem";
import { documentQuery, identityQuery, statsQuery } from "../api/queries";
import { queryClient } from "../api/queryClient";
import { readShared } from "../api/shared";
import type { Document, DocumentStatus, Failure, Progress, Stage } from "../api/types";
import { createPersonalStore, onForget } from "../ui/store";
import { paced } from "./paced";
import { uploads } from "./uploads";

/** What an event says of a document. */
export interface DocumentState {
  readonly document_id: string;
  readonly status: DocumentStatus;
  readonly stage: Stage;
  readonly page_count: number | null;
  readonly failure: Failure | null;
  readonly progress: Progress | null;
}

/** The latest of each document of the queue that something happened to. */
export const documentStates = createPersonalStore<Readonly<Record<string, DocumentState>>>({});

const TOGETHER_MILLISECONDS = 200;
const LISTS_MILLISECONDS = 1000;

/** Listens until the function that is returned is called. */
export function followEvents(): () => void {
  const controller = new AbortController();
  void listen(controller.signal);
  return () => controller.abort();
}

async function listen(signal: AbortSignal): Promise<void> {
  const workspace = currentWorkspace();
  let late = false;
  let refusals = 0;
  while (!signal.aborted) {
    try {
      const { principal } = await queryClient.query(identityQuery);
      // Whoever may not see the same documents is not told of the same events.
      const name = `events of ${JSON.stringify([workspace, principal, await keyMark()])}`;
      await readShared(name, { open, take, missed }, late, signal);
      return;
    } catch (error) {
      if (isFinal(error)) return;
      late = true;
      refusals = error instanceof Problem ? refusals + 1 : 0;
    }
    await pause(untilAgain(refusals), signal);
  }
}

function open(lastId: string, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = lastId === "" ? {} : { "Last-Event-ID": lastId };
  return raw("/v1/events", { headers, signal });
}

// A thousand documents at once tell of themselves faster than a browser can show them.
let waiting = new Map<string, DocumentState>();
let deleted = new Set<string>();
let listChanged = false;
let timer: ReturnType<typeof setTimeout> | undefined;

onForget(() => {
  waiting = new Map();
  deleted = new Set();
});

function take({ name, data: told }: ServerEvent): void {
  if (!name.startsWith("document.")) return;
  const { data } = told as { readonly data: DocumentState };
  if (name === "document.deleted") deleted.add(data.document_id);
  else waiting.set(data.document_id, data);
  listChanged ||= name !== "document.progress" && name !== "document.stage";
  timer ??= setTimeout(show, TOGETHER_MILLISECONDS);
}

function show(): void {
  timer = undefined;
  const [states, gone, changed] = [waiting, deleted, listChanged];
  waiting = new Map();
  deleted = new Set();
  listChanged = false;
  documentStates.change((all) => ofQueue({ ...all, ...Object.fromEntries(states) }));
  const known = new Set<string>();
  queryClient.setQueriesData<
    InfiniteData<{ documents: readonly Document[]; next_cursor: string | null }>
  >(
    { queryKey: ["documents"] },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          documents: page.documents
            .filter((each) => !gone.has(each.document_id))
            .map((each) => {
              const state = states.get(each.document_id);
              if (state === undefined) return each;
              known.add(each.document_id);
              return { ...each, ...state };
            }),
        })),
      },
  );
  const resting = [...states.values()].filter(({ status }) => isResting(status));
  for (const { document_id: id } of resting) {
    void queryClient.invalidateQueries({ queryKey: documentQuery(id).queryKey });
  }
  if (changed) void queryClient.invalidateQueries({ queryKey: statsQuery.queryKey });
  if (known.size < states.size || gone.size > 0 || resting.length > 0) fetchListsSoon();
}

/** The states of the queue's documents; all while one is sent, whose id is not known yet. */
function ofQueue(
  states: Readonly<Record<string, DocumentState>>,
): Readonly<Record<string, DocumentState>> {
  const { all } = uploads.get();
  if (all.some(({ state }) => state === "sending")) return states;
  return Object.fromEntries(
    all.flatMap(({ document }) => {
      const state = document === null ? undefined : states[document.document_id];
      return state === undefined ? [] : [[state.document_id, state]];
    }),
  );
}

/** Has what is shown of documents fetched anew, since events of them are not known. */
function missed(): void {
  void queryClient.invalidateQueries({ queryKey: ["document"] });
  void queryClient.invalidateQueries({ queryKey: statsQuery.queryKey });
  void fetchUploaded();
  fetchListsSoon();
}

function isResting(status: DocumentStatus): boolean {
  return status === "indexed" || status === "failed";
}

/** Fetches what became of the files of the queue, one after another, unless an event tells it. */
async function fetchUploaded(): Promise<void> {
  for (const { document } of uploads.get().all) {
    if (document === null) continue;
    const { document_id: id } = document;
    const before = documentStates.get()[id];
    if (isResting((before ?? document).status)) continue;
    const now = await queryClient.query({ ...documentQuery(id), staleTime: 0 }).catch(() => null);
    if (now === null || waiting.has(id) || documentStates.get()[id] !== before) continue;
    waiting.set(id, now);
    timer ??= setTimeout(show, TOGETHER_MILLISECONDS);
  }
}

/** Has lists fetched anew: at most every so often, since a list may have many pages. */
const fetchListsSoon = paced(
  () => queryClient.invalidateQueries({ queryKey: ["documents"] }),
  LISTS_MILLISECONDS,
);
