// What narrows the list of documents: words, and values with how many documents have each.
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";

import type { DocumentClass, DocumentStatus, FacetCount } from "../api/types";
import { Button } from "../ui/Button";
import { MetadataFilter } from "./MetadataFilter";
import { OnlyChip } from "./OnlyChip";
import { FACETS, type Facet, type List, NOTHING_CHOSEN, isNarrowed, withoutOnly } from "./list";

const FIELD = "min-h-8 rounded-md border border-line bg-surface px-2 py-1 text-sm";
const TYPING_MILLISECONDS = 200;

interface ListFiltersProps {
  readonly list: List;
  readonly counts: Readonly<Record<string, readonly FacetCount[]>>;
  readonly onChange: (list: List) => void;
}

export function ListFilters({ list, counts, onChange }: ListFiltersProps) {
  const { t, i18n } = useTranslation();
  const [typed, setTyped] = useState(list.query);
  const [asked, setAsked] = useState(list.query);
  if (asked !== list.query) {
    // The address was changed by something else than typing, such as a view.
    setAsked(list.query);
    setTyped(list.query);
  }
  useEffect(() => {
    if (typed.trim() === list.query) return undefined;
    const timer = setTimeout(() => {
      setAsked(typed.trim());
      onChange({ ...list, query: typed.trim() });
    }, TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [typed, list, onChange]);

  const labels: Record<Facet, string> = {
    status: t("column.status"),
    collection: t("column.collection"),
    class: t("column.document_class"),
    tags: t("column.tags"),
  };
  const named = (field: Facet, value: string) => {
    if (field === "status") return t(`status.${value as DocumentStatus}`);
    return field === "class" ? t(`class.${value as DocumentClass}`) : value;
  };
  const choose = (field: Facet, value: string) => {
    const others = Object.fromEntries(
      Object.entries(list.chosen).filter(([name]) => name !== field),
    );
    onChange({ ...list, chosen: value === "" ? others : { ...others, [field]: value } });
  };
  return (
    <div role="search" className="flex flex-wrap items-center gap-2">
      <input
        id="filter"
        type="search"
        dir="auto"
        maxLength={1000}
        aria-label={t("list.filter")}
        placeholder={t("list.filter")}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={`${FIELD} min-w-52 placeholder:text-muted`}
      />
      {(Object.keys(FACETS) as Facet[]).map((field) => {
        const chosen = list.chosen[field] ?? "";
        const values = counts[field] ?? [];
        const listed = values.some(({ value }) => value === chosen);
        if (values.length === 0 && chosen === "") return null;
        return (
          <select
            key={field}
            aria-label={labels[field]}
            value={chosen}
            onChange={(event) => choose(field, event.target.value)}
            className={`${FIELD} max-w-48`}
          >
            <option value="">{t("list.any", { field: labels[field] })}</option>
            {chosen !== "" && !listed && <option value={chosen}>{named(field, chosen)}</option>}
            {values.map(({ value, documents }) => (
              <option key={value} value={value}>
                {`${named(field, value)} (${documents.toLocaleString(i18n.language)})`}
              </option>
            ))}
          </select>
        );
      })}
      <MetadataFilter
        conditions={list.metadata}
        onChange={(metadata) => onChange({ ...list, metadata })}
      />
      <OnlyChip only={list.only} onRemove={() => onChange(withoutOnly(list))} />
      {isNarrowed(list) && (
        <Button
          look="quiet"
          onClick={() => onChange({ ...NOTHING_CHOSEN, sort: list.sort, order: list.order })}
        >
          <X aria-hidden size={14} /> {t("list.clear")}
        </Button>
      )}
    </div>
  );
}
