"""Tables that break no words: where the columns do not fit, each row becomes a block of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

_GAP = 2
"""Columns before and behind the names of a row's lines."""
_EDGES, _BETWEEN = 2, 3
"""Columns that the box of a table takes at its sides, and between two cells."""
_MIN_PROSE = 20
"""A narrower column of prose is harder to read than lines below each other."""

Cell = str | Text

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Listing:
    """Rows under the names of their columns; names that begin with `#` are of numbers."""

    columns: Sequence[str]
    rows: list[tuple[Text, ...]] = field(default_factory=list)

    def add_row(self, *cells: Cell) -> None:
        """Add a row with a cell for each column."""
        self.rows.append(tuple(Text(cell) if isinstance(cell, str) else cell for cell in cells))

    @property
    def row_count(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def show(self, console: Console) -> None:
        """Print it; a word that is longer than a line is left to the terminal to break."""
        if (widths := self._widths(console.width)) is not None:
            console.print(self._table(widths))
            return
        for line in self._lines(console.width):
            console.print(line, soft_wrap=True)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The same as a part of another renderable."""
        widths = self._widths(options.max_width)
        if widths is not None:
            yield self._table(widths)
        else:
            yield from self._lines(options.max_width)

    def _widths(self, available: int) -> list[int] | None:
        """The width of each column; None where they cannot all hold their longest word."""
        min_widths = [max(map(_longest_word, cells)) for cells in self._cells()]
        max_widths = [max(map(_longest_line, cells)) for cells in self._cells()]
        min_widths = [
            min(wide, max(narrow, _MIN_PROSE))
            for narrow, wide in zip(min_widths, max_widths, strict=True)
        ]
        spare = available - sum(min_widths) - _EDGES - _BETWEEN * (len(min_widths) - 1)
        if spare < 0:
            return None
        widths = list(min_widths)
        # Small needs first, so that one long text does not take the space that the others need.
        order = sorted(
            range(len(min_widths)), key=lambda index: max_widths[index] - min_widths[index]
        )
        for done, index in enumerate(order):
            extra = min(max_widths[index] - min_widths[index], spare // (len(order) - done))
            widths[index] += extra
            spare -= extra
        return widths

    def _cells(self) -> Iterator[list[Text]]:
        for index, name in enumerate(self.columns):
            yield [Text(name.removeprefix("#")), *(row[index] for row in self.rows)]

    def _table(self, widths: Sequence[int]) -> Table:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for column, width in zip(self.columns, widths, strict=True):
            name = column.removeprefix("#")
            table.add_column(
                name,
                justify="left" if name == column else "right",
                overflow="fold",
                width=width,
            )
        for row in self.rows:
            table.add_row(*row)
        return table

    def _lines(self, width: int) -> Iterator[Text]:
        names = [column.removeprefix("#") for column in self.columns[1:]]
        label_width = max((cell_len(name) for name in names), default=0) + _GAP
        for row in self.rows:
            yield from _broken_at_words(row[0], width)
            for name, cell in zip(names, row[1:], strict=True):
                if not cell.plain.strip():
                    continue
                value_width = max(width - _GAP - label_width, 1)
                for number, line in enumerate(_broken_at_words(cell, value_width)):
                    label = "" if number else name
                    gap = " " * (label_width - cell_len(label))
                    yield Text.assemble(" " * _GAP, (label, "dim"), gap, line)
            yield Text()


def labelled_facts(facts: Sequence[tuple[Text, Text]], width: int) -> Iterator[Text]:
    """Each fact beside its name, on as many lines as its words need."""
    label_width = max((name.cell_len for name, _ in facts), default=0) + _GAP
    for name, value in facts:
        value_width = max(width - label_width, 1)
        for number, line in enumerate(_broken_at_words(value, value_width)):
            label = Text() if number else name
            yield Text.assemble(label, " " * (label_width - label.cell_len), line)


def _broken_at_words(text: Text, width: int) -> Iterator[Text]:
    """Lines of that width, but for words that are longer; rich itself would break those."""
    for line in text.split("\n"):
        begin, breaks = 0, []
        for word in _WORD.finditer(line.plain):
            if word.start() > begin and cell_len(line.plain[begin : word.end()]) > width:
                begin = word.start()
                breaks.append(begin)
        for part in line.divide(breaks):
            part.rstrip()
            yield part


def _longest_word(text: Text) -> int:
    return max(map(cell_len, text.plain.split()), default=0)


def _longest_line(text: Text) -> int:
    return max(map(cell_len, text.plain.splitlines()), default=0)
