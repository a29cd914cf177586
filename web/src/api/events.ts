// Server-Sent Events over fetch, which can carry a credential where EventSource cannot.
import { EventSourceParserStream } from "eventsource-parser/stream";

export interface ServerEvent {
  readonly id: string;
  readonly name: string;
  readonly data: unknown;
}

/** The events of a response, as they come; each has JSON as its data. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  if (response.body === null) return;
  const events = response.body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  try {
    for (;;) {
      const { done, value } = await events.read();
      if (done) return;
      const data: unknown = value.data === "" ? null : JSON.parse(value.data);
      yield { id: value.id ?? "", name: value.event ?? "message", data };
    }
  } finally {
    await events.cancel().catch(() => undefined);
  }
}

const AGAIN_MILLISECONDS = 2000;
const LONGEST_MILLISECONDS = 30_000;

/** Milliseconds until a stream is asked for again after so many refusals in a row. */
export function untilAgain(refusals: number): number {
  return Math.min(AGAIN_MILLISECONDS * 2 ** refusals, LONGEST_MILLISECONDS);
}

/** Waits, or stops waiting when the signal says so. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
