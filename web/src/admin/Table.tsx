// A table of a few rows, which scrolls sideways where the window is narrow.
import type { ReactNode } from "react";

import { Scroller } from "../ui/Scroller";
import { cx } from "../ui/cx";

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
  /** Whether it has numbers, which stand at the end of their cell. */
  readonly numeric?: boolean;
}

interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** What is said where there is no row. */
  readonly empty: string;
}

export function Table<Row>({ caption, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <p className="text-sm text-muted">{empty}</p>;
  return (
    <Scroller label={caption} className="max-h-[70vh] shrink-0 rounded-md border border-line">
      <table className="w-full text-sm">
        <caption className="sr-only">{caption}</caption>
        <thead className="sticky top-0 bg-raised">
          <tr>
            {columns.map((column) => (
              <th
                key={column.head}
                scope="col"
                className={cx(
                  "px-2 py-1.5 font-semibold",
                  column.numeric === true ? "text-end" : "text-start",
                )}
              >
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-t border-line align-top">
              {columns.map((column) => (
                <td
                  key={column.head}
                  className={cx(
                    "px-2 py-1.5",
                    column.numeric === true ? "text-end tabular-nums" : "max-w-96 break-words",
                  )}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroller>
  );
}
