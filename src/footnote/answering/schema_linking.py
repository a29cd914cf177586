"""Link a question to a table: find the columns, cell values and rows that it mentions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePath

from footnote.answering.answer_selection import LocatedAnswer, contains_phrase
from footnote.answering.tables import Row, Table, tables_of
from footnote.answering.titles import Terms, disambiguate_titles, split_identifier, without_unit
from footnote.answering.totals import Totals, totals_of
from footnote.domain import Evidence
from footnote.language.calendar import months_as_called
from footnote.language.truth_values import affirmed
from footnote.ports import Operation

_COMMA = re.compile(r"\s*[,;、]\s*")
_SEVERAL = 2
_MOST_OF_NAME = 3
"""Most terms a name may have to be matched by one of its terms alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSelection:
    """Rows that a question selects by their values in one column."""

    column: int
    cells: frozenset[str]
    """The values of that column in the selected rows."""
    text: str
    """The selection as the answer's text writes it."""


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
    chosen: RowSelection | None = None
    """The rows that the question selects by listing them, by giving a range, or by a comparison;
    None without such a selection."""
    _known: dict[str, frozenset[str]] = field(default_factory=dict)

    def mentions(self, text: str) -> bool:
        """Whether all terms of a text are in the question."""
        own = self.terms_of(text)
        return bool(own) and own <= self.terms_of(self.question) | self.terms_of(
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
            each for each in columns if self.table.quantities(self.table.column(each)) is not None
        ]

    @cached_property
    def orderable_columns(self) -> list[int]:
        """The indices of the columns of numbers, dates or times, whose values have an order."""
        first = 1 if len(self.table.header) > 1 else 0
        return [
            each
            for each in range(first, len(self.table.header))
            if each in self.numeric or self.table.moments(self.table.column(each)) is not None
        ]

    @cached_property
    def titles(self) -> list[int]:
        """The indices of the columns whose titles the question mentions; units are ignored."""
        said = {title for title in self.table.header if self.mentions(without_unit(title))}
        plain = {without_unit(each) for each in said}
        said = {each for each in said if not self._is_part_of_another(without_unit(each), plain)}
        kept = disambiguate_titles(said, self.question, self.terms) - self.titles_explained_by_cells
        return [at for at, title in enumerate(self.table.header) if title in kept]

    @cached_property
    def titles_explained_by_cells(self) -> frozenset[str]:
        """The titles of numbers, dates or times whose words are explained by mentioned cell values.

        Each such cell value occurs in several rows. Examples: "Passengers" in "How many passenger
        ferries are there?"; "Opened" in "How many orders are open?" where "Open" is a cell.
        """
        cells = {
            cell
            for at in range(len(self.table.header))
            if at not in self.numeric
            for cell, rows in Counter(self.table.column(at)).items()
            if rows >= _SEVERAL and self.mentions(cell)
        }

        def is_of_cells(title: str) -> bool:
            if self._is_part_of_another(title, cells):
                return True
            alike = [each for each in cells if self.terms_of(each) == self.terms_of(title)]
            literally = any(contains_phrase(each, self.question) for each in alike)
            return literally and not contains_phrase(title, self.question)

        plain = {
            self.table.header[at]: without_unit(self.table.header[at])
            for at in self.orderable_columns
        }
        return frozenset(
            title for title, own in plain.items() if self.mentions(own) and is_of_cells(own)
        )

    @cached_property
    def mentions_row_type(self) -> bool:
        """Whether it names the kind of row: by the first column's title, or the heading above
        the table."""
        above = self.located[0].passage.heading_path[-1:]
        return 0 in self.titles or any(map(self.mentions, above))

    @cached_property
    def mentions_row_type_or_document(self) -> bool:
        """The same, or by what the table's document is called."""
        return self.mentions_row_type or any(map(self.mentions, self.context_titles))

    @cached_property
    def matched_cells(self) -> Mapping[int, frozenset[str]]:
        """Map each column index to the cell values that the question mentions.

        A cell value whose words are all in mentioned titles does not count. For a yes/no column
        whose title is mentioned, the affirmative values count: "How many first aiders are there?".
        If the question mentions a total row beside other rows, only the other rows count. If rows
        were selected by one column, that selection replaces the matches in that column.
        """
        if self.chosen is not None:
            alone = replace(self, chosen=None).matched_cells.items()
            others = {at: said for at, said in alone if at != self.chosen.column}
            return {self.chosen.column: self.chosen.cells, **others}
        titles = frozenset[str]().union(
            *(self.terms_of(without_unit(self.table.header[at])) for at in self.titles)
        )
        found = {}
        for at in range(len(self.table.header)):
            if at not in self.numeric:
                said = {
                    each
                    for each in set(self.table.column(at))
                    if self._says_of(each, at) and not self.terms_of(each) <= titles
                }
                said = {each for each in said if not self._is_part_of_another(each, said)}
                if len(said) > 1:
                    own = () if self.totals.unclear else self.totals.own
                    said = {row.cells[at].text for row in own} & said or said
                if not said and at in self.titles and at > 0:
                    said = set(affirmed(self.table.column(at)))
                if said:
                    found[at] = frozenset(said)
        return found or self._groups_by_a_word or self.reader_matched_cells

    @property
    def _groups_by_a_word(self) -> Mapping[int, frozenset[str]]:
        """The only name that the question mentions by one of its words: "Agnes" for Agnes Thorold.

        Empty where several names match.
        """
        for at in range(len(self.table.header)):
            if at not in self.orderable_columns and (said := self.mentioned_names(at)):
                return {at: said} if len(said) == 1 else {}
        return {}

    @cached_property
    def totals(self) -> Totals:
        """The rows that sum up others, and those that do not."""
        return totals_of(self.table)

    @cached_property
    def matches_one_name(self) -> bool:
        """Whether it says the name that one row alone has."""
        names = self.table.column(0)
        return self.chosen is None and any(
            names.count(each) == 1 for each in self.matched_cells.get(0, ())
        )

    @cached_property
    def unlinked_number(self) -> str | None:
        """The first word with a number that occurs in no title, document name or matched cell.

        It may set a limit or name something outside the table. None without such a word.
        """
        return number_beside(self.question, self.linked_numbers())

    @cached_property
    def unlinked_words(self) -> list[str]:
        """The words of the question that name no column, group or document of the table."""
        known = self.all_terms(
            *(without_unit(self.table.header[at]) for at in self.titles),
            *(self.table.header[at] for at in self.titles),
            *(each for group in self.matched_cells.values() for each in group),
            *self.context_titles,
        )
        return [each for each in self.question.split() if not self.terms_of(each) <= known]

    def linked_numbers(self, *, but: int | None = None) -> frozenset[str]:
        """The numbers in titles, document names and matched cells, as strings of digits.

        Matched cells of the column `but` are left out.
        """
        groups = (cells for at, cells in self.matched_cells.items() if at != but)
        held = [
            *self.table.header,
            *self.context_titles,
            *(each for cells in groups for each in cells),
        ]
        return frozenset(digits for text in held for digits in _digits(text))

    def is_absent(self, name: str) -> bool:
        """Whether the table and the titles above it contain no word of the name."""
        held = [*self.table.header, *(each.text for row in self.table.rows for each in row.cells)]
        return not self.terms_of(name) & self.all_terms(*held, *self.context_titles)

    def is_linked(self, stretch: str, titles: Sequence[str] = ()) -> bool:
        """Whether a part of the question is explained by the table.

        True if it shares a term with a matched cell, or if all its terms are in the titles of the
        document and sections or in one of `titles`.
        """
        own = self.terms_of(stretch)
        cells = self.all_terms(*(each for group in self.matched_cells.values() for each in group))
        above = self.all_terms(*self.context_titles)
        return (
            bool(own & cells) or own <= above or any(own <= self.all_terms(each) for each in titles)
        )

    def distinguishes(self, row: Row, others: Sequence[Row]) -> bool:
        """Whether the question mentions a word of this row that not all of the other rows
        contain."""

        def said(one: Row) -> frozenset[str]:
            return self.all_terms(*(each.text for each in one.cells)) & self.terms_of(self.question)

        return not said(row) <= frozenset.intersection(*map(said, others))

    def matches_filter(self, row: Row) -> bool:
        """Whether the row has a matched value in every column that has matched values."""
        return all(row.cells[at].text in said for at, said in self.matched_cells.items())

    @property
    def matched_cells_text(self) -> str:
        """The groups, as an answer says them."""
        parts = []
        for at, said in self.matched_cells.items():
            title = self.table.header[at]
            values = " / ".join(sorted(said))
            if self.chosen is not None and at == self.chosen.column:
                values = self.chosen.text
            parts.append(f"{title}: {values}" if title else values)
        return ", ".join(parts)

    @cached_property
    def answer_columns(self) -> list[int]:
        """The indices of the columns that contain answer spans in the row of the best answer,
        best first."""
        row = self.located[0].candidate
        found: dict[int, None] = {}
        for each in self.located:
            if each.candidate.canonical_span != row.canonical_span:
                continue
            if each.passage.chunk_id != row.evidence.passage.chunk_id:
                continue
            same = next(
                one for one in self.table.rows if one.candidate.canonical_span == row.canonical_span
            )
            shift = each.candidate.canonical_span[0] - each.candidate.start
            start, end = each.start + shift, each.end + shift
            own = same.candidate.canonical_span[0] - same.candidate.start
            for at, cell in enumerate(same.cells):
                if cell.start + own < end and start < cell.end + own:
                    found[at] = None
        return list(found)

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
        said = [each for each in self.titles if each in self.numeric]
        if len(said) > 1 and operation in (Operation.LARGEST, Operation.SMALLEST):
            # "In which year was the revenue largest?" has its answer in the years.
            said = [each for each in said if each not in self.answer_columns[:1]]
        if said:
            # Columns with the same title are ambiguous; the first is returned, and later rejected.
            return said[0] if len({self.table.header[each] for each in said}) == 1 else None
        if self.predicted_column is not None:
            return self.predicted_column
        if len(self.numeric) == 1:
            return self.numeric[0]
        return next((each for each in self.answer_columns if each in self.numeric), None)

    @cached_property
    def count_column(self) -> int | None:
        """The column whose entries are counted: the mentioned one, else the first column.

        None if neither a column, the kind of row nor a cell value is mentioned: the number is then
        in a cell.
        """
        said = [each for each in self.titles if each not in self.numeric]
        if len(said) == 1 and said[0] not in self.matched_cells:
            return said[0]
        return 0 if self.mentions_row_type or self.matched_cells else None

    def mentioned_names(self, column: int) -> frozenset[str]:
        """The cells of a column mentioned in full, or by a word that occurs in one of them alone.

        Only short cells (at most 3 terms) match by one word, as they are names, not descriptions.
        """
        cells = self.table.column(column)
        said = {each for each in cells if self.mentions(each)}
        said = {each for each in said if not self._is_part_of_another(each, said)}
        known = self.all_terms(*self.table.header, *self.context_titles, *said)
        for word in self.question.split():
            own = self.terms_of(word)
            if own and not own & known:
                held = {each for each in cells if own <= self.terms_of(each)}
                if len(held) == 1 and len(self.terms_of(min(held))) <= _MOST_OF_NAME:
                    said |= held
        return frozenset(said)

    def _says_of(self, cell: str, column: int) -> bool:
        """Whether the question mentions a cell value or one item of a comma-separated list in it.

        A cell is such a list if one of its items is a whole cell in another row.
        """
        if self.mentions(cell):
            return True
        parts = [each for each in _COMMA.split(cell) if each]
        if len(parts) < _SEVERAL or not any(map(self.mentions, parts)):
            return False
        known = {each.casefold() for each in self.table.column(column)}
        return any(each.casefold() in known for each in parts)

    def _is_part_of_another(self, cell: str, said: Set[str]) -> bool:
        """Whether each mention of this cell belongs to a longer cell value: "grand" in "concert
        grand"."""
        own = self.terms_of(cell)
        longer = [each for each in said if own < self.terms_of(each) and self.mentions(each)]
        times = Counter(self.terms(self.question))
        return bool(longer) and any(times[each] <= len(longer) for each in own)

    @property
    def context_titles(self) -> tuple[str, ...]:
        """What the table's document and sections are called."""
        passage = self.located[0].passage
        return passage.document_title, PurePath(passage.filename).stem, *passage.heading_path

    def all_terms(self, *texts: str) -> frozenset[str]:
        """The terms of all these texts."""
        return frozenset[str]().union(*map(self.terms_of, [*texts, *map(split_identifier, texts)]))

    @cached_property
    def _months(self) -> Mapping[str, str]:
        """Map month names in titles and cells to the spelling used in the question: "Apr" to
        "April"."""
        columns = [self.table.header, *map(self.table.column, range(len(self.table.header)))]
        found: dict[str, str] = {}
        for names in columns:
            found |= months_as_called(self.question, set(names))
        return found

    def terms_of(self, text: str) -> frozenset[str]:
        """The terms of a text, of a month as the question calls it."""
        if text not in self._known:
            self._known[text] = frozenset(self.terms(self._months.get(text, text)))
        return self._known[text]


def number_beside(text: str, known: Set[str]) -> str | None:
    """The first word of a text with a number that is not among the known ones."""
    words = (each for each in text.split() if not known >= {*_digits(each)})
    return next((each.strip("¿?¡!.,;:()\"'“”„«»") for each in words), None)


def _digits(text: str) -> list[str]:
    """The numbers of a text, digits alone."""
    return "".join(each if each.isdecimal() else " " for each in text).split()


def link_to_tables(
    question: str, evidence: Sequence[Evidence], terms: Terms
) -> Iterator[LinkedQuestion]:
    """The question beside each table of the evidence whose rows were all read in full."""
    for table in tables_of(evidence):
        row = table.rows[0].candidate
        place = LocatedAnswer(candidate=row, start=row.start, end=row.end, probability=0.0)
        if all(len(each.cells) == len(table.header) for each in table.rows):
            yield LinkedQuestion(question=question, table=table, terms=terms, located=[place])
