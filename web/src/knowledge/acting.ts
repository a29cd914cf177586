// Acts on facts and entities: what they change is asked for again.
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";

import { answered, api } from "../api/client";
import type { Decision } from "../api/types";
import { showToast } from "../ui/toasts";
import { KNOWLEDGE } from "./queries";

/** How to do something after which facts and entities are asked for again. Throws what it throws. */
export function useAct(): <Done>(act: () => Promise<Done>) => Promise<Done> {
  const queries = useQueryClient();
  return useCallback(
    async (act) => {
      const done = await act();
      await queries.invalidateQueries({ queryKey: KNOWLEDGE });
      return done;
    },
    [queries],
  );
}

/** The same at the press of a button; a message says that it failed, and why. */
export function useRun(): (act: () => Promise<unknown>) => void {
  const act = useAct();
  return useCallback(
    (what) => {
      act(what).catch((error: unknown) => {
        showToast(error instanceof Error ? error.message : String(error));
      });
    },
    [act],
  );
}

export function decide(fact: string, status: Decision): Promise<unknown> {
  return answered(
    api.PATCH("/v1/facts/{fact_id}", { params: { path: { fact_id: fact } }, body: { status } }),
  );
}
