import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { ServerEvent } from "./events";
import { problemOf } from "./problem";
import { type Reading, readShared } from "./shared";

/** A server whose streams are written by hand. */
class Streams {
  readonly asked: string[] = [];
  readonly open: ReadableStreamDefaultController<Uint8Array>[] = [];
  reachable = true;
  /** The status of the refusals that come instead of an answer. */
  refusing: number | null = null;

  answer(lastId: string, signal: AbortSignal): Promise<Response> {
    this.asked.push(lastId);
    if (!this.reachable) return Promise.reject(new TypeError("Failed to fetch"));
    if (this.refusing !== null) {
      return Promise.reject(problemOf(null, new Response(null, { status: this.refusing })));
    }
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        this.open.push(stream);
        signal.addEventListener("abort", () => {
          this.open.splice(this.open.indexOf(stream), 1);
          stream.error(new DOMException("aborted", "AbortError"));
        });
      },
    });
    return Promise.resolve(new Response(body));
  }

  tell(id: string): void {
    const bytes = new TextEncoder().encode(`id: ${id}\nevent: document.indexed\ndata: {}\n\n`);
    for (const stream of this.open) stream.enqueue(bytes);
  }
}

/** Locks as a browser has them, for all tabs of it. */
class Locks {
  private held = false;
  private readonly waiting: (() => void)[] = [];

  async request(
    _: string,
    { ifAvailable, signal }: LockOptions,
    act: (lock: object | null) => Promise<unknown>,
  ): Promise<unknown> {
    if (this.held && ifAvailable) return act(null);
    if (this.held) {
      await new Promise<void>((resolve, reject) => {
        this.waiting.push(resolve);
        signal?.addEventListener("abort", () => {
          this.waiting.splice(this.waiting.indexOf(resolve), 1);
          reject(new DOMException("aborted", "AbortError"));
        });
      });
    }
    this.held = true;
    try {
      return await act({});
    } finally {
      this.held = false;
      this.waiting.shift()?.();
    }
  }
}

interface Tab {
  readonly taken: string[];
  readonly missed: () => number;
  readonly close: () => void;
}

let streams: Streams;
const tabs: Tab[] = [];

function openTab(): Tab {
  const controller = new AbortController();
  const taken: string[] = [];
  let missed = 0;
  const reading: Reading = {
    open: (lastId, signal) => streams.answer(lastId, signal),
    take: (event: ServerEvent) => taken.push(event.id),
    missed: () => (missed += 1),
  };
  void readShared("events", reading, false, controller.signal);
  const tab = { taken, missed: () => missed, close: () => controller.abort() };
  tabs.push(tab);
  return tab;
}

beforeEach(() => {
  streams = new Streams();
  vi.stubGlobal("navigator", { locks: new Locks() });
});

afterEach(() => {
  for (const tab of tabs.splice(0)) tab.close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test("eight tabs share one stream, and all of them are told", async () => {
  const all = Array.from({ length: 8 }, openTab);
  await vi.waitFor(() => expect(streams.open).toHaveLength(1));
  streams.tell("1-1");
  await vi.waitFor(() => expect(all.map(({ taken }) => taken)).toEqual(all.map(() => ["1-1"])));
  expect(streams.asked).toEqual([""]);
});

test("when the tab that reads closes, another goes on after the last event", async () => {
  const [first, second, third] = [openTab(), openTab(), openTab()];
  await vi.waitFor(() => expect(streams.open).toHaveLength(1));
  streams.tell("1-1");
  await vi.waitFor(() => expect(third.taken).toEqual(["1-1"]));
  first.close();
  await vi.waitFor(() => expect(streams.open).toHaveLength(1));
  streams.tell("2-1");
  await vi.waitFor(() => expect(third.taken).toEqual(["1-1", "2-1"]));
  expect(second.taken).toEqual(["1-1", "2-1"]);
  expect(streams.asked).toEqual(["", "1-1"]);
  expect([second.missed(), third.missed()]).toEqual([0, 0]);
});

test("where no event was told before, all look for what they missed", async () => {
  const [first, second, third] = [openTab(), openTab(), openTab()];
  await vi.waitFor(() => expect(streams.open).toHaveLength(1));
  first.close();
  await vi.waitFor(() => expect([second.missed(), third.missed()]).toEqual([1, 1]));
  expect(streams.asked).toEqual(["", ""]);
});

test("without locks, a tab that nobody sees gives its stream back until it is seen", async () => {
  const page = Object.assign(new EventTarget(), { hidden: false });
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("document", page);
  const show = (shown: boolean) => {
    page.hidden = !shown;
    page.dispatchEvent(new Event("visibilitychange"));
  };
  const tab = openTab();
  await vi.waitFor(() => expect(streams.open).toHaveLength(1));
  streams.tell("1-1");
  await vi.waitFor(() => expect(tab.taken).toEqual(["1-1"]));
  show(false);
  await vi.waitFor(() => expect(streams.open).toHaveLength(0));
  show(true);
  await vi.waitFor(() => expect(streams.asked).toEqual(["", "1-1"]));
});

test("a server that could not be reached at first is asked what was missed", async () => {
  vi.useFakeTimers();
  streams.reachable = false;
  const tab = openTab();
  await vi.advanceTimersByTimeAsync(1000);
  expect([streams.asked.length, tab.missed()]).toEqual([1, 0]);
  streams.reachable = true;
  await vi.advanceTimersByTimeAsync(2000);
  expect([streams.asked.length, tab.missed()]).toEqual([2, 1]);
  streams.tell("1-1");
  await vi.advanceTimersByTimeAsync(0);
  expect(tab.taken).toEqual(["1-1"]);
});

test("a proxy that cannot reach the server is asked again, less and less often", async () => {
  vi.useFakeTimers();
  streams.refusing = 502;
  const tab = openTab();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(streams.asked.length).toBeGreaterThan(4);
  expect(streams.asked.length).toBeLessThan(10);
  streams.refusing = null;
  await vi.advanceTimersByTimeAsync(30_000);
  streams.tell("1-1");
  await vi.advanceTimersByTimeAsync(0);
  expect([tab.taken, tab.missed()]).toEqual([["1-1"], 1]);
});

test("what is refused for good is asked once", async () => {
  vi.useFakeTimers();
  streams.refusing = 403;
  openTab();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(streams.asked).toEqual([""]);
});
