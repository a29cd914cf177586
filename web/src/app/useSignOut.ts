import { useNavigate } from "@tanstack/react-router";

import { raw } from "../api/client";
import { setApiKey } from "../api/credential";
import { finishPutOff } from "../ui/toasts";

/** How to forget who asks: the key in memory, and the browser's session on the server. */
export function useSignOut(): () => void {
  const navigate = useNavigate();
  return () => {
    finishPutOff();
    // A server that nobody logs in to refuses, and then there is nothing to end.
    const ended = raw("/v1/logout", { method: "POST" });
    setApiKey(null);
    void ended.catch(() => undefined).then(() => navigate({ to: "/sign-in" }));
  };
}
