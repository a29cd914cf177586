"""Parse a Markdown table into a grid of cells with their offsets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.language.dates import dates_mentioned, quarters_in
from footnote.language.quantities import number_in
from footnote.language.table_rows import cell_spans, unescaped

_SEPARATOR = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_EMPHASIS = re.compile(r"\*\*|__|`|<br\s*/?>")
_YEAR = re.compile(r"(?:FY\s?)?(?:19|20)\d{2}(?:\s?[/–-]\s?\d{2,4})?[A-Z*]?")
_MAX_HEADS = 4
"""Most header rows of a table."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell: its plain text, and its half-open offsets in the canonical text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table: its header rows and its body rows, all of one width."""

    heads: tuple[tuple[GridCell, ...], ...]
    rows: tuple[tuple[GridCell, ...], ...]

    def column(self, number: int) -> list[str]:
        """Return the texts of a column's body cells."""
        return [row[number].text for row in self.rows]

    def heads_of(self, number: int) -> list[GridCell]:
        """Return the header cells of a column, those that span several columns included."""
        by_text: dict[str, GridCell] = {}
        for row in self.heads:
            cell = _spread(row)[number]
            if cell.text:
                by_text.setdefault(cell.text, cell)
        return list(by_text.values())


def grid_of(text: str, start: int, end: int) -> Grid | None:
    """Parse the table in this span of a text; None if it is not one.

    Rows of another width than most are left out, since their columns are unknown.
    """
    rows: list[tuple[GridCell, ...]] = []
    offset = start
    for line in text[start:end].splitlines(keepends=True):
        if "|" in line and not _SEPARATOR.fullmatch(line.strip()):
            rows.append(
                tuple(
                    GridCell(
                        " ".join(_EMPHASIS.sub(" ", unescaped(text[first:last])).split()),
                        first,
                        last,
                    )
                    for first, last in cell_spans(text, offset, (offset + len(line.rstrip("\r\n"))))
                )
            )
        offset += len(line)
    if len(rows) < 2:
        return None
    widths = [len(row) for row in rows]
    width = max(set(widths), key=lambda candidate: (widths.count(candidate), candidate))
    rows = [row for row in rows if len(row) == width]
    if width < 2 or len(rows) < 2:
        return None
    heads = _heads(rows)
    return Grid(heads=tuple(rows[:heads]), rows=tuple(rows[heads:]))


def is_time(text: str) -> bool:
    """Whether a text names a year, a quarter or a date, and so may name a column."""
    return bool(_YEAR.fullmatch(text.strip()) or dates_mentioned(text) or quarters_in(text))


def _heads(rows: list[tuple[GridCell, ...]]) -> int:
    """Count the header rows; at least one.

    More than one only where numbers follow: the rows before the first number, up to a row that has
    text in its first cell alone.
    """
    for count, row in enumerate(rows[: _MAX_HEADS + 1]):
        texts = [cell.text for cell in row[1:] if cell.text]
        if any(number_in(text) is not None and not is_time(text) for text in texts):
            return max(1, count)
        if count and not texts:
            return count
    return 1


def _spread(row: tuple[GridCell, ...]) -> Sequence[GridCell]:
    """A header row's cells; one that is alone in its row spans every column but the first."""
    filled = [cell for cell in row[1:] if cell.text]
    if len(filled) == 1 and len(row) > 2:
        return [row[0], *filled * (len(row) - 1)]
    return row
