"""Extract a fact from each table cell: row and column, value and unit, and the period."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from footnote.domain.facts import ExtractedFact, FactKind
from footnote.knowledge.grids import Grid, GridCell, grid_of, is_time
from footnote.knowledge.periods import NO_PERIOD, Period, period_and_rest, period_of
from footnote.knowledge.scales import (
    SCALE_NAMES,
    Scale,
    currency_of_column,
    is_unscaled,
    scale_of_head,
    stated_scale,
)
from footnote.knowledge.texts import BETWEEN_HEADINGS, DocumentText, TextBlock
from footnote.language.quantities import (
    DecimalMarks,
    amount_in,
    marks_of,
    marks_of_amounts,
    marks_of_column,
    number_in,
    plain_number,
)

_NUMBER_CONFIDENCE, _TEXT_CONFIDENCE = 0.95, 0.85
_UNNAMED_COLUMN = 0.2
"""Deduction from the confidence of a cell without a column head."""
_LEAD_CHARACTERS = 400
"""Characters before a table that are searched for its unit and caption."""
_MAX_CAPTION = 100
_MAX_CELLS = 20_000
"""Most cells of one table; a larger one is a register, which search serves better than facts."""
_MAX_LABEL, _MAX_VALUE = 160, 240
"""Most characters of a label and a value; longer cells hold prose."""
_MAX_HEADS_EMBEDDED = 200
"""Most characters of a table's column heads that are embedded."""
_EMPTY_CELLS = frozenset(
    ("", "-", "–", "—", "n/a", "n.a.", "k. a.", "k.a.", "nil", "*", "…", "...")
)
_IN_BRACKETS = re.compile(r"\s*[(\[][^)\]]*[)\]]")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """Properties of a column, parsed once for all its cells."""

    head: str
    """Text of its header cells; empty without any."""
    head_spans: tuple[tuple[int, int], ...]
    """Where that stands."""
    period: Period
    """That the head names."""
    beside_period: str
    """The head; empty if it states only a period."""
    scale: Scale
    """That the head names."""
    currency: str
    """Currency that some of its cells have."""
    marks: DecimalMarks
    """Decimal marks to parse its numbers with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Properties of a table, or of its rows below a label that is alone in its row."""

    language: str | None
    about: str
    """Its caption, else its heading, else the title of its document."""
    headings: tuple[str, ...]
    labels: int
    """Index of the label column: the first, or the second if the first numbers the rows."""
    columns: Sequence[_Column]
    scale: Scale
    group: str = ""
    """The last label that was alone in its row."""
    group_spans: tuple[tuple[int, int], ...] = ()
    """Where that stands."""

    def below(self, label: GridCell) -> _Table:
        """Return the properties of the rows below a lone label, which names a group or states a
        scale."""
        label_scale = stated_scale(label.text)
        scaled = replace(self, scale=label_scale.within(self.scale))
        if not label.text or (label_scale.power and label.text.startswith("(")):
            return scaled
        spans = ((label.start, label.end),)
        return replace(scaled, group=label.text.rstrip(":"), group_spans=spans)

    def embedded(self, label: str, column: int) -> tuple[str, ...]:
        """Texts whose vectors are averaged for a cell: its row twice, all column heads, and its
        own."""
        heads = [table_column.head for table_column in self.columns]
        all_heads = ", ".join(filter(None, heads[self.labels + 1 :]))[:_MAX_HEADS_EMBEDDED]
        row = f"{label} ({self.group or self.about})"
        return tuple(filter(None, (row, row, all_heads, heads[column])))

    def words_of(self, label: GridCell, cell: GridCell, column: int) -> tuple[tuple[int, int], ...]:
        """Return the spans of all text of a cell's fact, the cell's first."""
        cell_spans = ((cell.start, cell.end), (label.start, label.end))
        heads = (*self.columns[column].head_spans, *self.columns[self.labels].head_spans)
        above = (*heads, *self.group_spans)
        return tuple(dict.fromkeys((*cell_spans, *above)))


@dataclass(frozen=True, slots=True)
class _Claim:
    """The subject, predicate and period that a cell is the value of."""

    subject: str
    predicate: str
    period: Period
    head: str
    """The column head without a period."""


def table_facts(
    document: DocumentText, block: TextBlock, document_scale: Scale
) -> Iterator[ExtractedFact]:
    """Extract the facts of one table, cell by cell; none if it cannot be parsed.

    `document_scale` is the scale that the document names once for all of its tables.

    A row's first cell is its label, and the subject; where columns are periods the table's caption,
    heading or document is the subject and the label the predicate.
    """
    grid = grid_of(document.text, block.start, block.end)
    if grid is None or len(grid.rows) * len(grid.rows[0]) > _MAX_CELLS:
        return
    preceding = document.text[max(0, block.start - _LEAD_CHARACTERS) : block.start].rstrip()
    lead = "\n".join(
        paragraph for paragraph in re.split(r"\n\s*\n", preceding)[-2:] if "|" not in paragraph
    )
    columns = [_column_of(grid, number, document) for number in range(len(grid.rows[0]))]
    labels = 1 if len(columns) > 2 and _is_numbering(grid.column(0)) else 0
    scale = columns[labels].scale.within(stated_scale(lead))
    if not scale.power:
        scale = scale.within(document_scale)
    heading = block.headings[-1] if block.headings else document.title
    # The caption is the line right above a table, if it is short and no sentence.
    last = lead.rsplit("\n", 1)[-1].strip()
    caption = _IN_BRACKETS.sub("", last).strip(" :*#_")
    is_sentence = last.endswith((".", "!", "?", ";"))
    table = _Table(
        language=document.language,
        about=(caption if len(last) <= _MAX_CAPTION and not is_sentence else "") or heading,
        headings=block.headings,
        labels=labels,
        columns=columns,
        scale=scale,
    )
    for row in grid.rows:
        label, *cells = row[table.labels :]
        if all(cell.text.casefold() in _EMPTY_CELLS for cell in cells):
            table = table.below(label)
            continue
        if not label.text or len(label.text) > _MAX_LABEL:
            continue
        for column, cell in enumerate(cells, start=table.labels + 1):
            if cell.text.casefold() not in _EMPTY_CELLS and len(cell.text) <= _MAX_VALUE:
                yield _cell_fact(table, label, cell, column)


def _column_of(grid: Grid, number: int, document: DocumentText) -> _Column:
    heads = grid.heads_of(number)
    head = " ".join(cell.text for cell in heads)
    period, remainder = period_and_rest(head)
    cells = grid.column(number)
    currency = currency_of_column(cells)
    return _Column(
        head=head,
        head_spans=tuple((cell.start, cell.end) for cell in heads),
        period=period,
        beside_period=remainder,
        scale=scale_of_head(head),
        currency=currency,
        marks=marks_of_column(cells, document.language, marks_of_amounts(document.text))
        if currency
        else marks_of(cells),
    )


def _cell_fact(table: _Table, label: GridCell, cell: GridCell, column: int) -> ExtractedFact:
    claim = _claim_of(table, label.text, column)
    by_row = claim.predicate == label.text
    qualifiers = {
        "section": BETWEEN_HEADINGS.join(table.headings),
        "group": table.group,
        "column": claim.head if by_row else "",
    }
    value, unit, scale = _value_of(table, label.text, cell.text, column)
    qualifiers["scale"] = scale
    group = f" ({table.group})" if table.group else ""
    name = (
        f"{claim.subject} – {claim.predicate}{group}"
        if by_row
        else f"{claim.subject}{group} – {claim.predicate or 'value'}"
    )
    head = table.columns[column].head
    head_suffix = f", {head}" if claim.period != NO_PERIOD and not claim.head else ""
    confidence = _TEXT_CONFIDENCE if value is None else _NUMBER_CONFIDENCE
    return ExtractedFact(
        kind=FactKind.CELL,
        subject=claim.subject,
        predicate=claim.predicate,
        object=cell.text,
        statement=f"{name}{head_suffix}: {cell.text}{f' ({scale})' if scale else ''}",
        embedded=table.embedded(label.text, column),
        spans=table.words_of(label, cell, column),
        quoted=(label.start, cell.end),
        confidence=confidence - (0 if head else _UNNAMED_COLUMN),
        value=value,
        unit=unit,
        qualifiers={name: qualifier for name, qualifier in qualifiers.items() if qualifier},
        valid_from=claim.period[0],
        valid_to=claim.period[1],
    )


def _claim_of(table: _Table, label: str, column: int) -> _Claim:
    """Return what the cell in the row of a label and in a column is the value of."""
    table_column = table.columns[column]
    period, head = table_column.period, table_column.beside_period
    corner = table.columns[table.labels].head
    if period != NO_PERIOD:
        # `As of December 31,` in the corner dates the years above the columns.
        dated = period_of(f"{corner} {table_column.head}") if corner and not head else NO_PERIOD
        period = period if dated == NO_PERIOD else dated
        return _Claim(label, head, period, head) if head else _Claim(table.about, label, period, "")
    period, remainder = period_and_rest(label)
    if period != NO_PERIOD:
        return _Claim(label if remainder else table.about, head, period, head)
    return _Claim(label, head, period_of(table.group), head)


def _value_of(table: _Table, label: str, cell: str, column: int) -> tuple[str | None, str, str]:
    """Parse a cell: its number with the scale applied, its unit, and the name of the scale."""
    table_column = table.columns[column]
    parse = amount_in if table_column.currency else number_in
    number = parse(cell, table.language, table_column.marks)
    if number is None or is_time(cell):
        return None, "", ""
    scale = table_column.scale.within(table.scale)
    if number.unit == "%" or (not number.unit and scale.percent):
        return plain_number(number.value), "%", ""
    if is_unscaled(label):
        return plain_number(number.value), number.unit, ""
    unit = number.unit or scale.currency or table_column.currency
    return (
        plain_number(number.value.scaleb(scale.power)),
        unit,
        SCALE_NAMES.get(scale.power, ""),
    )


def _is_numbering(cells: Sequence[str]) -> bool:
    """Whether the cells of a column only number its rows, by numerals or letters.

    >>> [_is_numbering(cells) for cells in (["1.", "2."], ["A", "B"], ["2019", "2020"], ["1"])]
    [True, True, False, False]
    """
    numerals = [cell.strip(" .):(") for cell in cells if cell]
    if len(numerals) < 2 or any(
        len(numeral) > 1 and not numeral.isdecimal() for numeral in numerals
    ):
        return False
    numbers = [
        int(numeral) if numeral.isdecimal() else ord(numeral.casefold())
        for numeral in numerals
        if numeral
    ]
    starts = (0, 1, ord("a"))
    return (
        numbers[:1] != []
        and numbers[0] in starts
        and numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    )
