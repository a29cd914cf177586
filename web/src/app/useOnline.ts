import { useSyncExternalStore } from "react";

import { reachable } from "../api/reach";
import { useStore } from "../ui/store";

function subscribe(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

/** Whether the device is connected at all, and the server answers. */
export function useOnline(): boolean {
  const reached = useStore(reachable);
  return useSyncExternalStore(subscribe, () => navigator.onLine) && reached;
}
