// One stream of events for all tabs of a browser, which have six connections to a server together:
// one tab reads it and tells the others; when it closes, another goes on where it was.
import { type ServerEvent, eventsOf, pause, untilAgain } from "./events";
import { Problem, isFinal } from "./problem";

export interface Reading {
  /** The events after one of them, or those that happen from now on. */
  readonly open: (lastId: string, signal: AbortSignal) => Promise<Response>;
  readonly take: (event: ServerEvent) => void;
  /** Is told that something may have happened of which there is no event. */
  readonly missed: () => void;
}

/**
 * Reads until the signal says so; tabs that share a name share a stream. `late` says that the
 * server could not be reached before.
 */
export async function readShared(
  name: string,
  reading: Reading,
  late: boolean,
  signal: AbortSignal,
): Promise<void> {
  const locks = (navigator as Partial<Navigator>).locks;
  if (locks === undefined || typeof BroadcastChannel === "undefined") {
    await readWhileShown(document, reading, late, signal);
    return;
  }
  let lastId = "";
  const take = (event: ServerEvent) => {
    lastId = event.id || lastId;
    reading.take(event);
  };
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }: MessageEvent<ServerEvent | null>) => {
    if (data === null) reading.missed();
    else take(data);
  };
  const aloud: Reading = {
    open: reading.open,
    take: (event) => {
      take(event);
      channel.postMessage(event);
    },
    missed: () => {
      reading.missed();
      channel.postMessage(null);
    },
  };
  try {
    const free = await locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock !== null) await read(aloud, { lastId, late }, signal);
      return lock !== null;
    });
    if (free) return;
    // The lock is had once the tab that has it closes: what happened meanwhile was not told.
    await locks.request(name, { signal }, () => read(aloud, { lastId, late: true }, signal));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    channel.close();
  }
}

interface Place {
  /** The last event that was told; empty where none was. */
  readonly lastId: string;
  /** Whether something may have happened since what is shown was fetched. */
  readonly late: boolean;
}

/** Reads, over one connection after another; where it is when the signal or a refusal ends it. */
async function read(reading: Reading, from: Place, signal: AbortSignal): Promise<Place> {
  let { lastId, late } = from;
  let refusals = 0;
  while (!signal.aborted) {
    try {
      const response = await reading.open(lastId, signal);
      if (late && lastId === "") reading.missed();
      late = true;
      refusals = 0;
      for await (const event of eventsOf(response)) {
        lastId = event.id || lastId;
        reading.take(event);
      }
    } catch (error) {
      if (isFinal(error)) break;
      late = true;
      refusals = error instanceof Problem ? refusals + 1 : 0;
    }
    await pause(untilAgain(refusals), signal);
  }
  return { lastId, late };
}

/** Reads over a stream of its own, which a tab that nobody sees gives back. */
async function readWhileShown(
  page: Document,
  reading: Reading,
  late: boolean,
  signal: AbortSignal,
): Promise<void> {
  let place: Place = { lastId: "", late };
  while (!signal.aborted) {
    await untilShown(page, signal);
    const hidden = new AbortController();
    const look = () => {
      if (page.hidden) hidden.abort();
    };
    page.addEventListener("visibilitychange", look);
    place = await read(reading, place, AbortSignal.any([signal, hidden.signal]));
    page.removeEventListener("visibilitychange", look);
    // What the server refuses a tab it refuses it when it is shown again.
    if (!hidden.signal.aborted) return;
  }
}

function untilShown(page: Document, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (page.hidden && !signal.aborted) return;
      page.removeEventListener("visibilitychange", look);
      signal.removeEventListener("abort", look);
      resolve();
    };
    page.addEventListener("visibilitychange", look);
    signal.addEventListener("abort", look);
    look();
  });
}
