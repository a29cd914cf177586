"""CSV (RFC 4180) for spreadsheets, safe against formula injection."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters by which spreadsheets take a cell for a formula."""


def csv_table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return the column names and the rows as CSV.

    A text that a spreadsheet would take for a formula gets an apostrophe in front.

    >>> csv_table(["who", "requests"], [["=1+1", -2], ["ann, bob", 3]])
    'who,requests\\r\\n\\'=1+1,-2\\r\\n"ann, bob",3\\r\\n'
    """
    buffer = io.StringIO()
    table = csv.writer(buffer)
    table.writerow(names)
    for row in rows:
        table.writerow([_without_formula(cell) for cell in row])
    return buffer.getvalue()


def _without_formula(cell: object) -> object:
    if isinstance(cell, str) and cell.startswith(_FORMULA):
        return f"'{cell}"
    return "" if cell is None else cell
