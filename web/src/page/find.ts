// Finding words in the document that is open: what is sought, where it stands, which one is shown.
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useState } from "react";

import { passagesQuery } from "../api/queries";
import type { Document } from "../api/types";
import { type Hit, hitsIn } from "./hits";

export interface Find {
  readonly open: boolean;
  readonly wanted: string;
  readonly hits: readonly Hit[];
  /** Which of the hits is shown, from 0. */
  readonly index: number;
  /** The hit that is shown; null if nothing is sought or found. */
  readonly hit: Hit | null;
  readonly loading: boolean;
  readonly error: unknown;
  readonly show: () => void;
  readonly close: () => void;
  readonly seek: (wanted: string) => void;
  readonly step: (by: 1 | -1) => void;
}

const NOTHING: readonly Hit[] = [];

export function useFind(document: Document): Find {
  const [open, setOpen] = useState(false);
  const [wanted, setWanted] = useState("");
  const [step, setStep] = useState(0);
  const { document_id: id, version, chunk_count: count } = document;
  const passages = useQuery({ ...passagesQuery(id, version, count), enabled: open });
  // Typing goes on while a long text is looked through.
  const sought = useDeferredValue(wanted);
  const hits = useMemo(
    () => (open && passages.data ? hitsIn(passages.data, sought) : NOTHING),
    [open, passages.data, sought],
  );
  // After the last hit comes the first one.
  const index = hits.length === 0 ? 0 : ((step % hits.length) + hits.length) % hits.length;
  return {
    open,
    wanted,
    hits,
    index,
    hit: hits[index] ?? null,
    loading: open && passages.isPending,
    error: passages.error,
    show: () => setOpen(true),
    close: () => setOpen(false),
    seek: (text) => {
      setWanted(text);
      setStep(0);
    },
    step: (by) => setStep(index + by),
  };
}
