"""Convert comma-, semicolon- and tab-separated values to a table."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby, islice

from footnote.domain import BlockKind
from footnote.ingestion.failures import unreadable
from footnote.ingestion.parsing.drafts import Draft, Reading
from footnote.ingestion.parsing.tables import table_drafts

_DELIMITERS = ",;\t|"
_SAMPLED_ROWS = 50
_MIN_COLUMNS_UNDER_TITLE = 3
_DIGIT = re.compile(r"\d")
_FIELD_LIMIT = 10 * 1024 * 1024


def read_delimited(text: str) -> Reading:
    """Read values with the delimiter that splits most rows into the same number of fields.

    Rows of a single value above a table of three columns or more become paragraphs: its title.
    Raises DocumentUnreadable for a value of more than `_FIELD_LIMIT` characters.
    """
    rows = _rows(text.replace("\0", ""))
    # The table begins at the first row of two values, if any row has three fields.
    filled_rows = (number for number, row in enumerate(rows) if _count(row) > 1)
    has_table = max(map(len, rows), default=0) >= _MIN_COLUMNS_UNDER_TITLE
    top = next(filled_rows, 0) if has_table else 0
    titles = [Draft(kind=BlockKind.PARAGRAPH, text=cell) for row in rows[:top] for cell in row]
    rows = _without_gaps(rows[top:])
    if rows and any(cell.strip() for cell in rows[0]):
        # Name each column of the first row, but not a first column of row names.
        width = max(len(row) for row in rows)
        unnamed_index = not rows[0][0].strip()
        header = [
            cell or f"column {column}" if unnamed_index and column > 1 else cell
            for column, cell in enumerate(map(str.strip, rows[0]), 1)
        ]
        rows[0] = header + [f"column {column}" for column in range(len(header) + 1, width + 1)]
    return Reading(drafts=(*titles, *table_drafts(rows)))


def _rows(text: str) -> list[list[str]]:
    csv.field_size_limit(_FIELD_LIMIT)
    rows: list[list[str]] = []
    try:
        lines = text.splitlines(keepends=True)[: _SAMPLED_ROWS * 4]

        def agreement(delimiter: str) -> tuple[float, int]:
            reader = csv.reader(lines, delimiter=delimiter)
            widths = Counter[int]()
            with suppress(csv.Error):  # reading all rows reports which value is too long
                widths.update(len(row) for row in islice(reader, _SAMPLED_ROWS) if len(row) > 1)
            if not widths:
                return 0.0, 0
            width, count = widths.most_common(1)[0]
            return count / min(len(lines), _SAMPLED_ROWS), width

        delimiter = max(_DELIMITERS, key=agreement)
        rows.extend(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
        if _is_never_closed(text, delimiter):
            # An opening quotation mark that is never closed is an ordinary character.
            plain = csv.reader(text.splitlines(), delimiter=delimiter, quoting=csv.QUOTE_NONE)
            rows = list(plain)
    except csv.Error as error:
        raise unreadable(
            f"a value in row {len(rows) + 1} has more than {_FIELD_LIMIT:,} characters",
            "look there for a quotation mark that is never closed: it makes one value of "
            "all that follows; close it, or split the file",
        ) from error
    return rows


def _is_never_closed(text: str, delimiter: str) -> bool:
    """Whether a quotation mark that opens a value is not closed before the end of the text."""
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        return "unexpected end of data" in str(error)
    return False


def _without_gaps(rows: Sequence[list[str]]) -> list[list[str]]:
    """Return the rows without empty ones, except for one before each further table."""
    tables: list[list[list[str]]] = []
    for is_gap, run in groupby(rows, key=lambda row: not any(cell.strip() for cell in row)):
        part = list(run)
        if is_gap:
            continue
        if tables and not _begins_table(part, tables[-1]):
            tables[-1] += part
        else:
            tables.append(part)
    return [row for table in tables for row in (*table, [])][:-1]


def _begins_table(part: Sequence[Sequence[str]], table: Sequence[Sequence[str]]) -> bool:
    """Whether rows begin a new table: they have a title, another width, or a header.

    A header has a name over a column whose cells all have digits. Rows with digits in such a column
    of the table continue it, even below a row of one value, unless they are wider.
    """
    first = part[0]
    first_full = next((row for row in part if _count(row) > 1), first)
    if any(
        _DIGIT.search(cell) and _all_have_digits(table[1:], column)
        for column, cell in enumerate(first_full)
        if column < _reach(table[:1])
    ):
        return _reach(part) > _reach(table[:1])
    if _count(first) < 2 or _reach(part) != _reach(table[:1]):
        return True
    return any(
        cell.strip() and not _DIGIT.search(cell) and _all_have_digits(part[1:], column)
        for column, cell in enumerate(first)
    )


def _count(row: Sequence[str]) -> int:
    """Return the number of filled cells."""
    return sum(1 for cell in row if cell.strip())


def _all_have_digits(rows: Sequence[Sequence[str]], column: int) -> bool:
    filled = [row[column] for row in rows if column < len(row) and row[column].strip()]
    return bool(filled) and all(map(_DIGIT.search, filled))


def _reach(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of the last filled column, from 1; 0 without any."""
    return max(
        (column for row in rows for column, cell in enumerate(row, 1) if cell.strip()), default=0
    )
