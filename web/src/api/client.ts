// The client of the HTTP API: typed by its description, with every failure as a Problem.
import createClient from "openapi-fetch";

import { credentialHeaders } from "./credential";
import { problemOf } from "./problem";
import type { paths } from "./schema";

const client = createClient<paths>({ baseUrl: "" });

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
});

interface Outcome<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** What a request was answered with. Throws a Problem for a refusal. */
export async function answered<Data>(request: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await request;
  if (!response.ok) throw refusal(error, response);
  return data as Data;
}

function refusal(body: unknown, response: Response): Error {
  if (response.status === 401) for (const listener of signedOutListeners) listener();
  return problemOf(body, response);
}

/** A request whose answer is no JSON: a picture, a file or a stream. Throws a Problem. */
export async function raw(path: string, init: RequestInit = {}): Promise<Response> {
  const given = new Headers(init.headers);
  for (const [name, value] of Object.entries(credentialHeaders())) given.set(name, value);
  const response = await fetch(path, { ...init, headers: given });
  if (response.ok) return response;
  const body: unknown = await response.json().catch(() => null);
  throw refusal(body, response);
}

export const api = client;
