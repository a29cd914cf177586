// Answers that are being made. They go on while another view is shown, and after a cut.
import type { QueryClient } from "@tanstack/react-query";

import { raw } from "../api/client";
import { type ServerEvent, eventsOf, pause } from "../api/events";
import { Problem, type ProblemDetail, isOffline } from "../api/problem";
import { fetchNewMessages, messagesQuery } from "../api/queries";
import type { Answer, Citation, Evidence } from "../api/types";
import { createStore } from "../ui/store";
import { chosenFor } from "./options";
import { type Step, type ToolEvent, withTool } from "./steps";

/** Where a question goes: after the last message, in place of one, or to the same one once more. */
export type QuestionPlace =
  { readonly kind: "next" } | { readonly kind: "instead" | "again"; readonly message: string };

export interface Running {
  readonly question: string;
  /** Documents that alone are asked; none for all. */
  readonly documents: readonly string[];
  readonly place: QuestionPlace;
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
export const running = createStore<Readonly<Record<string, Running>>>({});

/** Answers of this visit by their message; what is kept of an answer has no texts of passages. */
export const finished = createStore<Readonly<Record<string, Answer>>>({});

/** What a model looked up for answers of this visit, by their message. */
export const stepsTaken = createStore<Readonly<Record<string, readonly Step[]>>>({});

const NEXT: QuestionPlace = { kind: "next" };
const stops = new Map<string, AbortController>();
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

/** Stops the answer of a conversation; the server stops its model, and nothing is kept. */
export function stop(conversation: string): void {
  stops.get(conversation)?.abort();
  update(conversation, { state: "stopped" });
}

interface Asked {
  readonly conversation: string;
  readonly question: string;
  readonly documents?: readonly string[];
  readonly place?: QuestionPlace;
}

/** Asks in a conversation and follows the answer to its end, whatever becomes of it. */
export async function ask(queries: QueryClient, asked: Asked): Promise<void> {
  const { conversation, question, documents = [], place = NEXT } = asked;
  stops.get(conversation)?.abort();
  const controller = new AbortController();
  stops.set(conversation, controller);
  const begun: Running = {
    question,
    documents,
    place,
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
    await follow(asked, controller.signal);
    if (place.kind === "next") {
      await fetchNewMessages(queries, conversation);
    } else {
      // Which branch goes on has changed.
      const { queryKey } = messagesQuery(conversation);
      await queries.cancelQueries({ queryKey });
      await queries.invalidateQueries({ queryKey });
    }
    forget(conversation);
    await queries.invalidateQueries({ queryKey: ["conversations"] });
  } catch (error) {
    if (!controller.signal.aborted) update(conversation, { state: "failed", error });
  } finally {
    if (stops.get(conversation) === controller) stops.delete(conversation);
  }
}

const VERBS = {
  next: ["POST", ""],
  instead: ["PATCH", ""],
  again: ["POST", "/regenerate"],
} as const;

function begin(asked: Asked, signal: AbortSignal) {
  const { conversation, question, documents = [], place = NEXT } = asked;
  const [method, verb] = VERBS[place.kind];
  const message = place.kind === "next" ? "" : `/${place.message}${verb}`;
  const filters = documents.length > 0 ? { filters: { document_ids: documents } } : {};
  return raw(`/v1/conversations/${conversation}/messages${message}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      stream: true,
      ...filters,
      ...chosenFor(conversation),
      ...(place.kind === "again" ? {} : { question }),
    }),
    signal,
  });
}

async function follow(asked: Asked, signal: AbortSignal): Promise<void> {
  let response = await begin(asked, signal);
  const reply = response.headers.get("Footnote-Reply-Id");
  update(asked.conversation, { reply });
  let lastId = "";
  for (let cuts = 0; ; cuts += 1) {
    try {
      let done = false;
      for await (const event of eventsOf(response)) {
        lastId = event.id || lastId;
        done = take(asked.conversation, event, reply) || done;
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
