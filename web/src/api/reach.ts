// Whether the server can be reached: learnt from every request, and asked for while it cannot.
import { createStore } from "../ui/store";

const AGAIN_MILLISECONDS = 2000;

/** False from the first request that gets no answer until the server says that it is ready. */
export const reachable = createStore(true);

let timer: ReturnType<typeof setTimeout> | undefined;

/** Makes a request, and notes whether it was answered at all. */
export async function reaching(request: () => Promise<Response>): Promise<Response> {
  try {
    const response = await request();
    // A server that is only starting answers so, and takes no question yet.
    if (response.status !== 503) found();
    return response;
  } catch (error) {
    // Any other error is of a request that was broken off here.
    if (error instanceof TypeError) lost();
    throw error;
  }
}

function found(): void {
  clearTimeout(timer);
  timer = undefined;
  reachable.set(true);
}

function lost(): void {
  reachable.set(false);
  timer ??= setTimeout(look, AGAIN_MILLISECONDS);
}

/** Asks the server whether it is ready. */
export async function isReached(): Promise<boolean> {
  try {
    // Without a network there is nothing to ask yet.
    const isReady = navigator.onLine && (await fetch("/health", { cache: "no-store" })).ok;
    if (isReady) found();
    else lost();
    return isReady;
  } catch {
    lost();
    return false;
  }
}

function look(): void {
  timer = undefined;
  void isReached();
}
