// Opens and closes places in documents; the address has which one is open.
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

import { createPersonalStore, createStore } from "../ui/store";
import { type Place, changedAddress, withoutPlace } from "./address";

/** Which pane a narrow window shows. */
export type Pane = "sources" | "main" | "page";
export const paneShown = createStore<Pane>("main");

/** The places that “next” and “previous” walk through, such as the citations of an answer. */
export const trail = createPersonalStore<readonly Place[]>([]);

/** The place that is open; of a document's own address its beginning, unless it says another. */
export function usePlace(): Place {
  const search = useSearch({ from: "__root__" });
  const { documentId } = useParams({ strict: false });
  const { document = documentId, page, start, end, chunk, at } = search;
  return {
    ...(document === undefined ? {} : { document }),
    ...(page === undefined ? {} : { page }),
    ...(start === undefined ? {} : { start }),
    ...(end === undefined ? {} : { end }),
    ...(chunk === undefined ? {} : { chunk }),
    ...(at === undefined ? {} : { at }),
  };
}

/** How to open a place beside what is shown; the places to walk through come with it. */
export function useOpenPlace(): (place: Place, walk?: readonly Place[]) => void {
  const navigate = useNavigate();
  return useCallback(
    (place, walk) => {
      if (walk !== undefined) trail.set(walk);
      paneShown.set("page");
      void navigate({ to: ".", search: (before) => ({ ...withoutPlace(before), ...place }) });
    },
    [navigate],
  );
}

/** The place that is kept beside the first one; undefined for none. */
export function useBeside(): Place | undefined {
  return useSearch({ from: "__root__" }).beside;
}

/** How to keep a place beside whatever is opened next, or to keep none any more. */
export function useKeepBeside(): (place: Place | undefined) => void {
  const navigate = useNavigate();
  return useCallback(
    (place) => {
      void navigate({
        to: ".",
        search: (before) => changedAddress(before, { beside: place }),
      });
    },
    [navigate],
  );
}

/** How to close the page. What is kept beside it is then the page. */
export function useClosePlace(): () => void {
  const navigate = useNavigate();
  return useCallback(() => {
    void navigate({
      to: ".",
      search: ({ beside, ...before }) => {
        if (beside === undefined) paneShown.set("main");
        return { ...withoutPlace(before), ...beside };
      },
    });
  }, [navigate]);
}
