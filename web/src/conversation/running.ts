// Answers that are being made. They go on while another view is shown, and after a cut.
import type { QueryClient } from "@tanstack/react-query";

import { newKey, raw } from "../api/client";
import { type ServerEvent, eventsOf, pause } from "../api/events";
import { Problem, type ProblemDetail, isOffline } from "../api/problem";
import { fetchNewMessages, messagesQuery } from "../api/queries";
import { reachable } from "../api/reach";
import type { Answer, Citation, Evidence, Message } from "../api/types";
import { createPersonalStore, onForget } from "../ui/store";
import { UNSET, chosenFor, options } from "./options";
import { type Pending, dropPending, keepPending, noteAnswer } from "./pending";
import { type Step, type ToolEvent, withTool } from "./steps";

/** Where a question goes: after the last message, in place of one, or to the same one once more. */
export type QuestionPlace =
  { readonly kind: "next" } | { readonly kind: "instead" | "again"; readonly message: string };

export interface Running {
  readonly question: string;
  /** Documents that alone are asked; none for all. */
  readonly documents: readonly string[];
  readonly place: QuestionPlace;
  /** The same each time that it is sent, so that it is kept once at most. */
  readonly key: string;
  /** The number of the last message before it. */
  readonly after: number;
  /** The message that the answer will be once it is kept. */
  readonly reply: string | null;
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly evidence: readonly Evidence[];
  readonly steps: readonly Step[];
  readonly state: "searching" | "writing" | "stopped" | "failed";
  readonly error: unknown;
}

/** By conversation. */
export const running = createPersonalStore<Readonly<Record<string, Running>>>({});

/** A question that could not be sent, which is sent once the server can be reached. */
export type Waiting = Pick<Running, "question" | "documents" | "key">;

/** By conversation, or NEW for one that is not there yet. */
export const waiting = createPersonalStore<Readonly<Record<string, Waiting>>>({});

/** The first question of a conversation that the server refused to begin, and why. */
export const refused = createPersonalStore<{
  readonly asked: Waiting;
  readonly error: unknown;
} | null>(null);

/** Answers of this visit by their message; what is kept of an answer has no texts of passages. */
export const finished = createPersonalStore<Readonly<Record<string, Answer>>>({});

/** What a model looked up for answers of this visit, by their message. */
export const stepsTaken = createPersonalStore<Readonly<Record<string, readonly Step[]>>>({});

const NEXT: QuestionPlace = { kind: "next" };
const stops = new Map<string, AbortController>();

onForget(() => {
  for (const controller of stops.values()) controller.abort();
});

const CUTS = 5;
const PAUSE_MILLISECONDS = 1000;

function update(conversation: string, change: Partial<Running>): void {
  running.change((all) => {
    const before = all[conversation];
    return before === undefined ? all : { ...all, [conversation]: { ...before, ...change } };
  });
}

export function forget(conversation: string): void {
  running.change((all) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => name !== conversation)),
  );
}

/** When it is looked up what became of an answer that was stopped, in milliseconds after another. */
const LOOKS = [0, 1500, 5000];

/** Stops the answer of a conversation. The server, which waits a while for readers who come back,
 * may finish and keep it all the same: then it is shown. */
export async function stop(queries: QueryClient, conversation: string): Promise<void> {
  stops.get(conversation)?.abort();
  dropPending(conversation);
  update(conversation, { state: "stopped" });
  const stopped = running.get()[conversation];
  for (const milliseconds of LOOKS) {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    if (stopped === undefined || running.get()[conversation] !== stopped) return;
    // What cannot be looked up now is looked up before the question is sent again.
    if (await settle(queries, conversation).catch(() => false)) return;
  }
}

/** Sends a question again, unless it turns out that the server has kept its answer. */
export async function retry(queries: QueryClient, conversation: string): Promise<void> {
  const made = running.get()[conversation];
  if (made === undefined || (await settle(queries, conversation).catch(() => false))) return;
  await ask(queries, { conversation, ...made });
}

/** Whether the server has kept an exchange, which is shown then. */
async function settle(queries: QueryClient, conversation: string): Promise<boolean> {
  const made = running.get()[conversation];
  if (made === undefined) return true;
  await showKept(queries, conversation, made.place);
  const messages = queries.getQueryData<Message[]>(messagesQuery(conversation).queryKey);
  if (!isKept(messages ?? [], made)) return false;
  forget(conversation);
  await queries.invalidateQueries({ queryKey: ["conversations"] });
  return true;
}

/** Shows an exchange that the server finished while it could not be reached. */
function settleOnceReached(queries: QueryClient, conversation: string): void {
  const failed = running.get()[conversation];
  const unsubscribe = reachable.subscribe(() => {
    if (!reachable.get()) return;
    unsubscribe();
    if (failed === undefined || running.get()[conversation] !== failed) return;
    settle(queries, conversation).catch((error: unknown) => {
      if (isOffline(error)) settleOnceReached(queries, conversation);
    });
  });
}

/** Whether a question and its answer are among the messages. */
export function isKept(
  messages: readonly Pick<Message, "message_id" | "message_no" | "role" | "text">[],
  made: Pick<Running, "reply" | "place" | "after" | "question">,
): boolean {
  return messages.some(
    (each) =>
      each.message_id === made.reply ||
      // What was cut off before it began is known by its words alone.
      (made.place.kind === "next" &&
        each.role === "user" &&
        each.message_no > made.after &&
        each.text === made.question),
  );
}

async function showKept(
  queries: QueryClient,
  conversation: string,
  place: QuestionPlace,
): Promise<void> {
  if (place.kind === "next") {
    await fetchNewMessages(queries, conversation);
    return;
  }
  // Which branch goes on has changed.
  const { queryKey } = messagesQuery(conversation);
  await queries.cancelQueries({ queryKey });
  await queries.invalidateQueries({ queryKey });
}

export function keepWaiting(conversation: string, question: Waiting | null): void {
  waiting.change((all) => {
    const others = Object.entries(all).filter(([name]) => name !== conversation);
    return Object.fromEntries(question === null ? others : [...others, [conversation, question]]);
  });
}

interface Asked {
  readonly conversation: string;
  readonly question: string;
  readonly documents?: readonly string[];
  readonly place?: QuestionPlace;
  readonly key?: string;
  /** Where its answer is told already, if it is. */
  readonly answer?: Pending["answer"];
}

/** Asks in a conversation and follows the answer to its end, whatever becomes of it. */
export async function ask(queries: QueryClient, asked: Asked): Promise<void> {
  const { conversation, question, documents = [], place = NEXT, key = newKey() } = asked;
  const known = queries.getQueryData<Message[]>(messagesQuery(conversation).queryKey);
  const after = known?.at(-1)?.message_no ?? 0;
  keepPending(conversation, {
    question,
    documents,
    place,
    key,
    after,
    options: options.get()[conversation] ?? UNSET,
    attached: [],
  });
  stops.get(conversation)?.abort();
  const controller = new AbortController();
  stops.set(conversation, controller);
  const begun: Running = {
    question,
    documents,
    place,
    key,
    after,
    reply: null,
    text: "",
    citations: [],
    evidence: [],
    steps: [],
    state: "searching",
    error: null,
  };
  running.change((all) => ({ ...all, [conversation]: begun }));
  try {
    await follow({ ...asked, key }, controller.signal);
    await showKept(queries, conversation, place);
    dropPending(conversation, key);
    forget(conversation);
    await queries.invalidateQueries({ queryKey: ["conversations"] });
  } catch (error) {
    if (controller.signal.aborted) return;
    const { reply = null } = running.get()[conversation] ?? {};
    const isFree = waiting.get()[conversation] === undefined;
    if (isOffline(error) && place.kind === "next" && reply === null && isFree) {
      forget(conversation);
      keepWaiting(conversation, { question, documents, key });
    } else {
      // It can be tried again, or dismissed.
      dropPending(conversation, key);
      update(conversation, { state: "failed", error });
      if (isOffline(error)) settleOnceReached(queries, conversation);
    }
  } finally {
    if (stops.get(conversation) === controller) stops.delete(conversation);
  }
}

const VERBS = {
  next: ["POST", ""],
  instead: ["PATCH", ""],
  again: ["POST", "/regenerate"],
} as const;

function begin(asked: Asked & { readonly key: string }, signal: AbortSignal) {
  const { conversation, question, documents = [], place = NEXT, key } = asked;
  const [method, verb] = VERBS[place.kind];
  const message = place.kind === "next" ? "" : `/${place.message}${verb}`;
  const filters = documents.length > 0 ? { filters: { document_ids: documents } } : {};
  return raw(`/v1/conversations/${conversation}/messages${message}`, {
    method,
    headers: {
      "Content-Type": "application/json",
      "Idempotency-Key": key,
    },
    body: JSON.stringify({
      stream: true,
      ...filters,
      ...chosenFor(conversation),
      ...(place.kind === "again" ? {} : { question }),
    }),
    signal,
  });
}

/** The events of an answer after one of them; null where the server has them no longer. */
async function toldAlready(
  { run }: NonNullable<Pending["answer"]>,
  signal: AbortSignal,
): Promise<Response | null> {
  const headers = { "Last-Event-ID": `${run}:0` };
  return raw(`/v1/answers/${run}/events`, { headers, signal }).catch((error: unknown) => {
    if (error instanceof Problem && error.status < 500) return null;
    throw error;
  });
}

async function follow(asked: Asked & { readonly key: string }, signal: AbortSignal): Promise<void> {
  const { conversation, key, answer = null } = asked;
  const told = answer === null ? null : await toldAlready(answer, signal);
  let response = told ?? (await begin(asked, signal));
  // An exchange that is kept already comes in one piece.
  if (response.headers.get("Content-Type")?.startsWith("application/json")) return;
  const reply = told === null ? response.headers.get("Footnote-Reply-Id") : (answer?.reply ?? null);
  update(conversation, { reply });
  let lastId = "";
  for (let cuts = 0; ; cuts += 1) {
    try {
      let done = false;
      for await (const event of eventsOf(response)) {
        const [run] = event.id.split(":");
        if (run && lastId === "") noteAnswer(conversation, key, { run, reply });
        lastId = event.id || lastId;
        done = take(conversation, event, reply) || done;
      }
      if (done) return;
    } catch (error) {
      if (signal.aborted || error instanceof Problem || !isOffline(error)) throw error;
    }
    const run = lastId.split(":")[0];
    if (!run || cuts === CUTS) throw new TypeError("The connection was cut.");
    await pause(PAUSE_MILLISECONDS * (cuts + 1), signal);
    signal.throwIfAborted();
    const resumed = await raw(`/v1/answers/${run}/events`, {
      headers: { "Last-Event-ID": lastId },
      signal,
    }).catch((error: unknown) => {
      if (isOffline(error)) return null;
      throw error;
    });
    response = resumed ?? new Response("");
  }
}

/** Takes what one event tells; whether it is the last. Throws the Problem that there is. */
function take(conversation: string, event: ServerEvent, reply: string | null): boolean {
  const before = running.get()[conversation];
  if (before === undefined) return true;
  switch (event.name) {
    case "sources":
      update(conversation, { evidence: (event.data as { evidence: Evidence[] }).evidence });
      return false;
    case "token":
      update(conversation, {
        text: before.text + (event.data as { text: string }).text,
        state: "writing",
      });
      return false;
    case "citation":
      update(conversation, { citations: [...before.citations, event.data as Citation] });
      return false;
    case "tool":
      update(conversation, { steps: withTool(before.steps, event.data as ToolEvent) });
      return false;
    case "done":
      if (reply !== null) {
        finished.change((all) => ({ ...all, [reply]: event.data as Answer }));
        stepsTaken.change((all) => ({ ...all, [reply]: before.steps }));
      }
      return true;
    case "error":
      throw new Problem(event.data as ProblemDetail);
    default:
      return false;
  }
}
