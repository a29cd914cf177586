// Work that is asked for again and again: done soon after, never twice at once, and half of the
// time at most.

/**
 * How to ask for it: it begins `milliseconds` after it is first asked for, and what is asked for
 * meanwhile once more after it has ended, and as long again as it took.
 */
export function paced(act: () => Promise<unknown>, milliseconds: number): () => void {
  let state: "idle" | "waiting" | "busy" = "idle";
  let again = false;
  const run = async () => {
    state = "busy";
    again = false;
    const begun = performance.now();
    await act().catch(() => undefined);
    setTimeout(() => {
      state = "idle";
      if (again) ask();
    }, performance.now() - begun);
  };
  const ask = () => {
    if (state === "busy") again = true;
    if (state !== "idle") return;
    state = "waiting";
    setTimeout(() => void run(), milliseconds);
  };
  return ask;
}
