// The head of the table: which column it is sorted by, and the choice of everything.
import { useTranslation } from "react-i18next";

import { COLUMN_IDS, type ColumnId, type List, SORTS, type Sort } from "./list";

const WIDTHS: Record<ColumnId, number> = {
  title: 280,
  status: 150,
  collection: 110,
  document_class: 90,
  tags: 120,
  page_count: 72,
  byte_size: 88,
  created_at: 120,
};

interface TableHeadProps {
  readonly list: List;
  readonly everything: boolean;
  /** Whether the list is the one before, until that which was asked for is there. */
  readonly stale: boolean;
  readonly onSort: (sort: Sort, order: List["order"]) => void;
  readonly onEverything: (chosen: boolean) => void;
}

export function TableHead({ list, everything, stale, onSort, onEverything }: TableHeadProps) {
  const { t } = useTranslation();
  return (
    <thead className="sticky top-0 z-10 bg-raised">
      <tr>
        <th className="w-9 px-2">
          <input
            type="checkbox"
            aria-label={t("documents.chooseAll")}
            checked={everything}
            disabled={stale}
            onChange={(event) => onEverything(event.target.checked)}
          />
        </th>
        {COLUMN_IDS.map((id) => {
          const sort = SORTS.find((each) => each === id);
          const order = list.sort === id ? list.order : null;
          return (
            <th
              key={id}
              style={{ width: WIDTHS[id] }}
              {...(sort === undefined
                ? {}
                : {
                    "aria-sort":
                      order === null ? "none" : order === "asc" ? "ascending" : "descending",
                  })}
              className="text-start font-semibold"
            >
              {sort === undefined ? (
                <span className="block truncate px-2 py-2">{t(`column.${id}`)}</span>
              ) : (
                <button
                  type="button"
                  className="w-full truncate px-2 py-2 text-start hover:bg-hover"
                  onClick={() => onSort(sort, order === "asc" ? "desc" : "asc")}
                >
                  {t(`column.${id}`)}
                  {order === "asc" ? " ▲" : order === "desc" ? " ▼" : ""}
                </button>
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
