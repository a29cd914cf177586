import { beforeEach, expect, test, vi } from "vitest";

const question = {
  question: "How far?",
  documents: [],
  place: { kind: "next" },
  key: "k",
  after: 0,
  options: { plan: null, model: null, agent: false },
  attached: [],
} as const;

/** The module, and what forgets a person, as a page that is loaded anew has them. */
async function load() {
  vi.resetModules();
  return { ...(await import("./pending")), ...(await import("../ui/store")) };
}

beforeEach(() => {
  const kept = new Map<string, string>();
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  });
});

test("a question under way is taken once by the page that is loaded anew", async () => {
  const before = await load();
  before.keepPending("c", question);
  before.noteAnswer("c", "k", { run: "r", reply: "m" });
  expect(before.takeLeft("c")).toBeNull();
  const after = await load();
  expect(after.takeLeft("c")).toMatchObject({ ...question, answer: { run: "r", reply: "m" } });
  expect(after.takeLeft("c")).toBeNull();
});

test("what is answered is left no longer, and a newer question is not dropped for it", async () => {
  const before = await load();
  before.keepPending("c", question);
  before.dropPending("c", "other");
  expect((await load()).hasLeft("c")).toBe(true);
  before.dropPending("c", "k");
  expect((await load()).hasLeft("c")).toBe(false);
});

test("a question under way is forgotten with the person who asked it", async () => {
  const before = await load();
  before.keepPending("c", question);
  const after = await load();
  after.forgetPerson();
  expect(after.hasLeft("c")).toBe(false);
  expect((await load()).hasLeft("c")).toBe(false);
});
