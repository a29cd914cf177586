import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { credentialHeaders, setApiKey } from "../api/credential";
import { doUnlessUndone } from "../ui/toasts";
import { signOut } from "./useSignOut";

/** What was done, in this order, and by which key. */
let done: string[] = [];

function note(what: string): void {
  done.push(`${what} ${credentialHeaders()["Authorization"] ?? "by nobody"}`);
}

function serve(answer: () => Response): void {
  vi.stubGlobal("fetch", (path: string) => {
    note(path);
    return Promise.resolve().then(answer);
  });
}

function waysToSignIn(content: string): void {
  vi.stubGlobal("document", { querySelector: () => ({ content }) });
}

beforeEach(() => {
  done = [];
  vi.stubGlobal("window", new EventTarget());
  waysToSignIn("login keys");
});

afterEach(() => {
  vi.unstubAllGlobals();
  setApiKey(null);
});

test("a session that the server did not end has not ended", async () => {
  serve(() => new Response(null, { status: 204 }));
  expect(await signOut()).toBe(true);
  serve(() => new Response("{}", { status: 502 }));
  expect(await signOut()).toBe(false);
  serve(() => {
    throw new TypeError("Failed to fetch");
  });
  expect(await signOut()).toBe(false);
});

test("a server that nobody logs in to has no session to end", async () => {
  waysToSignIn("keys");
  serve(() => new Response("{}", { status: 404 }));
  expect(await signOut()).toBe(true);
});

test("what was put off is done before the session ends, all of it by who wanted it", async () => {
  serve(() => new Response(null, { status: 204 }));
  setApiKey("fn_key");
  const act = async () => {
    for (const batch of ["first", "second"]) {
      note(batch);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  doUnlessUndone("They are deleted.", act, () => undefined);
  await signOut();
  note("afterwards");
  expect(done).toEqual([
    "first Bearer fn_key",
    "second Bearer fn_key",
    "/v1/logout Bearer fn_key",
    "afterwards by nobody",
  ]);
});
