// The cache of answers, and when a failed request is sent once more.
import { QueryClient } from "@tanstack/react-query";

import { onForget } from "../ui/store";
import { Problem } from "./problem";

const RETRIES = 2;
const PASSING = new Set([429, 502, 503, 504]);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // What was refused is refused again, unless the server is only starting or overloaded, or a proxy
      // did not reach it.
      retry: (failures, error) =>
        failures < RETRIES && (!(error instanceof Problem) || PASSING.has(error.status)),
    },
  },
});

onForget(() => queryClient.clear());
