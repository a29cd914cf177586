"""Assemble the table around a row from the retrieved passages, complete or not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from footnote.answering.answer_selection import LocatedAnswer, contains_phrase
from footnote.answering.sentences import Candidate, Cell, candidates_of, cells_of
from footnote.answering.titles import Terms, disambiguate_titles, mentions_title, split_identifier
from footnote.domain import BlockKind, BlockSpan, Evidence, Passage
from footnote.language.moments import Moments, moments_of
from footnote.language.quantities import (
    DecimalMarks,
    NotComparable,
    Quantities,
    marks_of_amounts,
    quantities_of,
)
from footnote.ports import AnswerSpan, TitledColumn

_LONGEST_NAME = 60
_ROWS_SHOWN, _CELLS_SHOWN = 12, 2
"""Most rows that are examined, and most distinct cells of a column that a model gets
(`footnote.models.table_questions.MAX_CELLS` is its own limit)."""
_BETWEEN_PARTS = 2
"""Most characters between two adjacent parts of a table; no row is as short."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table."""

    candidate: Candidate
    cells: tuple[Cell, ...]

    @property
    def is_emphasised(self) -> bool:
        """Whether it is bold, like total rows."""
        return "**" in self.candidate.quote or "__" in self.candidate.quote


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The rows of a table in order, as far as they were retrieved."""

    header: tuple[str, ...]
    rows: tuple[Row, ...]
    is_whole: bool
    """Whether it has all rows."""
    language: str | None
    amounts: DecimalMarks
    """Decimal marks that fit the retrieved amounts of its document."""

    def column(self, number: int) -> list[str]:
        """The texts of a column; empty for a row that is cut or has fewer cells."""
        return [row.cells[number].text if number < len(row.cells) else "" for row in self.rows]

    def titled_columns(self, numbers: Iterable[int] | None = None) -> list[TitledColumn]:
        """The columns as input of the table model: all, or the first and those with the given
        numbers."""
        indices = range(len(self.header)) if numbers is None else (0, *numbers)
        return [
            TitledColumn(
                title=split_identifier(self.header[number]), cells=self._first_cells(number)
            )
            for number in indices
        ]

    def _first_cells(self, number: int) -> tuple[str, ...]:
        """The first distinct cells of a column."""
        cells = (row.cells[number].text for row in self.rows if number < len(row.cells))
        distinct_cells: dict[str, None] = {}
        for cell in islice(cells, _ROWS_SHOWN):
            if cell and len(distinct_cells) < _CELLS_SHOWN:
                distinct_cells[cell] = None
        return tuple(distinct_cells)

    def name_of(self, row: Row, shown_columns: Collection[int] = ()) -> str:
        """The name of a row: its first cell; after a code also the second, if it is a unique name.

        The second is left out if it is among `shown_columns`. Rows with equal names get the first
        text cell that distinguishes them.
        """
        name_cell, *other_cells = row.cells
        same_name_rows = [
            other
            for other in self.rows
            if other.cells[:1] and other.cells[0].text == name_cell.text
        ]
        for column_index in (
            range(1, len(row.cells)) if len(same_name_rows) > 1 and name_cell.text else ()
        ):
            cells = [
                other.cells[column_index].text
                for other in same_name_rows
                if column_index < len(other.cells)
            ]
            are_words = all(text[:1].isalpha() and len(text) <= _LONGEST_NAME for text in cells)
            if (
                column_index not in shown_columns
                and are_words
                and len(set(cells)) == len(same_name_rows)
            ):
                return f"{name_cell.text}, {row.cells[column_index].text}"
        if not is_code(name_cell.text) or not other_cells or 1 in shown_columns:
            return name_cell.text
        names = self.column(1)
        are_names = all(name[:1].isalpha() and len(name) <= _LONGEST_NAME for name in names)
        if not are_names or len(set(names)) < len(names):
            return name_cell.text
        return f"{name_cell.text}, {other_cells[0].text}"

    def quantities(self, cells: Sequence[str]) -> Quantities | NotComparable | None:
        """Parse cells of one of its columns as numbers."""
        return quantities_of(cells, self.language, self.amounts)

    def moments(
        self, cells: Sequence[str], *, of_one_year: bool = False
    ) -> Moments | NotComparable | None:
        """Parse cells of one of its columns as dates or times."""
        return moments_of(cells, self.language, of_one_year=of_one_year)


@dataclass(frozen=True, slots=True)
class _Part:
    """The span of a part of a table in the document's canonical text."""

    start: int
    end: int
    begins: bool
    ends: bool


def table_around(row: Candidate, evidence: Sequence[Evidence]) -> Table | None:
    """The table of a row, assembled from all passages with a part of it.

    None for a candidate that is not a row under a header.
    """
    if not _is_table_row(row):
        return None
    passage = row.evidence.passage
    document_evidence = [
        item
        for item in evidence
        if item.passage.document_id == passage.document_id
        and item.passage.version == passage.version
    ]
    candidates_by_start: dict[int, Candidate] = {}
    parts: list[_Part] = []
    for item in document_evidence:
        header_candidates = [
            candidate
            for candidate in candidates_of([item])
            if candidate.kind is BlockKind.TABLE and candidate.header == row.header
        ]
        candidates_by_start |= {
            candidate.canonical_span[0]: candidate for candidate in header_candidates
        }
        parts += _table_parts(item.passage, header_candidates)
    whole_part = _merged_part_at(row.canonical_span[0], parts)
    table_rows = [
        Row(candidate=candidate, cells=tuple(cells_of(candidate)))
        for start, candidate in sorted(candidates_by_start.items())
        if whole_part.start <= start < whole_part.end
    ]
    return Table(
        header=row.header,
        rows=tuple(table_rows),
        is_whole=whole_part.begins and whole_part.ends,
        language=passage.language,
        amounts=marks_of_amounts("\n".join(item.passage.text for item in document_evidence)),
    )


def name_of_row(
    row: Candidate, evidence: Sequence[Evidence], *, shown_columns: Collection[int]
) -> str:
    """The name of the row in its table, beside these columns; empty for other candidates."""
    table = table_around(row, evidence)
    rows = () if table is None else table.rows
    matching_rows = (
        table_row for table_row in rows if table_row.candidate.canonical_span == row.canonical_span
    )
    matching_row = next(matching_rows, None)
    return (
        "" if table is None or matching_row is None else table.name_of(matching_row, shown_columns)
    )


def tables_of(evidence: Sequence[Evidence]) -> Iterator[Table]:
    """The tables of the evidence, each once."""
    seen_rows: set[tuple[object, ...]] = set()
    for row in candidates_of(evidence):
        passage = row.evidence.passage
        document = (passage.document_id, passage.version)
        if (*document, row.canonical_span) in seen_rows:
            continue
        table = table_around(row, evidence)
        if table is not None:
            seen_rows |= {
                (*document, table_row.candidate.canonical_span) for table_row in table.rows
            }
            yield table


def is_code(name: str) -> bool:
    """Whether a row's name is a number, or letters with a number."""
    return any(map(str.isdigit, name)) and not any(map(str.isspace, name))


def holds_table(evidence: Evidence) -> bool:
    """Whether a passage has a row under a header."""
    return any(map(_is_table_row, candidates_of([evidence])))


def is_cell(answer: LocatedAnswer) -> bool:
    """Whether an answer is in a row under a header."""
    return _is_table_row(answer.candidate)


def under_title(span: AnswerSpan, candidates: Sequence[Candidate]) -> Iterator[LocatedAnswer]:
    """The first cell of the column whose title contains a span."""
    row = next(
        (
            candidate
            for candidate in candidates
            if _is_table_row(candidate) and candidate.start >= span.end
        ),
        None,
    )
    if row is None:
        return
    text = row.evidence.passage.text
    line_end = text.find("\n", span.end)
    header_row = replace(
        row, start=text.rfind("\n", 0, span.start) + 1, end=max(line_end, span.end)
    )
    titles, cells = cells_of(header_row), cells_of(row)
    if tuple(title.text for title in titles) != row.header or len(cells) != len(titles):
        return
    for title, cell in zip(titles, cells, strict=True):
        if title.start < span.end and span.start < title.end and cell.start < cell.end:
            yield LocatedAnswer(
                candidate=row, start=cell.start, end=cell.end, probability=span.probability
            )
            return


def move_to_mentioned_column(question: str, answer: LocatedAnswer, terms: Terms) -> LocatedAnswer:
    """Move the answer to the row's cell under the one column whose title is mentioned.

    A bracketed part or trailing unit of the title need not be mentioned. A column whose cell value
    is mentioned too identifies the row and is not moved to.
    """
    mentioned_cells = [
        cell
        for cell in cells_of(answer.candidate)
        if cell.start < cell.end
        and mentions_title(cell.title, question, terms)
        and not contains_phrase(cell.text, question)
    ]
    titles = disambiguate_titles([cell.title for cell in mentioned_cells], question, terms)
    mentioned_cells = [cell for cell in mentioned_cells if cell.title in titles]
    if len(mentioned_cells) != 1 or (
        mentioned_cells[0].start < answer.end and answer.start < mentioned_cells[0].end
    ):
        return answer
    return replace(answer, start=mentioned_cells[0].start, end=mentioned_cells[0].end)


def _is_table_row(candidate: Candidate) -> bool:
    return candidate.kind is BlockKind.TABLE and any(candidate.header)


def _table_parts(passage: Passage, rows: Sequence[Candidate]) -> Iterator[_Part]:
    """The blocks of a passage that contain one of the rows."""
    starts = [row.canonical_span[0] for row in rows]
    spans = passage.spans or (_whole_passage_span(passage),)
    for block_index, span in enumerate(spans):
        if any(span.char_start <= start < span.char_end for start in starts):
            # A repeated header marks a continued table; older indexes store no other sign of it.
            repeats_header = block_index == 0 and passage.body_offset > 0
            yield _Part(
                span.char_start, span.char_end, span.begins and not repeats_header, span.ends
            )


def _whole_passage_span(passage: Passage) -> BlockSpan:
    return BlockSpan(
        char_start=passage.char_start,
        char_end=passage.char_end,
        page=passage.page_start,
        paragraph=passage.paragraph_start,
        kind=passage.kind,
    )


def _merged_part_at(offset: int, parts: Sequence[_Part]) -> _Part:
    """The part at an offset, merged with overlapping and adjacent parts."""
    merged: list[_Part] = []
    for part in sorted(parts, key=lambda part: (part.start, part.end)):
        last = merged[-1] if merged else None
        if last is not None and part.start - last.end <= _BETWEEN_PARTS:
            furthest = max(last, part, key=lambda part: part.end)
            merged[-1] = _Part(last.start, furthest.end, last.begins, furthest.ends)
        else:
            merged.append(part)
    return next(part for part in merged if part.start <= offset < part.end)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSelection:
    """Rows that a question selects by their values in one column."""

    column: int
    cells: frozenset[str]
    """The values of that column in the selected rows."""
    text: str
    """The selection as written in an answer."""


def columns_of(located: Sequence[LocatedAnswer], table: Table) -> list[int]:
    """The indices of the columns with answers in the row of the first answer, in the order of the
    answers."""
    best = located[0].candidate
    columns: dict[int, None] = {}
    for answer in located:
        candidate = answer.candidate
        if candidate.canonical_span != best.canonical_span:
            continue
        if answer.passage.chunk_id != best.evidence.passage.chunk_id:
            continue
        row = next(row for row in table.rows if row.candidate.canonical_span == best.canonical_span)
        # A row may stand in two overlapping passages, at different offsets.
        shift = candidate.canonical_span[0] - candidate.start
        cell_shift = row.candidate.canonical_span[0] - row.candidate.start
        start, end = answer.start + shift, answer.end + shift
        for column, cell in enumerate(row.cells):
            if cell.start + cell_shift < end and start < cell.end + cell_shift:
                columns[column] = None
    return list(columns)
