"""Comma-, semicolon- and tab-separated values become a table."""

from __future__ import annotations

import csv
import io
from collections import Counter

from footnote.ingestion.parsing.drafts import Reading
from footnote.ingestion.parsing.tables import table_drafts

_DELIMITERS = ",;\t|"
_SAMPLED_ROWS = 50
_FIELD_LIMIT = 10 * 1024 * 1024


def read_delimited(text: str) -> Reading:
    """Read values under the delimiter that cuts most rows into the same number of fields."""
    csv.field_size_limit(_FIELD_LIMIT)
    delimiter = _delimiter(text)
    rows = list(csv.reader(io.StringIO(text.replace("\0", ""), newline=""), delimiter=delimiter))
    if rows and any(cell.strip() for cell in rows[0]):
        width = max(len(row) for row in rows)
        # Every column keeps its place, however empty; the header must not lose one.
        rows[0] += [f"column {number}" for number in range(len(rows[0]) + 1, width + 1)]
    return Reading(drafts=tuple(table_drafts(rows)))


def _delimiter(text: str) -> str:
    lines = text.splitlines(keepends=True)[: _SAMPLED_ROWS * 4]

    def agreement(delimiter: str) -> tuple[float, int]:
        reader = csv.reader(lines, delimiter=delimiter)
        widths = Counter(len(row) for row, _ in zip(reader, range(_SAMPLED_ROWS), strict=False))
        widths = Counter({width: count for width, count in widths.items() if width > 1})
        if not widths:
            return 0.0, 0
        width, count = widths.most_common(1)[0]
        return count / min(len(lines), _SAMPLED_ROWS), width

    return max(_DELIMITERS, key=agreement)
