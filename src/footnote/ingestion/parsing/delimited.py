"""Comma-, semicolon- and tab-separated values become a table."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence

from footnote.domain import BlockKind
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.tables import table_drafts

_DELIMITERS = ",;\t|"
_SAMPLED_ROWS = 50
_LEAST_COLUMNS_UNDER_TITLE = 3
_FIELD_LIMIT = 10 * 1024 * 1024


def read_delimited(text: str) -> Reading:
    """Read values under the delimiter that cuts most rows into the same number of fields.

    Lines of a single value above a table of three columns or more are paragraphs: its title.
    """
    csv.field_size_limit(_FIELD_LIMIT)
    delimiter = _delimiter(text)
    rows = list(csv.reader(io.StringIO(text.replace("\0", ""), newline=""), delimiter=delimiter))
    top = _first_full_row(rows)
    titles = [Draft(kind=BlockKind.PARAGRAPH, text=cell) for row in rows[:top] for cell in row]
    rows = rows[top:]
    if rows and any(cell.strip() for cell in rows[0]):
        width = max(len(row) for row in rows)
        # Every column keeps its place, however empty; the header must not lose one.
        rows[0] += [f"column {number}" for number in range(len(rows[0]) + 1, width + 1)]
    return Reading(drafts=(*titles, *table_drafts(rows)))


def _first_full_row(rows: Sequence[Sequence[str]]) -> int:
    """Where the table begins: the first row of two values, if one of three fields comes at all."""
    if max(map(len, rows), default=0) < _LEAST_COLUMNS_UNDER_TITLE:
        return 0
    filled = (sum(1 for cell in row if cell.strip()) for row in rows)
    return next((number for number, count in enumerate(filled) if count > 1), 0)


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
