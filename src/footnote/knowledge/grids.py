"""The Markdown of a table becomes a grid of cells that know where they stand."""

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
_MOST_HEADS = 4
"""Rows that may name columns."""


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell: its text as it is read, and where that stands in the canonical text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table: rows that name its columns, and the rows under them, all of one width."""

    heads: tuple[tuple[GridCell, ...], ...]
    rows: tuple[tuple[GridCell, ...], ...]

    def column(self, number: int) -> list[str]:
        """The texts of a column's cells under its heads."""
        return [row[number].text for row in self.rows]

    def heads_of(self, number: int) -> list[GridCell]:
        """What names a column: what stands above it, and above several columns with it."""
        named: dict[str, GridCell] = {}
        for row in self.heads:
            said = _spread(row)[number]
            if said.text:
                named.setdefault(said.text, said)
        return list(named.values())


def grid_of(text: str, start: int, end: int) -> Grid | None:
    """The table that stands in this span of a text; None for what is none.

    Rows of another width than most are left out, since nobody can tell their columns.
    """
    rows: list[tuple[GridCell, ...]] = []
    place = start
    for line in text[start:end].splitlines(keepends=True):
        if "|" in line and not _SEPARATOR.fullmatch(line.strip()):
            rows.append(
                tuple(
                    GridCell(
                        " ".join(_EMPHASIS.sub(" ", unescaped(text[first:last])).split()),
                        first,
                        last,
                    )
                    for first, last in cell_spans(text, place, (place + len(line.rstrip("\r\n"))))
                )
            )
        place += len(line)
    if len(rows) < 2:
        return None
    widths = [len(row) for row in rows]
    width = max(set(widths), key=lambda each: (widths.count(each), each))
    rows = [row for row in rows if len(row) == width]
    if width < 2 or len(rows) < 2:
        return None
    heads = _heads(rows)
    return Grid(heads=tuple(rows[:heads]), rows=tuple(rows[heads:]))


def is_time(text: str) -> bool:
    """Whether a text names a year, a quarter or a date, and so may name a column."""
    return bool(_YEAR.fullmatch(text.strip()) or dates_mentioned(text) or quarters_in(text))


def _heads(rows: list[tuple[GridCell, ...]]) -> int:
    """How many of the first rows name columns; at least one.

    More than one only where numbers follow: rows before the first number, but for those that
    name nothing but themselves.
    """
    for count, row in enumerate(rows[: _MOST_HEADS + 1]):
        others = [cell.text for cell in row[1:] if cell.text]
        if any(number_in(each) is not None and not is_time(each) for each in others):
            return max(1, count)
        if count and not others:
            return count
    return 1


def _spread(row: tuple[GridCell, ...]) -> Sequence[GridCell]:
    """A head's cells; one that stands alone in its row holds for every column but the first."""
    said = [cell for cell in row[1:] if cell.text]
    if len(said) == 1 and len(row) > 2:
        return [row[0], *said * (len(row) - 1)]
    return row
