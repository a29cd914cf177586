import { useNavigate } from "@tanstack/react-router";

import { raw } from "../api/client";
import { setApiKey, waysToSignIn } from "../api/credential";
import { finishPutOff } from "../ui/toasts";

/** What the page to sign in is told where the session may not have ended. */
export const STILL_SIGNED_IN = "still-signed-in";
/** Who leaves waits no longer for a server that does not answer. */
const MAX_MILLISECONDS = 10_000;

/** Forgets who asks: the key in memory, and the browser's session on the server, whose end alone
 * ends it. Whether it has ended. */
export async function signOut(): Promise<boolean> {
  const late = AbortSignal.timeout(MAX_MILLISECONDS);
  const given = new Promise((resolve) => late.addEventListener("abort", resolve));
  // What was put off is done by who wanted it, so before the session ends and the key is gone.
  await Promise.race([finishPutOff(), given]);
  const ended = await raw("/v1/logout", { method: "POST", signal: late }).then(
    () => true,
    () => false,
  );
  setApiKey(null);
  // A server that nobody logs in to refuses, and then there is nothing to end.
  return ended || !waysToSignIn().includes("login");
}

/** How to sign out and come to the page to sign in. */
export function useSignOut(): () => void {
  const navigate = useNavigate();
  return () =>
    void signOut().then((ended) =>
      navigate({ to: "/sign-in", search: ended ? {} : { failed: STILL_SIGNED_IN } }),
    );
}
