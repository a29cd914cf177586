// A document with pages: which page is shown, how large, and what is marked on it.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";

import { pagesOfSpanQuery, rectanglesQuery } from "../api/queries";
import type { Document, PageWithQuotes } from "../api/types";
import type { Place } from "../app/address";
import { Notice } from "../ui/Notice";
import { ProblemNotice } from "../ui/ProblemNotice";
import { lazily } from "../ui/lazily";
import { PageBar } from "./PageBar";
import { PicturePage } from "./PicturePage";
import { TextPages } from "./TextPages";
import type { Find } from "./find";
import { kindOf } from "./kind";
import { spanOf } from "./span";
import { type Hits, useHitsOnPage } from "./useHitsOnPage";

// Most of what shows pages reads PDF files; other kinds do without.
const Pdf = lazily(() => import("./Pdf").then((m) => m.Pdf));

interface PagedProps {
  readonly document: Document;
  readonly place: Place;
  readonly find: Find;
  readonly bar: React.ComponentProps<typeof PageBar>;
  readonly findBar: ReactNode;
}

export function Paged({ document, place, find, bar, findBar }: PagedProps) {
  const { t } = useTranslation();
  const span = spanOf(place);
  const [chosen, setChosen] = useState<{ page: number; at: string } | null>(null);
  const [zoom, setZoom] = useState(1);
  // A Word file has no pages of its own: its quotes are looked for on those it is drawn with.
  const located = useQuery({
    ...pagesOfSpanQuery(document.document_id, span),
    enabled: span !== null && place.page === undefined,
  });
  const unlocated = span !== null && place.page === undefined && located.isPending;
  const home = place.page ?? located.data?.pages[0] ?? 1;
  const hitPage = useQuery({
    ...pagesOfSpanQuery(document.document_id, find.hit),
    enabled: find.hit !== null && find.hit.page === null,
  });
  // Another place or hit begins at its own page, whatever page was chosen before.
  const at = [place.document, place.page, place.start, place.end, find.hit?.start].join();
  const sought = find.hit && (find.hit.page ?? hitPage.data?.pages[0]);
  const wanted = chosen?.at === at ? chosen.page : (sought ?? home);
  const number = Math.min(wanted, document.page_count ?? wanted);
  const found = useQuery({
    ...rectanglesQuery(document.document_id, number, span === null ? [] : [span]),
    enabled: !unlocated,
  });
  const hits = useHitsOnPage(document.document_id, number, find);
  const quote = found.data?.quotes[0];

  if (kindOf(document.media_type) !== "pdf" && found.isError) {
    // Without LibreOffice, or where a page cannot be drawn, the text says the same words.
    return (
      <>
        <PageBar {...bar} />
        {findBar}
        <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />
        <TextPages
          document={document}
          chunk={find.hit?.chunk ?? place.chunk}
          span={span}
          find={find}
        />
      </>
    );
  }
  const count = found.data?.page_count ?? document.page_count ?? 1;
  const onPage = (page: number) => setChosen({ page, at });
  return (
    <div
      className="contents"
      data-place={[place.document, place.page, place.start, place.end].join()}
      data-page={number}
      data-match={found.isPending ? "pending" : (quote?.match ?? "none")}
    >
      <PageBar
        {...bar}
        quote={quote?.quote}
        paging={{ number, count, zoom, onPage, onZoom: setZoom }}
      />
      {findBar}
      <div role="status">
        {found.isError && (
          <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />
        )}
        {found.data && found.data.unread !== "" && <Notice tone="warn">{found.data.unread}</Notice>}
        {quote !== undefined && number === home && quote.match !== "exact" && (
          <Notice tone="warn">
            <p>{t(`match.${quote.match}`)}</p>
            {quote.match === "none" && <q dir="auto">{quote.quote}</q>}
          </Notice>
        )}
        {quote?.match === "exact" && <span className="sr-only">{t("match.exact")}</span>}
      </div>
      {!unlocated && (
        <Drawn document={document} number={number} zoom={zoom} found={found.data} hits={hits} />
      )}
    </div>
  );
}

interface DrawnProps {
  readonly document: Document;
  readonly number: number;
  readonly zoom: number;
  readonly found: PageWithQuotes | undefined;
  readonly hits: Hits | undefined;
}

function Drawn({ document, number, zoom, found, hits }: DrawnProps) {
  const { t } = useTranslation();
  if (kindOf(document.media_type) === "pdf") {
    return (
      <Suspense fallback={<p className="p-4 text-sm text-muted">{t("common.loading")}</p>}>
        <Pdf document={document} number={number} zoom={zoom} found={found} hits={hits} />
      </Suspense>
    );
  }
  if (!found) return <p className="p-4 text-sm text-muted">{t("common.loading")}</p>;
  return (
    <PicturePage
      document={document.document_id}
      version={document.version}
      number={number}
      zoom={zoom}
      found={found}
      hits={hits}
    />
  );
}
