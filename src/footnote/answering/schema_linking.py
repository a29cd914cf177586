"""Link a question to a table: find the columns, cell values and rows that it mentions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath

from footnote.answering.answer_selection import LocatedAnswer, contains_phrase
from footnote.answering.tables import Row, RowSelection, Table, columns_of
from footnote.answering.titles import Terms, disambiguate_titles, split_identifier, without_unit
from footnote.answering.totals import Totals, totals_of
from footnote.language.calendar import months_as_called
from footnote.language.figures import digit_runs, first_unknown_number
from footnote.language.truth_values import affirmed
from footnote.ports import Operation

_COMMA = re.compile(r"\s*[,;、]\s*")
_SEVERAL = 2
_MAX_OF_NAME = 3
"""Most terms a name may have to be matched by one of its terms alone."""


@dataclass(frozen=True, kw_only=True)
class LinkedQuestion:
    """The columns, cell values and rows of one table that a question mentions."""

    question: str
    table: Table
    terms: Terms
    located: Sequence[LocatedAnswer]
    reader_matched_cells: Mapping[int, frozenset[str]] = field(default_factory=dict)
    """Column index to the cell values that the reader matched. Used where no cell value is
    mentioned literally."""
    predicted_column: int | None = None
    """Index of the number column that a model predicts. Used where the question mentions no
    title."""
    selection: RowSelection | None = None
    """The rows that the question selects by listing them, by giving a range, or by a comparison;
    None without such a selection."""
    _cached_terms: dict[str, frozenset[str]] = field(default_factory=dict)

    def mentions(self, text: str) -> bool:
        """Whether all terms of a text are in the question."""
        text_terms = self.terms_of(text)
        return bool(text_terms) and text_terms <= self.terms_of(self.question) | self.terms_of(
            split_identifier(self.question)
        )

    @cached_property
    def numeric(self) -> list[int]:
        """The indices of the number columns, whether or not their values are comparable.

        The first column is left out, as it names the rows, unless it is the only one.
        """
        first = 1 if len(self.table.header) > 1 else 0
        columns = range(first, len(self.table.header))
        return [
            column
            for column in columns
            if self.table.quantities(self.table.column(column)) is not None
        ]

    @cached_property
    def orderable_columns(self) -> list[int]:
        """The indices of the columns of numbers, dates or times, whose values have an order."""
        first = 1 if len(self.table.header) > 1 else 0
        return [
            column
            for column in range(first, len(self.table.header))
            if column in self.numeric or self.table.moments(self.table.column(column)) is not None
        ]

    @cached_property
    def titles(self) -> list[int]:
        """The indices of the columns whose titles the question mentions; units are ignored."""
        mentioned = {title for title in self.table.header if self.mentions(without_unit(title))}
        without_units = {without_unit(title) for title in mentioned}
        mentioned = {
            title
            for title in mentioned
            if not self._is_part_of_another(without_unit(title), without_units)
        }
        matched = (
            disambiguate_titles(mentioned, self.question, self.terms)
            - self.titles_explained_by_cells
        )
        return [column for column, title in enumerate(self.table.header) if title in matched]

    @cached_property
    def titles_explained_by_cells(self) -> frozenset[str]:
        """The titles of numbers, dates or times whose words are explained by mentioned cell values.

        Each such cell value occurs in several rows. Examples: "Passengers" in "How many passenger
        ferries are there?"; "Opened" in "How many orders are open?" where "Open" is a cell.
        """
        cells = {
            cell
            for column in range(len(self.table.header))
            if column not in self.numeric
            for cell, count in Counter(self.table.column(column)).items()
            if count >= _SEVERAL and self.mentions(cell)
        }

        def is_of_cells(title: str) -> bool:
            if self._is_part_of_another(title, cells):
                return True
            same_terms = [cell for cell in cells if self.terms_of(cell) == self.terms_of(title)]
            is_literal = any(contains_phrase(cell, self.question) for cell in same_terms)
            return is_literal and not contains_phrase(title, self.question)

        plain_titles = {
            self.table.header[column]: without_unit(self.table.header[column])
            for column in self.orderable_columns
        }
        return frozenset(
            title
            for title, plain_title in plain_titles.items()
            if self.mentions(plain_title) and is_of_cells(plain_title)
        )

    @cached_property
    def mentions_row_type(self) -> bool:
        """Whether it mentions the kind of row: by the first column's title, or the heading above
        the table."""
        innermost_heading = self.located[0].passage.heading_path[-1:]
        return 0 in self.titles or any(map(self.mentions, innermost_heading))

    @cached_property
    def mentions_row_type_or_document(self) -> bool:
        """The same, or by the name of the table's document."""
        return self.mentions_row_type or any(map(self.mentions, self.context_titles))

    @cached_property
    def matched_cells(self) -> Mapping[int, frozenset[str]]:
        """Map each column index to the cell values that the question mentions.

        A cell value whose words are all in mentioned titles does not count. For a yes/no column
        whose title is mentioned, the affirmative values count: "How many first aiders are there?".
        If the question mentions a total row beside other rows, only the other rows count. If rows
        were selected by one column, that selection replaces the matches in that column.
        """
        if self.selection is not None:
            all_matches = replace(self, selection=None).matched_cells.items()
            other_matches = {
                column: cells for column, cells in all_matches if column != self.selection.column
            }
            return {self.selection.column: self.selection.cells, **other_matches}
        title_terms = frozenset[str]().union(
            *(self.terms_of(without_unit(self.table.header[column])) for column in self.titles)
        )
        matches = {}
        for column in range(len(self.table.header)):
            if column not in self.numeric:
                mentioned = {
                    cell
                    for cell in set(self.table.column(column))
                    if self._mentions_cell_or_item(cell, column)
                    and not self.terms_of(cell) <= title_terms
                }
                mentioned = {
                    cell for cell in mentioned if not self._is_part_of_another(cell, mentioned)
                }
                if len(mentioned) > 1:
                    own_rows = () if self.totals.unclear else self.totals.own
                    mentioned = {
                        row.cells[column].text for row in own_rows
                    } & mentioned or mentioned
                if not mentioned and column in self.titles and column > 0:
                    mentioned = set(affirmed(self.table.column(column)))
                if mentioned:
                    matches[column] = frozenset(mentioned)
        return matches or self._cells_matched_by_one_word or self.reader_matched_cells

    @property
    def _cells_matched_by_one_word(self) -> Mapping[int, frozenset[str]]:
        """The only name that the question mentions by one of its words: "Agnes" for Agnes Thorold.

        Empty where several names match.
        """
        for column in range(len(self.table.header)):
            if column not in self.orderable_columns and (mentioned := self.mentioned_names(column)):
                return {column: mentioned} if len(mentioned) == 1 else {}
        return {}

    @cached_property
    def totals(self) -> Totals:
        """The total rows and the data rows."""
        return totals_of(self.table)

    @cached_property
    def matches_one_name(self) -> bool:
        """Whether it contains a name that only one row has."""
        names = self.table.column(0)
        return self.selection is None and any(
            names.count(name) == 1 for name in self.matched_cells.get(0, ())
        )

    @cached_property
    def unlinked_number(self) -> str | None:
        """The first word with a number that occurs in no title, document name or matched cell.

        It may set a limit or name something outside the table. None without such a word.
        """
        return first_unknown_number(self.question, self.linked_numbers())

    @cached_property
    def unlinked_words(self) -> list[str]:
        """The words of the question that name no column, group or document of the table."""
        linked_terms = self.all_terms(
            *(without_unit(self.table.header[column]) for column in self.titles),
            *(self.table.header[column] for column in self.titles),
            *(cell for cells in self.matched_cells.values() for cell in cells),
            *self.context_titles,
        )
        return [word for word in self.question.split() if not self.terms_of(word) <= linked_terms]

    def linked_numbers(self, *, excluding: int | None = None) -> frozenset[str]:
        """The numbers in titles, document names and matched cells, as strings of digits.

        Matched cells of the column `excluding` are left out.
        """
        cell_groups = (cells for column, cells in self.matched_cells.items() if column != excluding)
        texts = [
            *self.table.header,
            *self.context_titles,
            *(cell for cells in cell_groups for cell in cells),
        ]
        return frozenset(digits for text in texts for digits in digit_runs(text))

    def is_absent(self, name: str) -> bool:
        """Whether the table and the titles above it contain no word of the name."""
        texts = [*self.table.header, *(cell.text for row in self.table.rows for cell in row.cells)]
        return not self.terms_of(name) & self.all_terms(*texts, *self.context_titles)

    def is_linked(self, phrase: str, titles: Sequence[str] = ()) -> bool:
        """Whether a part of the question is explained by the table.

        True if it shares a term with a matched cell, or if all its terms are in the titles of the
        document and sections or in one of `titles`.
        """
        phrase_terms = self.terms_of(phrase)
        cell_terms = self.all_terms(
            *(cell for cells in self.matched_cells.values() for cell in cells)
        )
        context_terms = self.all_terms(*self.context_titles)
        return (
            bool(phrase_terms & cell_terms)
            or phrase_terms <= context_terms
            or any(phrase_terms <= self.all_terms(title) for title in titles)
        )

    def distinguishes(self, row: Row, other_rows: Sequence[Row]) -> bool:
        """Whether the question mentions a word of this row that not all of the other rows
        contain."""

        def mentioned_terms(table_row: Row) -> frozenset[str]:
            return self.all_terms(*(cell.text for cell in table_row.cells)) & self.terms_of(
                self.question
            )

        return not mentioned_terms(row) <= frozenset.intersection(*map(mentioned_terms, other_rows))

    def matches_filter(self, row: Row) -> bool:
        """Whether the row has a matched value in every column that has matched values."""
        return all(row.cells[column].text in cells for column, cells in self.matched_cells.items())

    @property
    def matched_cells_text(self) -> str:
        """The matched cells, as written in an answer."""
        parts = []
        for column, cells in self.matched_cells.items():
            title = self.table.header[column]
            values = " / ".join(sorted(cells))
            if self.selection is not None and column == self.selection.column:
                values = self.selection.text
            parts.append(f"{title}: {values}" if title else values)
        return ", ".join(parts)

    @cached_property
    def answer_columns(self) -> list[int]:
        """The indices of the columns that contain answer spans in the row of the best answer,
        best first."""
        return columns_of(self.located, self.table)

    def column(self, operation: Operation) -> int | None:
        """The column to aggregate; None if one cell is asked for or the column is ambiguous."""
        if self.matches_one_name or self.unlinked_number is not None:
            return None
        return self.count_column if operation is Operation.COUNT else self.number_column(operation)

    def number_column(self, operation: Operation) -> int | None:
        """Select the number column: by a mentioned title, a model's prediction, or the answer's
        place.

        A date column is selected only by the model, since its title is also mentioned for what is
        looked up: "On which date was the largest invoice sent?". None if the column is ambiguous.
        """
        mentioned = [column for column in self.titles if column in self.numeric]
        if len(mentioned) > 1 and operation in (Operation.LARGEST, Operation.SMALLEST):
            # "In which year was the revenue largest?" has its answer in the years.
            mentioned = [column for column in mentioned if column not in self.answer_columns[:1]]
        if mentioned:
            # Columns with the same title are ambiguous; the first is returned, and later rejected.
            return (
                mentioned[0]
                if len({self.table.header[column] for column in mentioned}) == 1
                else None
            )
        if self.predicted_column is not None:
            return self.predicted_column
        if len(self.numeric) == 1:
            return self.numeric[0]
        return next((column for column in self.answer_columns if column in self.numeric), None)

    @cached_property
    def count_column(self) -> int | None:
        """The column whose entries are counted: the mentioned one, else the first column.

        None if neither a column, the kind of row nor a cell value is mentioned: the number is then
        in a cell.
        """
        mentioned = [column for column in self.titles if column not in self.numeric]
        if len(mentioned) == 1 and mentioned[0] not in self.matched_cells:
            return mentioned[0]
        return 0 if self.mentions_row_type or self.matched_cells else None

    def mentioned_names(self, column: int) -> frozenset[str]:
        """The cells of a column mentioned in full, or by a word that occurs in one of them alone.

        Only short cells (at most 3 terms) match by one word, as they are names, not descriptions.
        """
        cells = self.table.column(column)
        mentioned = {cell for cell in cells if self.mentions(cell)}
        mentioned = {cell for cell in mentioned if not self._is_part_of_another(cell, mentioned)}
        known_terms = self.all_terms(*self.table.header, *self.context_titles, *mentioned)
        for word in self.question.split():
            word_terms = self.terms_of(word)
            if word_terms and not word_terms & known_terms:
                matching_cells = {cell for cell in cells if word_terms <= self.terms_of(cell)}
                if (
                    len(matching_cells) == 1
                    and len(self.terms_of(min(matching_cells))) <= _MAX_OF_NAME
                ):
                    mentioned |= matching_cells
        return frozenset(mentioned)

    def _mentions_cell_or_item(self, cell: str, column: int) -> bool:
        """Whether the question mentions a cell value or one item of a comma-separated list in it.

        A cell is such a list if one of its items is a whole cell in another row.
        """
        if self.mentions(cell):
            return True
        items = [item for item in _COMMA.split(cell) if item]
        if len(items) < _SEVERAL or not any(map(self.mentions, items)):
            return False
        values = {value.casefold() for value in self.table.column(column)}
        return any(item.casefold() in values for item in items)

    def _is_part_of_another(self, cell: str, texts: Set[str]) -> bool:
        """Whether each mention of this cell belongs to a longer cell value: "grand" in "concert
        grand"."""
        cell_terms = self.terms_of(cell)
        longer = [
            other for other in texts if cell_terms < self.terms_of(other) and self.mentions(other)
        ]
        counts = Counter(self.terms(self.question))
        return bool(longer) and any(counts[term] <= len(longer) for term in cell_terms)

    @property
    def context_titles(self) -> tuple[str, ...]:
        """The titles of the table's document and sections."""
        passage = self.located[0].passage
        return passage.document_title, PurePath(passage.filename).stem, *passage.heading_path

    def all_terms(self, *texts: str) -> frozenset[str]:
        """The terms of all these texts."""
        return frozenset[str]().union(*map(self.terms_of, [*texts, *map(split_identifier, texts)]))

    @cached_property
    def _month_spellings(self) -> Mapping[str, str]:
        """Map month names in titles and cells to the spelling used in the question: "Apr" to
        "April"."""
        columns = [self.table.header, *map(self.table.column, range(len(self.table.header)))]
        spellings: dict[str, str] = {}
        for names in columns:
            spellings |= months_as_called(self.question, set(names))
        return spellings

    def terms_of(self, text: str) -> frozenset[str]:
        """The terms of a text, with month names spelled as in the question."""
        if text not in self._cached_terms:
            self._cached_terms[text] = frozenset(self.terms(self._month_spellings.get(text, text)))
        return self._cached_terms[text]
