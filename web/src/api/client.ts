// The client of the HTTP API: typed by its description, with every failure as a Problem.
import createClient from "openapi-fetch";

import { credentialEpoch, credentialHeaders, notePosition, setApiKey } from "./credential";
import { reaching } from "./reach";
import { problemOf } from "./problem";
import type { paths } from "./schema";

const client = createClient<paths>({
  baseUrl: "",
  fetch: (request) => reaching(() => fetch(request)),
});

const signedOutListeners = new Set<() => void>();

/** Calls back when the server says that nobody is signed in; returns how to stop that. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

client.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(credentialHeaders())) {
      request.headers.set(name, value);
    }
    return request;
  },
  onResponse({ response }) {
    notePosition(response);
  },
});

interface Outcome<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** What a request was answered with. Throws a Problem for a refusal. */
export async function answered<Data>(request: Promise<Outcome<Data>>): Promise<Data> {
  const asked = credentialEpoch();
  const { data, error, response } = await request;
  if (!response.ok) throw refusal(error, response, asked);
  return data as Data;
}

function refusal(body: unknown, response: Response, asked: number): Error {
  if (response.status === 401 && asked === credentialEpoch()) {
    for (const listener of signedOutListeners) listener();
    // Whoever made the request learns of the refusal before all that is known is forgotten.
    setTimeout(() => asked === credentialEpoch() && setApiKey(null));
  }
  return problemOf(body, response);
}

/** A request whose answer is no JSON: a picture, a file or a stream. Throws a Problem. */
export async function raw(path: string, init: RequestInit = {}): Promise<Response> {
  const asked = credentialEpoch();
  const given = new Headers(init.headers);
  for (const [name, value] of Object.entries(credentialHeaders())) given.set(name, value);
  const response = await reaching(() => fetch(path, { ...init, headers: given }));
  notePosition(response);
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  throw refusal(body, response, asked);
}

/** A name for one request, under which it may be sent again. */
export function newKey(): string {
  // Over plain HTTP a browser has no `randomUUID`.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("");
}

export const api = client;
