// A document without pages, by its chunks in reading order, with the span marked by its offsets.
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { Span } from "../api/queries";
import type { Document, Passage } from "../api/types";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { Scroller } from "../ui/Scroller";
import { BlockView } from "./BlockView";
import type { Marking } from "./Marked";
import { type Block, laidOut } from "./blocks";
import { clock } from "./clock";
import type { Find } from "./find";

const WINDOW = 10;

interface TextPagesProps {
  readonly document: Document;
  /** The chunk to begin with; the first one if undefined. */
  readonly chunk: string | undefined;
  readonly span: Span | null;
  readonly find: Find;
  /** Shows another moment of a recording; undefined where there is nothing to hear. */
  readonly onMoment?: ((seconds: number) => void) | undefined;
}

function ordinalOf(chunk: string): number {
  return Number(chunk.split(":").at(-1) ?? 0);
}

export function TextPages({ document, chunk, span, find, onMoment }: TextPagesProps) {
  const { t } = useTranslation();
  const { open, hits, hit } = find;
  const marking = { quote: span, hits: open ? hits : [], hit: open ? hit : null };
  const first = chunk ?? `${document.document_id}:${document.version}:0`;
  const stem = first.slice(0, first.lastIndexOf(":"));
  const last = document.chunk_count - 1;
  const found = useInfiniteQuery({
    queryKey: ["passages", first],
    queryFn: async ({ pageParam }) => {
      const body = { chunk_id: `${stem}:${pageParam}`, window: WINDOW };
      const {
        chunk: middle,
        context_before,
        context_after,
      } = await answered(api.POST("/v1/context", { body }));
      return [...context_before, middle, ...context_after];
    },
    initialPageParam: ordinalOf(first),
    getNextPageParam: (page) => {
      const shown = page.at(-1)?.ordinal ?? last;
      return shown < last ? Math.min(shown + WINDOW + 1, last) : undefined;
    },
    getPreviousPageParam: (page) => {
      const shown = page[0]?.ordinal ?? 0;
      return shown > 0 ? Math.max(shown - WINDOW - 1, 0) : undefined;
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const shown = useMemo(() => laidOut(found.data?.pages.flat() ?? []), [found.data]);
  if (found.isError) {
    return <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />;
  }
  return (
    <Scroller label={t("page.text")} className="min-h-0 flex-1 bg-surface p-4">
      {found.hasPreviousPage && (
        <Button onClick={() => void found.fetchPreviousPage()}>{t("page.earlier")}</Button>
      )}
      {shown.map(({ passage, blocks }, index) => (
        <PassageView
          key={passage.ordinal}
          passage={passage}
          blocks={blocks}
          headed={passage.heading_path.join() !== shown[index - 1]?.passage.heading_path.join()}
          marking={marking}
          onMoment={onMoment}
        />
      ))}
      {found.hasNextPage && (
        <Button onClick={() => void found.fetchNextPage()}>{t("page.later")}</Button>
      )}
    </Scroller>
  );
}

interface PassageViewProps {
  readonly passage: Passage;
  readonly blocks: readonly Block[];
  readonly headed: boolean;
  readonly marking: Marking;
  readonly onMoment: ((seconds: number) => void) | undefined;
}

function PassageView({ passage, blocks, headed, marking, onMoment }: PassageViewProps) {
  const { t } = useTranslation();
  const { start_seconds: moment } = passage;
  return (
    <div dir="auto" lang={passage.language ?? undefined} className="lazy-layout mb-3">
      {headed && passage.heading_path.length > 0 && (
        <h3 className="font-semibold">{passage.heading_path.join(" › ")}</h3>
      )}
      {moment !== null &&
        (onMoment ? (
          <Button look="quiet" onClick={() => onMoment(moment)}>
            {t("recording.goTo", { moment: clock(moment) })}
          </Button>
        ) : (
          <p className="text-xs text-muted tabular-nums">{clock(moment)}</p>
        ))}
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} marking={marking} />
      ))}
    </div>
  );
}
