// The cache of answers, and when a failed request is sent once more.
import { QueryClient } from "@tanstack/react-query";

import { onForget } from "../ui/store";
import { Problem } from "./problem";

const RETRIES = 2;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // What was refused is refused again, unless the server is only starting or overloaded.
      retry: (failures, error) =>
        failures < RETRIES &&
        (!(error instanceof Problem) || error.status === 503 || error.status === 429),
    },
  },
});

onForget(() => queryClient.clear());
