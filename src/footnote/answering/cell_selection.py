"""Select one table cell: the row that the question names and the column it asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, log
from uuid import UUID

from footnote.answering.answer_features import heading_of
from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.schema_linking import LinkedQuestion
from footnote.answering.table_completion import with_complete_tables
from footnote.answering.table_question import link_to_tables
from footnote.answering.table_selection import row_key
from footnote.answering.tables import Row, is_cell
from footnote.answering.titles import Terms, split_identifier, with_plain_titles
from footnote.domain import Evidence
from footnote.ports import Analyzer, ExpandPassages, PassageText, Reader, TableQuestionModel

SURELY_ELSEWHERE = 0.5
"""Probability from which an answer outside the table is preferred to the selected cell."""
MIN_CELL = 0.6
"""Probability from which a selected cell is shown although the reader found no answer."""
BY_READING, BY_TITLE, FOR_NONE = 0.19, 0.54, -1.73
"""Coefficients of a column's log-odds: of the reader's score of its cell, and of the
log-probability of its title and cells; and the bias of "no column". `bench/fit_cells.py` fits
them; in its data one question of five is about no column."""
MIN_SCORE, MIN_CHANCE = -12.0, 1e-4
"""Scores are clipped from below: of a cell in which nothing was read, and of any column."""
MAX_ROWS = 3
"""Most rows that are read; each is in a table of its own."""
MAX_TITLES = 6
"""Most column titles that a refusal lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSelection:
    """The result of cell selection."""

    chosen: Sequence[LocatedAnswer]
    note: str | None = None
    """The columns of the one row whose full name the question mentions, where no cell of it is
    probable enough and no other document is a better match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSelector:
    """Replaces the reader's answer by the selected cell if that answer is unsure or another cell.

    If the row has no column for what is asked, the reader's answer from that row is dropped.
    """

    reader: Reader
    finder: TableQuestionModel
    analyzer: Analyzer
    least: float
    """Minimum probability of a located answer."""
    around: ExpandPassages | None = None
    """Loads the rest of a table that was retrieved in part."""

    async def __call__(
        self,
        question: str,
        chosen: Sequence[LocatedAnswer],
        tables: Sequence[Evidence],
        *,
        closest: UUID,
    ) -> CellSelection:
        """Select the answers to show. Raises ModelUnavailable.

        `closest` is the document of the best evidence. There is a note only about a row of that
        document.
        """
        best_answer = chosen[0] if chosen and chosen[0].probability >= self.least else None
        if (
            best_answer is not None
            and not is_cell(best_answer)
            and best_answer.probability >= SURELY_ELSEWHERE
        ):
            return CellSelection(chosen=chosen)
        row_cells = await self._rows_with_cells(question, tables, best_answer)
        note = None
        if len(row_cells) == 1 and row_cells[0][0].document_id == closest:
            note = row_cells[0][0].columns_text
        matches = [(row, cell) for row, cell in row_cells if cell is not None]
        matches = [match for match in matches if match[0].is_named_by_its_name] or matches
        is_in_named_row = best_answer is not None and any(
            row.holds(best_answer) for row, _ in row_cells
        )
        if best_answer is not None and len(matches) > 1:
            # Similar tables have rows of the same name: prefer the row that was read.
            matches = [match for match in matches if match[0].holds(best_answer)] or matches
        cells = [cell for _, cell in matches]
        if is_in_named_row and not cells:
            return CellSelection(chosen=(), note=note)
        threshold = MIN_CELL if best_answer is None else 0.0
        # Another row of that table is not the row that the question names.
        is_in_same_table = best_answer is not None and any(
            row.is_of_table_of(best_answer) for row, _ in matches
        )
        is_kept = (
            best_answer is not None
            and not is_in_same_table
            and best_answer.probability >= SURELY_ELSEWHERE
        )
        if len(cells) != 1 or is_kept or cells[0].probability < threshold:
            return CellSelection(chosen=chosen, note=note)
        return CellSelection(chosen=cells)

    async def _rows_with_cells(
        self, question: str, tables: Sequence[Evidence], best: LocatedAnswer | None
    ) -> list[tuple[NamedRow, LocatedAnswer | None]]:
        """The rows that the question names, each with the requested cell, if there is one.

        The row of `best` comes first, then rows of tables with a mentioned title.
        """
        terms = partial(self.analyzer.terms, language=tables[0].passage.language)
        named_rows = await asyncio.to_thread(lambda: list(match_rows(question, tables, terms)))
        if self.around is not None and not all(row.linked.table.is_whole for row in named_rows):
            # A missing part of the table may have another row of that name.
            whole_tables = await with_complete_tables(tables, tables, self.around)
            rows_of_whole_tables = await asyncio.to_thread(
                lambda: list(match_rows(question, whole_tables, terms))
            )
            row_keys = {row_key(row.row.candidate) for row in rows_of_whole_tables}
            named_rows = [row for row in named_rows if row_key(row.row.candidate) in row_keys]
        named_rows.sort(
            key=lambda row: (best is None or not row.holds(best), not row.linked.titles)
        )
        row_cells = []
        for row in named_rows[:MAX_ROWS]:
            columns = await read_columns(self.reader, self.finder, question, row)
            if columns is not None:
                row_cells.append((row, row.cell(columns)))
        return row_cells


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnScores:
    """Model scores for the columns of a row, without the first column."""

    scores: Sequence[float]
    """For each cell, the reader's log-odds that it contains the answer."""
    chances: Sequence[float]
    """For each title, the probability that the question is about it."""
    none: float
    """The probability that the question is about none of them."""
    filter_phrases: Sequence[str]
    """The phrases of the question that restrict the rows."""

    @property
    def probabilities(self) -> list[float]:
        """The probability of each column, and last of "no column"; they sum to 1."""
        odds = [
            BY_READING * score + BY_TITLE * log(max(chance, MIN_CHANCE))
            for score, chance in zip(self.scores, self.chances, strict=True)
        ]
        odds.append(FOR_NONE + BY_TITLE * log(max(self.none, MIN_CHANCE)))
        shares = [exp(value - max(odds)) for value in odds]
        return [share / sum(shares) for share in shares]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRow:
    """The one row of a table that a question names."""

    linked: LinkedQuestion
    row: Row

    def cell(self, columns: ColumnScores) -> LocatedAnswer | None:
        """The row's cell in the most probable column.

        None if "no column" is most probable or the question restricts the rows by words that they
        lack.
        """
        probabilities = columns.probabilities
        column_index = probabilities.index(max(probabilities)) + 1
        if column_index == len(self.row.cells):
            return None
        cell = self.row.cells[column_index]
        # "The late shift in Tinnock" is the column "Tinnock late".
        if not all(
            self.linked.is_linked(phrase, (cell.title,)) for phrase in columns.filter_phrases
        ):
            return None
        is_identified = cell.title or self.linked.table.header.count("") == 1
        if not cell.text or not is_identified or self.row.candidate.is_prompt_injection:
            return None
        return LocatedAnswer(
            candidate=self.row.candidate,
            start=cell.start,
            end=cell.end,
            probability=max(probabilities),
        )

    @property
    def columns_text(self) -> str | None:
        """The columns of the row, if the question contains the full name of the row."""
        name, *cells = self.row.cells
        if (
            name.text not in self.linked.matched_cells.get(0, ())
            or self.row.candidate.is_prompt_injection
        ):
            return None
        titles = list(dict.fromkeys(cell.title for cell in cells if cell.title and cell.text))
        suffix = f" and {len(titles) - MAX_TITLES} more" if len(titles) > MAX_TITLES else ""
        if not titles:
            return None
        columns = f"{', '.join(titles[:MAX_TITLES])}{suffix}"
        return f"the row {name.text!r} has {columns}, and none of these is surely asked for"

    @property
    def is_named_by_its_name(self) -> bool:
        """Whether the question mentions the row by its first column, not only by another cell."""
        return self.row.cells[0].text in self.linked.matched_cells.get(0, ())

    @property
    def document_id(self) -> UUID:
        """The document of the table."""
        return self.row.candidate.evidence.passage.document_id

    def holds(self, answer: LocatedAnswer) -> bool:
        """Whether the answer is in this row."""
        return row_key(answer.candidate) == row_key(self.row.candidate)

    def is_of_table_of(self, answer: LocatedAnswer) -> bool:
        """Whether the answer is in any row of the same table."""
        row_keys = {row_key(row.candidate) for row in self.linked.table.rows}
        return row_key(answer.candidate) in row_keys


def match_rows(question: str, evidence: Sequence[Evidence], terms: Terms) -> Iterator[NamedRow]:
    """The rows that a question names: one for each table in which it names exactly one."""
    for linked in link_to_tables(question, evidence, terms):
        table = linked.table
        matching_rows = [
            row for row in table.rows if linked.matched_cells and linked.matches_filter(row)
        ]
        if not matching_rows:
            # "Is order 7 delivered?" names a row by its name, and a value that it may not have.
            matching_rows = _rows_of_one_name(linked)
        if len(matching_rows) == 1 and len(table.header) > 1:
            yield NamedRow(linked=linked, row=matching_rows[0])


def _rows_of_one_name(linked: LinkedQuestion) -> list[Row]:
    """The single row with a mentioned cell value, by the first column that has exactly one such
    row."""
    for column_index, values in linked.matched_cells.items():
        matching_rows = [row for row in linked.table.rows if row.cells[column_index].text in values]
        if len(matching_rows) == 1:
            return matching_rows
    return []


async def read_columns(
    reader: Reader, finder: TableQuestionModel, question: str, named_row: NamedRow
) -> ColumnScores | None:
    """Score the columns of a row, given to the reader as one `title: cell` line per column.

    Rows far below their header are read less well. None from a model without table heads. Raises
    ModelUnavailable.
    """
    header = named_row.linked.table.header
    plain_question = with_plain_titles(question, header)
    prediction = await finder.column_probabilities(
        plain_question, named_row.linked.table.titled_columns()
    )
    if prediction is None:
        return None
    lines, cell_spans, offset = [], [], 0
    for title, cell in zip(header, named_row.row.cells, strict=True):
        lines.append(f"{split_identifier(title)}: {cell.text}")
        end = offset + len(lines[-1])
        cell_spans.append((end - len(cell.text), end))
        offset = end + 1
    heading = heading_of(named_row.row.candidate.evidence.passage)
    text = PassageText(text="\n".join(lines), heading=heading, allowed_spans=tuple(cell_spans))
    [reading] = await reader.read(plain_question, [text])
    scores = [MIN_SCORE] * len(header)
    for span in reading.spans:
        for index, (start, end) in enumerate(cell_spans):
            if span.start < end and start < span.end:
                scores[index] = max(scores[index], span.score)
    return ColumnScores(
        scores=scores[1:],
        chances=prediction.probabilities,
        none=prediction.no_column_probability,
        filter_phrases=prediction.filter_phrases,
    )
