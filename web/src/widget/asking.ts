// A question to a server from a page of another site, and its answer as it is made.
import { eventsOf, pause } from "../api/events";
import { Problem, type ProblemDetail, isOffline, problemOf } from "../api/problem";
import type { Answer, Citation } from "../api/types";

/** Where questions go, as whom, and over what. */
export interface Site {
  /** Origin and path of the server, without a slash at the end. */
  readonly server: string;
  /** A key of the server. Whoever sees the page sees it: it should read, and no more than it must. */
  readonly key: string;
  /** Collections that are asked; none for all that the key may see. */
  readonly collections: readonly string[];
}

export interface Turn {
  readonly role: "user" | "assistant";
  readonly text: string;
}

export type Step =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "citation"; readonly citation: Citation }
  | { readonly kind: "done"; readonly answer: Answer };

const CUTS = 5;
const PAUSE_MILLISECONDS = 1000;
/** Turns that are sent along: the server takes a hundred, and a question rarely needs many. */
const MAX_TURNS = 20;

/** Sends a request with the site's key. Throws a Problem for a refusal. */
export async function sent(site: Site, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("Authorization", `Bearer ${site.key}`);
  const response = await fetch(site.server + path, {
    ...init,
    headers,
    credentials: "omit",
    referrerPolicy: "no-referrer",
  });
  if (response.ok) return response;
  throw problemOf(await response.json().catch(() => null), response);
}

/** Asks, and goes on after a cut. Throws a Problem, or a TypeError for a server out of reach. */
export async function* answerOf(
  site: Site,
  question: string,
  turns: readonly Turn[],
  signal: AbortSignal,
): AsyncGenerator<Step> {
  const collections = site.collections;
  let response = await sent(site, "/v1/answers", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      question,
      stream: true,
      conversation: turns.slice(-MAX_TURNS),
      ...(collections.length > 0 && { filters: { collections } }),
    }),
    signal,
  });
  let lastId = "";
  for (let cuts = 0; ; cuts += 1) {
    try {
      for await (const event of eventsOf(response)) {
        lastId = event.id || lastId;
        if (event.name === "error") throw new Problem(event.data as ProblemDetail);
        if (event.name === "token") yield { kind: "text", ...(event.data as { text: string }) };
        if (event.name === "citation") yield { kind: "citation", citation: event.data as Citation };
        if (event.name === "done") {
          yield { kind: "done", answer: event.data as Answer };
          return;
        }
      }
    } catch (error) {
      if (signal.aborted || !isOffline(error)) throw error;
    }
    const run = lastId.split(":")[0];
    if (!run || cuts === CUTS) throw new TypeError("The connection was cut.");
    await pause(PAUSE_MILLISECONDS * (cuts + 1), signal);
    signal.throwIfAborted();
    response = await sent(site, `/v1/answers/${run}/events`, {
      headers: { "Last-Event-ID": lastId },
      signal,
    }).catch((error: unknown) => {
      if (isOffline(error)) return new Response("");
      throw error;
    });
  }
}

/** The page that a citation stands on as a picture, its words marked; null where none is drawn. */
export async function pageOf(site: Site, citation: Citation): Promise<Blob | null> {
  if (citation.page == null) return null;
  const { document_id: id, page, char_start: start, char_end: end } = citation;
  const path = `/v1/documents/${id}/pages/${page}.png?dpi=110&start=${start}&end=${end}`;
  return (await sent(site, path)).blob();
}
