// The list of documents as a table that the server sorts and narrows, fetched and drawn as far as
// it is looked at.
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { useGuest, useMay } from "../api/may";
import { Empty } from "../ui/Empty";
import { ProblemNotice } from "../ui/ProblemNotice";
import { Scroller } from "../ui/Scroller";
import { cx } from "../ui/cx";
import { useStore } from "../ui/store";
import { BulkActions } from "./BulkActions";
import { CollectionSummary } from "./CollectionSummary";
import { ComingRow, DocumentRow } from "./DocumentRow";
import { ListFilters } from "./ListFilters";
import { SavedViews } from "./SavedViews";
import { TableHead } from "./TableHead";
import { leaving } from "./deleting";
import { type List, addressOf, isNarrowed, listFrom, listQuery } from "./list";

const ROW_PIXELS = 40;
const NOBODY: ReadonlySet<string> = new Set();

export function DocumentTable() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const address = useSearch({ from: "__root__" });
  const list = useMemo(() => listFrom(address), [address]);
  const found = useInfiniteQuery({ ...listQuery(list), placeholderData: keepPreviousData });
  const hidden = useStore(leaving);
  const mayKeep = useGuest() === false;
  const mayAdd = useMay("write") !== false;
  const [chosen, setChosen] = useState(NOBODY);
  const last = useRef<number | null>(null);
  const scroller = useRef<HTMLDivElement>(null);
  // What is looked at: nothing once the page was left.
  const shown = useRef<string>(undefined);
  const named = JSON.stringify(addressOf(list));
  useEffect(() => {
    shown.current = named;
    return () => {
      shown.current = undefined;
    };
  }, [named]);

  const change = useCallback(
    (next: List) => {
      setChosen(NOBODY);
      last.current = null;
      scroller.current?.scrollTo({ top: 0 });
      void navigate({ to: "/documents", search: addressOf(next), replace: true });
    },
    [navigate],
  );

  const documents = useMemo(
    () =>
      (found.data?.pages.flatMap((page) => page.documents) ?? []).filter(
        (each) => !hidden.has(each.document_id),
      ),
    [found.data, hidden],
  );
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = found;
  const { fetchNextPage, isPlaceholderData } = found;
  const total = found.data?.pages[0]?.total ?? documents.length;
  // Of a list that goes on, what is not fetched yet has its room: the whole can be scrolled at once.
  const count = hasNextPage ? Math.max(total - hidden.size, documents.length) : documents.length;
  // eslint-disable-next-line react-hooks/incompatible-library -- it is read in this render alone
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    overscan: 12,
  });
  const drawn = virtual.getVirtualItems();
  const end = (drawn.at(-1)?.index ?? -1) + 1;
  useEffect(() => {
    // After a failure nothing is asked for until somebody tries again.
    if (isFetchingNextPage || isFetchNextPageError || isPlaceholderData) return;
    if (end > documents.length && hasNextPage) void fetchNextPage();
  }, [
    end,
    documents.length,
    hasNextPage,
    isFetchingNextPage,
    isFetchNextPageError,
    isPlaceholderData,
    fetchNextPage,
  ]);

  const choose = useCallback(
    (index: number, chosenNow: boolean, range: boolean) => {
      const from = range && last.current !== null ? last.current : index;
      const these = documents.slice(Math.min(from, index), Math.max(from, index) + 1);
      last.current = index;
      setChosen((before) => {
        const next = new Set(before);
        for (const { document_id: id } of these) {
          if (chosenNow) next.add(id);
          else next.delete(id);
        }
        return next;
      });
    },
    [documents],
  );
  const chooseEverything = async (everything: boolean) => {
    setChosen(NOBODY);
    if (!everything) return;
    let all = found;
    while (all.hasNextPage) {
      all = await all.fetchNextPage();
      if (all.isFetchNextPageError || shown.current !== named) return;
    }
    const ids = all.data?.pages.flatMap((page) => page.documents.map((each) => each.document_id));
    setChosen(new Set(ids?.filter((id) => !hidden.has(id))));
  };

  if (found.isError && !found.data) {
    return <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />;
  }
  const selected = documents.filter((each) => chosen.has(each.document_id));
  const nothing = found.isSuccess && !isPlaceholderData && documents.length === 0;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <ListFilters list={list} counts={found.data?.pages[0]?.facets ?? {}} onChange={change} />
        {mayKeep && <SavedViews list={list} onChange={change} />}
        <p role="status" className="text-sm text-muted">
          {found.isSuccess &&
            t("documents.shown", { count: hasNextPage ? count : documents.length })}
        </p>
      </div>
      {selected.length > 0 && <BulkActions chosen={selected} onDone={() => setChosen(NOBODY)} />}
      {list.chosen.collection !== undefined && !nothing && (
        <CollectionSummary key={list.chosen.collection} collection={list.chosen.collection} />
      )}
      {isFetchNextPageError && (
        <ProblemNotice error={found.error} onRetry={() => void fetchNextPage()} />
      )}
      {nothing ? (
        <Empty title={t(isNarrowed(list) ? "list.nothingTitle" : "documents.emptyTitle")}>
          <p>
            {t(
              isNarrowed(list)
                ? "list.nothingHint"
                : mayAdd
                  ? "documents.emptyHint"
                  : "documents.emptyReading",
            )}
          </p>
        </Empty>
      ) : (
        <Scroller
          ref={scroller}
          label={t("documents.table")}
          className={cx(
            "min-h-40 flex-1 rounded-md border border-line",
            isPlaceholderData && "opacity-70",
          )}
        >
          <table
            aria-rowcount={count + 1}
            aria-busy={isPlaceholderData}
            className="w-full min-w-4xl table-fixed text-sm"
          >
            <TableHead
              list={list}
              stale={isPlaceholderData}
              everything={count > 0 && chosen.size >= count}
              onSort={(sort, order) => change({ ...list, sort, order })}
              onEverything={(everything) => void chooseEverything(everything)}
            />
            <tbody>
              <Space pixels={drawn[0]?.start ?? 0} />
              {drawn.map(({ index }) => {
                const document = documents[index];
                return document === undefined ? (
                  <ComingRow key={index} index={index} />
                ) : (
                  <DocumentRow
                    key={document.document_id}
                    document={document}
                    index={index}
                    chosen={chosen.has(document.document_id)}
                    onChoose={choose}
                  />
                );
              })}
              <Space pixels={virtual.getTotalSize() - (drawn.at(-1)?.end ?? 0)} />
            </tbody>
          </table>
        </Scroller>
      )}
    </>
  );
}

function Space({ pixels }: { readonly pixels: number }) {
  return pixels > 0 ? <tr aria-hidden style={{ height: pixels }} /> : null;
}
