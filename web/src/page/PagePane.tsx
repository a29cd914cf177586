// One document at a place: its bar, the field for finding words in it, and how its kind is shown.
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import { isAbsent } from "../api/problem";
import { contextQuery, documentQuery } from "../api/queries";
import type { Document } from "../api/types";
import type { Place } from "../app/address";
import { Notice } from "../ui/Notice";
import { ProblemNotice } from "../ui/ProblemNotice";
import { FindBar } from "./FindBar";
import { GonePage } from "./GonePage";
import { PageBar } from "./PageBar";
import { Paged } from "./Paged";
import { Recording } from "./Recording";
import { TextPages } from "./TextPages";
import { type Find, useFind } from "./find";
import { kindOf } from "./kind";
import { divided, spanOf } from "./span";

interface PagePaneProps {
  readonly place: Place;
  readonly onClose: () => void;
  /** Keeps this place beside what is opened next; undefined where that cannot be. */
  readonly onKeep?: (() => void) | undefined;
  /** Whether next and previous lead to other citations. */
  readonly walks?: boolean;
}

export function PagePane({ place, onClose, onKeep, walks = false }: PagePaneProps) {
  const { t } = useTranslation();
  const found = useQuery({
    ...documentQuery(place.document ?? ""),
    enabled: place.document !== undefined,
  });
  // What was read before is not shown any longer once it is gone.
  if (found.data && !isAbsent(found.error)) {
    return <Opened document={found.data} place={place} bar={{ onClose, onKeep, walks, place }} />;
  }
  if (!found.isError) return <p className="flex-1 p-4 text-sm text-muted">{t("common.loading")}</p>;
  return (
    <div className="flex-1">
      <PageBar title={t("panes.page")} onClose={onClose} place={place} />
      <div className="p-3">
        {isAbsent(found.error) ? (
          <GonePage place={place} />
        ) : (
          <ProblemNotice error={found.error} onRetry={() => void found.refetch()} />
        )}
      </div>
    </div>
  );
}

interface OpenedProps {
  readonly document: Document;
  readonly place: Place;
  readonly bar: Pick<
    React.ComponentProps<typeof PageBar>,
    "onClose" | "onKeep" | "walks" | "place"
  >;
}

function Opened({ document, place, bar }: OpenedProps) {
  const { t } = useTranslation();
  const find = useFind(document);
  const pane = useRef<HTMLDivElement>(null);
  const closeFind = () => {
    find.close();
    pane.current?.focus();
  };
  const shown = { ...bar, title: document.title };
  if (document.status !== "indexed" && document.chunk_count === 0) {
    return (
      <div className="flex-1">
        <PageBar {...shown} />
        <Notice>{t("page.notYet")}</Notice>
      </div>
    );
  }
  const bars = { ...shown, onFind: find.show };
  const findBar = find.open && <FindBar find={find} onClose={closeFind} />;
  return (
    // Keys that are pressed anywhere in the pane come by here; it does nothing by itself.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={pane}
      tabIndex={-1}
      className="flex min-h-0 min-w-0 flex-1 flex-col outline-none"
      onKeyDown={(event) => {
        if (event.key.toLowerCase() !== "f" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        find.show();
        event.currentTarget.querySelector<HTMLInputElement>("[data-find]")?.select();
      }}
    >
      {kindOf(document.media_type) === "text" || kindOf(document.media_type) === "recording" ? (
        <Read document={document} place={place} find={find} bar={bars} findBar={findBar} />
      ) : (
        <Paged document={document} place={place} find={find} bar={bars} findBar={findBar} />
      )}
    </div>
  );
}

interface ReadProps {
  readonly document: Document;
  readonly place: Place;
  readonly find: Find;
  readonly bar: React.ComponentProps<typeof PageBar>;
  readonly findBar: React.ReactNode;
}

/** A document that is shown as its text, a recording with what can be heard above it. */
function Read({ document, place, find, bar, findBar }: ReadProps) {
  const span = spanOf(place);
  const quoted = useQuery({
    ...contextQuery(place.chunk ?? "", 0),
    enabled: span !== null && place.chunk !== undefined,
  });
  const [moment, setMoment] = useState<number | null>(null);
  const quote = quoted.data && divided(quoted.data.chunk, span).marked;
  const isRecording = kindOf(document.media_type) === "recording";
  return (
    <>
      <PageBar {...bar} quote={quote === "" ? undefined : quote} />
      {findBar}
      {isRecording && (
        <Recording
          document={document}
          at={moment ?? place.at ?? quoted.data?.chunk.start_seconds ?? 0}
        />
      )}
      <TextPages
        document={document}
        chunk={find.hit?.chunk ?? place.chunk}
        span={span}
        find={find}
        onMoment={isRecording ? setMoment : undefined}
      />
    </>
  );
}
