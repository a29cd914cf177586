import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { setApiKey } from "../api/credential";

const sent = vi.hoisted(() => ({ attached: [] as string[], arrive: [] as (() => void)[] }));

vi.mock("../api/client", () => ({
  answered: (given: unknown) => given,
  api: {
    PUT: (_: string, { params: { path } }: { params: { path: Record<string, string> } }) => {
      sent.attached.push(`${path["document_id"]} to ${path["conversation_id"]}`);
      return Promise.resolve(path);
    },
  },
  newKey: () => "a key",
  raw: (_: string, { body }: { body: FormData }) =>
    new Promise((resolve) => {
      const document_id = (body.get("file") as File).name;
      sent.arrive.push(() => resolve(Response.json({ document_id })));
    }),
}));

const { attachFiles, draft, draftBecomes, takeDraft } = await import("./attaching");

const files = ["one", "two", "three"].map((name) => new File([], name));

/** The file that is on its way arrives, and the next is sent. */
async function arrives(): Promise<void> {
  await vi.waitFor(() => expect(sent.arrive).toHaveLength(1));
  sent.arrive.shift()?.();
  await new Promise((resolve) => setTimeout(resolve, 5));
}

beforeEach(() => {
  sent.attached = [];
  sent.arrive = [];
});

afterEach(() => setApiKey(null));

test("files on their way go to the conversation that the draft became meanwhile", async () => {
  const given = attachFiles(undefined, files, "default");
  await arrives();
  expect(takeDraft()).toEqual(["one"]);
  // The conversation has been asked for, and its answer is not there yet.
  await arrives();
  expect(draft.get()).toEqual(["one", "two"]);
  await draftBecomes("c1");
  await arrives();
  await given;
  expect(sent.attached).toEqual(["two to c1", "three to c1"]);
  expect(draft.get()).toEqual([]);
  // The next one begins with a draft of its own.
  const next = attachFiles(undefined, [new File([], "four")], "default");
  await arrives();
  await next;
  expect(draft.get()).toEqual(["four"]);
});

test("files on their way are attached to nothing of the next person", async () => {
  const given = attachFiles(undefined, files, "default");
  await vi.waitFor(() => expect(sent.arrive).toHaveLength(1));
  setApiKey("fn_another");
  await arrives();
  await given;
  expect(draft.get()).toEqual([]);
  expect(sent.arrive).toEqual([]);
});
