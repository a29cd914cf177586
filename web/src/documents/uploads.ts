// The queue of files that are handed in: a few at a time, with what became of each.
import i18next from "i18next";

import { newKey, raw } from "../api/client";
import { Problem, isOffline } from "../api/problem";
import { reachable } from "../api/reach";
import type { Document, Received } from "../api/types";
import { createPersonalStore, onForget } from "../ui/store";
import { showToast } from "../ui/toasts";
import { keepPageWhile } from "../ui/unsent";

export interface Upload {
  readonly id: string;
  readonly file: File;
  /** Where it was in the folder that was dropped, to tell files of one name apart. */
  readonly path: string;
  readonly collection: string;
  readonly state: "waiting" | "held" | "sending" | "sent" | "refused" | "cancelled";
  readonly document: Document | null;
  readonly duplicate: boolean;
  readonly reason: string;
  readonly remedy: string;
}

export interface Uploads {
  readonly paused: boolean;
  readonly all: readonly Upload[];
}

export const uploads = createPersonalStore<Uploads>({ paused: false, all: [] });

const AT_ONCE = 3;
const WAIT_SECONDS = 5;
/** How often a file may lose its connection: what the server cuts off each time is no accident. */
const LOSSES = 5;
/** What of the list is not with the server yet. */
export const UNSENT: readonly Upload["state"][] = ["waiting", "held", "sending"];

const underway = new Map<string, AbortController>();
const losses = new Map<string, number>();

onForget(() => {
  for (const controller of underway.values()) controller.abort();
  losses.clear();
});

reachable.subscribe(work);

keepPageWhile(() => uploads.get().all.some(({ state }) => UNSENT.includes(state)));

function update(id: string, change: Partial<Upload>): void {
  uploads.change((before) => ({
    ...before,
    all: before.all.map((each) => (each.id === id ? { ...each, ...change } : each)),
  }));
}

interface Named {
  readonly file: File;
  readonly path: string;
}

export function add(files: readonly Named[], collection: string): void {
  const added = files.map(({ file, path }): Upload => ({
    id: newKey(),
    file,
    path,
    collection,
    state: "waiting",
    document: null,
    duplicate: false,
    reason: "",
    remedy: "",
  }));
  uploads.change((before) => ({ ...before, all: [...before.all, ...added] }));
  work();
}

export function setPaused(paused: boolean): void {
  uploads.change((before) => ({ ...before, paused }));
  work();
}

export function retry(id: string): void {
  losses.delete(id);
  update(id, { state: "waiting", reason: "", remedy: "" });
  work();
}

/** Holds a file back that waits, or lets it go on. */
export function hold(id: string, held: boolean): void {
  update(id, { state: held ? "held" : "waiting" });
  work();
}

/** Sends a file not at all; one that is on its way is broken off. What arrived, stays. */
export function cancel(id: string): void {
  underway.get(id)?.abort();
  update(id, { state: "cancelled" });
  work();
}

export function cancelRest(): void {
  const rest = uploads.get().all.filter(({ state }) => UNSENT.includes(state));
  uploads.change((before) => ({
    ...before,
    all: before.all.map((each) =>
      rest.some(({ id }) => id === each.id) ? { ...each, state: "cancelled" } : each,
    ),
  }));
  for (const { id } of rest) underway.get(id)?.abort();
}

/** Takes out of the list whatever is done, was refused or cancelled. */
export function clearDone(): void {
  uploads.change((before) => ({
    ...before,
    all: before.all.filter(({ state }) => UNSENT.includes(state)),
  }));
}

function work(): void {
  const { paused, all } = uploads.get();
  const busy = all.filter(({ state }) => state === "sending").length;
  // What is sent while nobody listens only fails.
  if (paused || !reachable.get()) return;
  for (const each of all.filter(({ state }) => state === "waiting").slice(0, AT_ONCE - busy)) {
    void send(each);
  }
}

async function send(upload: Upload): Promise<void> {
  const controller = new AbortController();
  underway.set(upload.id, controller);
  update(upload.id, { state: "sending" });
  const body = new FormData();
  body.append("file", upload.file);
  body.append("collection", upload.collection);
  try {
    const response = await raw("/v1/documents", {
      method: "POST",
      body,
      signal: controller.signal,
      // A file that is sent once more after a lost answer is not taken in twice.
      headers: { "Idempotency-Key": upload.id },
    });
    const received = (await response.json()) as Received;
    update(upload.id, {
      state: "sent",
      document: received,
      duplicate: received.duplicate,
    });
  } catch (error) {
    if (controller.signal.aborted) return;
    if (error instanceof Problem && error.status === 429) {
      // The server takes no more for now; the whole queue waits as long as it says.
      update(upload.id, { state: "waiting" });
      const seconds = error.retryAfterSeconds ?? WAIT_SECONDS;
      setTimeout(work, seconds * 1000);
      return;
    }
    if (isOffline(error) && (await isLostConnection(upload))) {
      if (uploads.get().all.some(({ id, state }) => id === upload.id && state === "sending")) {
        update(upload.id, { state: "waiting" });
      }
      work();
      return;
    }
    const remedy = error instanceof Problem ? (error.hint ?? "") : "";
    update(upload.id, {
      state: "refused",
      reason: error instanceof Error ? error.message : String(error),
      remedy,
    });
  } finally {
    underway.delete(upload.id);
  }
  work();
}

/** Whether a file that could not be sent may be sent once more when the server can be reached. */
async function isLostConnection({ id, file }: Upload): Promise<boolean> {
  // A file that was moved or changed since it was chosen fails in the same way.
  const readable = await file
    .slice(0, 1)
    .arrayBuffer()
    .then(() => true)
    .catch(() => false);
  const lost = (losses.get(id) ?? 0) + 1;
  losses.set(id, lost);
  return readable && lost < LOSSES;
}

/** The files of what was dropped, those in folders included. */
export async function filesOf(transfer: DataTransfer): Promise<Named[]> {
  // What is dropped can be read during the event alone; what a page made has no entry.
  const dropped = [...transfer.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const found: Named[] = [];
  const unread: string[] = [];
  for (const each of dropped) {
    if (each instanceof File) found.push({ file: each, path: each.name });
    else if (each !== null) await collect(each, found, unread);
  }
  const [first] = unread;
  if (first !== undefined) {
    showToast(i18next.t("upload.unread", { count: unread.length, path: first }));
  }
  return found;
}

/** Adds the files of an entry to `found`, and the paths of what cannot be read to `unread`. */
async function collect(entry: FileSystemEntry, found: Named[], unread: string[]): Promise<void> {
  const path = entry.fullPath.replace(/^\//, "");
  try {
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) =>
        (entry as FileSystemFileEntry).file(resolve, reject),
      );
      found.push({ file, path });
      return;
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    for (;;) {
      // A reader gives a folder in pieces, and an empty one at its end.
      const piece = await new Promise<FileSystemEntry[]>((resolve, reject) =>
        reader.readEntries(resolve, reject),
      );
      if (piece.length === 0) return;
      for (const each of piece) await collect(each, found, unread);
    }
  } catch {
    unread.push(path);
  }
}
