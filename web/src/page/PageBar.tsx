// The bar above a page: which document and page, how large, the next citation, links to it.
import {
  ChevronLeft,
  ChevronRight,
  Columns2,
  Copy,
  Link2,
  Search,
  X,
  ZoomIn,
  ZoomOut,
} from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { currentWorkspace } from "../api/credential";
import { type Place, isSamePlace } from "../app/address";
import { trail, useOpenPlace } from "../app/place";
import { IconButton } from "../ui/Button";
import { useCopy } from "../ui/copy";
import { useStore } from "../ui/store";

const ZOOM_STEP = 1.25;
const MIN_ZOOM = 0.5;
const MAX_ZOOM = 4;

interface Paging {
  readonly number: number;
  readonly count: number;
  readonly zoom: number;
  readonly onPage: (page: number) => void;
  readonly onZoom: (zoom: number) => void;
}

interface PageBarProps {
  readonly title: string;
  readonly place: Place;
  readonly quote?: string | undefined;
  readonly paging?: Paging;
  readonly onClose: () => void;
  readonly onKeep?: (() => void) | undefined;
  readonly onFind?: (() => void) | undefined;
  /** Whether next and previous lead to other citations. */
  readonly walks?: boolean | undefined;
}

/** The address of a place by itself, wherever in the app it is open. */
function linkTo(place: Place): string {
  const workspace = currentWorkspace();
  const named = Object.entries({ ...(workspace !== null && { workspace }), ...place });
  const query = new URLSearchParams(named.map(([name, value]) => [name, String(value)]));
  return `${location.origin}/?${query.toString()}`;
}

export function PageBar(props: PageBarProps) {
  const { title, place, quote, paging, onClose, onKeep, onFind, walks } = props;
  const { t } = useTranslation();
  const copy = useCopy();
  const where = paging ? `, ${t("page.number", { page: paging.number })}` : "";
  return (
    <div className="flex flex-col gap-1 border-b border-line bg-surface p-1">
      <div className="flex items-center gap-1">
        <h2 className="flex min-w-0 flex-1 px-1 text-sm font-semibold">
          <bdi className="truncate">{title}</bdi>
        </h2>
        {onFind && (
          <IconButton
            label={t("find.open")}
            icon={<Search aria-hidden size={16} />}
            onClick={onFind}
          />
        )}
        {onKeep && (
          <IconButton
            label={t("beside.keep")}
            icon={<Columns2 aria-hidden size={16} />}
            onClick={onKeep}
          />
        )}
        <IconButton
          label={t("page.copyLink")}
          icon={<Link2 aria-hidden size={16} />}
          onClick={() => void copy(linkTo(place))}
        />
        {quote !== undefined && (
          <IconButton
            label={t("page.copyQuote")}
            icon={<Copy aria-hidden size={16} />}
            onClick={() => void copy(`“${quote}” (${title}${where})\n${linkTo(place)}`)}
          />
        )}
        <IconButton label={t("page.close")} icon={<X aria-hidden size={16} />} onClick={onClose} />
      </div>
      <div className="flex flex-wrap items-center justify-between gap-1">
        {paging && <PageSteps {...paging} />}
        {walks && <CitationSteps place={place} />}
      </div>
    </div>
  );
}

const BACK = <ChevronLeft aria-hidden size={16} className="rtl:-scale-x-100" />;
const ON = <ChevronRight aria-hidden size={16} className="rtl:-scale-x-100" />;

function PageSteps({ number, count, zoom, onPage, onZoom }: Paging) {
  const { t } = useTranslation();
  return (
    <Steps label={t("page.pages")}>
      <IconButton
        label={t("page.previous")}
        icon={BACK}
        disabled={number <= 1}
        onClick={() => onPage(number - 1)}
      />
      <label className="flex items-center gap-1 text-sm">
        <span className="sr-only">{t("page.go")}</span>
        <input
          type="number"
          min={1}
          max={count}
          value={number}
          onChange={(event) => {
            const wanted = event.target.valueAsNumber;
            if (wanted >= 1 && wanted <= count) onPage(wanted);
          }}
          className="w-14 rounded border border-line bg-surface px-1 py-0.5 text-end tabular-nums"
        />
        <span className="tabular-nums">{t("page.of", { count })}</span>
      </label>
      <IconButton
        label={t("page.next")}
        icon={ON}
        disabled={number >= count}
        onClick={() => onPage(number + 1)}
      />
      <IconButton
        label={t("page.smaller")}
        icon={<ZoomOut aria-hidden size={16} />}
        disabled={zoom <= MIN_ZOOM}
        onClick={() => onZoom(Math.max(MIN_ZOOM, zoom / ZOOM_STEP))}
      />
      <IconButton
        label={t("page.larger")}
        icon={<ZoomIn aria-hidden size={16} />}
        disabled={zoom >= MAX_ZOOM}
        onClick={() => onZoom(Math.min(MAX_ZOOM, zoom * ZOOM_STEP))}
      />
    </Steps>
  );
}

function CitationSteps({ place }: { readonly place: Place }) {
  const { t } = useTranslation();
  const places = useStore(trail);
  const openPlace = useOpenPlace();
  const now = places.findIndex((each) => isSamePlace(each, place));
  if (now < 0 || places.length < 2) return null;
  const [before, after] = [places[now - 1], places[now + 1]];
  return (
    <Steps label={t("page.citations")}>
      <IconButton
        label={t("page.previousCitation")}
        icon={BACK}
        disabled={before === undefined}
        onClick={() => before && openPlace(before)}
      />
      <span className="text-sm tabular-nums">
        {t("page.citationOf", { number: now + 1, count: places.length })}
      </span>
      <IconButton
        label={t("page.nextCitation")}
        icon={ON}
        disabled={after === undefined}
        onClick={() => after && openPlace(after)}
      />
    </Steps>
  );
}

function Steps({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div role="group" aria-label={label} className="flex items-center gap-0.5">
      {children}
    </div>
  );
}
