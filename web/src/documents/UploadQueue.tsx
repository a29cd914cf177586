// What was handed in during this visit, and how far each file is.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { useStore } from "../ui/store";
import { UploadRow } from "./UploadRow";
import { retryDocuments } from "./changing";
import { type DocumentState, documentStates } from "./events";
import { type Upload, UNSENT, cancelRest, clearDone, retry, setPaused, uploads } from "./uploads";
import { Scroller } from "../ui/Scroller";

/** A name, what it is the same as, and why it failed with what to do. */
const ROW_PIXELS = 72;

export function UploadQueue() {
  const { t } = useTranslation();
  const { all, paused } = useStore(uploads);
  const states = useStore(documentStates);
  const list = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- it is read in this render alone
  const rows = useVirtualizer({
    count: all.length,
    getScrollElement: () => list.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 10,
  });
  if (all.length === 0) return null;
  const stateOf = (each: Upload): DocumentState | null =>
    each.document === null ? null : (states[each.document.document_id] ?? each.document);
  const done = all.filter((each) => stateOf(each)?.status === "indexed").length;
  const failures = all.filter(
    (each) => each.state === "refused" || stateOf(each)?.status === "failed",
  );
  const failed = failures.length;
  const unsent = all.some(({ state }) => UNSENT.includes(state));
  const retryAll = () => {
    for (const each of failures) if (each.document === null) retry(each.id);
    const known = failures.flatMap(({ document }) => document?.document_id ?? []);
    if (known.length > 0) void retryDocuments(known);
  };
  return (
    <section
      aria-labelledby="uploads"
      className="flex max-h-72 flex-col rounded-md border border-line"
    >
      <div className="flex flex-wrap items-center gap-2 border-b border-line p-2">
        <h2 id="uploads" className="text-sm font-semibold">
          {t("upload.title")}
        </h2>
        <p role="status" className="text-sm text-muted">
          {t("upload.done", { done, count: all.length })}
          {failed > 0 && ` · ${t("upload.failed", { count: failed })}`}
        </p>
        <Bar done={done} failed={failed} count={all.length} />
        {unsent && (
          <>
            <Button onClick={() => setPaused(!paused)}>
              {paused ? t("upload.resume") : t("upload.pause")}
            </Button>
            <Button onClick={cancelRest}>{t("queue.cancelAll")}</Button>
          </>
        )}
        {failed > 0 && <Button onClick={retryAll}>{t("queue.retryAll")}</Button>}
        <Button onClick={clearDone}>{t("upload.clear")}</Button>
      </div>
      <Scroller ref={list} label={t("upload.list")} className="">
        <ul className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((row) => {
            const upload = all[row.index];
            if (upload === undefined) return null;
            return (
              <li
                key={upload.id}
                className="absolute inset-x-0 flex items-center gap-3 px-2 text-sm"
                style={{ height: ROW_PIXELS, transform: `translateY(${row.start}px)` }}
              >
                <UploadRow upload={upload} state={stateOf(upload)} />
              </li>
            );
          })}
        </ul>
      </Scroller>
    </section>
  );
}

interface BarProps {
  readonly done: number;
  readonly failed: number;
  readonly count: number;
}

/** How much of the list is through, what failed apart from what is ready. */
function Bar({ done, failed, count }: BarProps) {
  const { t } = useTranslation();
  const share = (part: number) => ({ width: `${(100 * part) / count}%` });
  return (
    <div
      role="progressbar"
      aria-label={t("upload.title")}
      aria-valuemin={0}
      aria-valuemax={count}
      aria-valuenow={done + failed}
      className="flex h-2 min-w-16 flex-1 overflow-hidden rounded-full bg-line"
    >
      <div data-part="ready" className="bg-accent" style={share(done)} />
      <div data-part="failed" className="bg-bad" style={share(failed)} />
    </div>
  );
}
