import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";

import { raw } from "../api/client";
import { setApiKey } from "../api/credential";

/** How to forget who asks: the key in memory, and the browser's session on the server. */
export function useSignOut(): () => void {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return () => {
    setApiKey(null);
    queries.clear();
    // A server that nobody logs in to refuses, and then there is nothing to end.
    void raw("/v1/logout", { method: "POST" })
      .catch(() => undefined)
      .then(() => navigate({ to: "/sign-in" }));
  };
}
