"""Select the table that a question is about, or the rows that it does not distinguish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from footnote.answering.answer_features import log_odds
from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.column_predictions import NO_PREDICTIONS, ColumnPredictions
from footnote.answering.schema_linking import LinkedQuestion, link_to_tables
from footnote.answering.sentences import Candidate
from footnote.answering.tables import Row, table_around, tables_of
from footnote.answering.titles import Terms
from footnote.domain import Evidence
from footnote.language.quantities import Quantities
from footnote.ports import ColumnPrediction, Operation

_SEVERAL = 2
FAR_MORE, OF_TWO = 1.5, 0.86
"""Least lead in log-odds of the best table's column over the second, and the factor on its
probability then. Measured on 63 questions of `training/questions` that nothing was fitted to and
that also match a table about other things."""
SURELY_READ = 8.0
"""Least lead in reader log-odds of one row over the others that match equally, from which that
row is the answer. Next to total rows of a group the lead reaches 7.9."""
SURELY_READ_WORDS = 4.0
"""The same for cells of words, of which tables of properties have one in each row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMatch:
    """A table that a question is about a column of."""

    located: LocatedAnswer
    """In the first of its rows, with the probability that a model gives to the column."""
    mentions_row_type: bool
    """Whether the question says what its rows are, by the title of the first column or by what is
    written above the table."""
    says_column: bool
    """Whether it says the column's title."""
    meant: ColumnPrediction | None
    """What a model says of the column."""
    unexplained: str | None
    """Where no model told the column, the one word that names neither column nor group of the table
    nor its document, if any."""
    words_left: int
    """How many such words there are."""


def select_tables(
    question: str,
    operation: Operation,
    evidence: Sequence[Evidence],
    terms: Terms,
    meant: ColumnPredictions = NO_PREDICTIONS,
) -> list[TableMatch]:
    """Select the tables whose column the question is about or mentions; several if undecided.

    If only the title is mentioned, at most one further word may be unexplained: it may name the
    operation. Ties are broken in this order: the question names the kind of row; it mentions the
    column; fewest unexplained words; a clear lead of the model's probability.
    """
    found = []
    for table in tables_of(evidence):
        row, own = table.rows[0].candidate, meant.of(table)
        place = LocatedAnswer(
            candidate=row,
            start=row.start,
            end=row.end,
            probability=0.0 if own is None else own.probability,
        )
        asked = LinkedQuestion(
            question=question,
            table=table,
            terms=terms,
            located=[place],
            predicted_column=meant.number(table),
        )
        if any(len(each.cells) != len(table.header) for each in table.rows):
            continue
        column = asked.column(operation)
        says_column = column in asked.titles or (
            operation is Operation.COUNT and column == 0 and asked.mentions_row_type
        )
        # A column of numbers does not explain why all rows should be counted.
        is_meant = own is not None and (
            operation is not Operation.COUNT or bool(asked.matched_cells)
        )
        if column is not None and (is_meant or (says_column and len(asked.unlinked_words) <= 1)):
            found.append(
                TableMatch(
                    located=place,
                    mentions_row_type=asked.mentions_row_type,
                    says_column=says_column,
                    meant=own if own is not None and own.number == column else None,
                    unexplained=None if own else next(iter(asked.unlinked_words), None),
                    words_left=len(asked.unlinked_words),
                )
            )
    found = [each for each in found if each.mentions_row_type] or found
    found = [each for each in found if each.says_column] or found
    fewest = min((each.words_left for each in found), default=0)
    found = [each for each in found if each.words_left == fewest]
    if len(found) < _SEVERAL:
        return found
    first, second, *_ = sorted(found, key=lambda each: each.located.probability, reverse=True)
    sure, other = first.located.probability, second.located.probability
    if log_odds(sure) - log_odds(other) < FAR_MORE:
        return found
    return [replace(first, located=replace(first.located, probability=sure * OF_TWO))]


def select_row_group(
    question: str,
    operation: Operation,
    evidence: Sequence[Evidence],
    terms: Terms,
    meant: ColumnPredictions = NO_PREDICTIONS,
) -> LocatedAnswer | None:
    """The first row of the one table in which the question matches several rows by cell values.

    None where two tables match equally well, where several values of one column match, or where
    several number columns could be meant. For a count, no number column may be meant.
    """
    found: list[tuple[bool, int, LocatedAnswer]] = []
    for asked in link_to_tables(question, evidence, terms):
        table = asked.table
        column = asked.column(operation)
        if (
            {len(said) for said in asked.matched_cells.values()} == {1}
            and sum(map(asked.matches_filter, table.rows)) >= _SEVERAL
            and column is not None
            and (
                meant.is_told
                and meant.number(table) is None
                and not {*asked.titles} & {*asked.numeric}
                if operation is Operation.COUNT
                else column in asked.titles or asked.numeric == [column]
            )
        ):
            found.append((not asked.mentions_row_type, len(asked.unlinked_words), asked.located[0]))
    least = min((each[:2] for each in found), default=None)
    found = [each for each in found if each[:2] == least]
    return found[0][2] if len(found) == 1 else None


def bound_set(
    question: str, evidence: Sequence[Evidence], terms: Terms, meant: ColumnPredictions
) -> str | None:
    """The number in the question that no title or matched cell explains; None without one."""
    for table in tables_of(evidence):
        row = table.rows[0].candidate
        place = LocatedAnswer(candidate=row, start=row.start, end=row.end, probability=0.0)
        asked = LinkedQuestion(question=question, table=table, terms=terms, located=[place])
        if meant.of(table) is not None and not asked.matches_one_name and asked.unlinked_number:
            return asked.unlinked_number
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbiguousRow:
    """One of several rows that a question does not tell apart."""

    located: LocatedAnswer
    """The cell that is asked for."""
    text: str
    """That cell, with what tells its row from the others."""


def may_be_ambiguous(
    question: str, found: LocatedAnswer, evidence: Sequence[Evidence], terms: Terms
) -> bool:
    """Whether the missing part of an incomplete table may have rows that match equally well."""
    table = table_around(found.candidate, evidence)
    if table is None or table.is_whole:
        return False
    asked = LinkedQuestion(question=question, table=table, terms=terms, located=[found])
    return bool(asked.matched_cells) and not asked.matches_one_name


def ambiguous_rows(
    question: str,
    found: LocatedAnswer,
    evidence: Sequence[Evidence],
    terms: Terms,
    read: Sequence[LocatedAnswer] = (),
) -> list[AmbiguousRow]:
    """The rows that match the question as well as the row of its answer, that row included.

    Empty if a word of its cells distinguishes the answer's row, or if the reader scored it far
    above the others. The latter is not checked for numbers under a mentioned title with at most one
    unexplained word.
    """
    table = table_around(found.candidate, evidence)
    if table is None or any(len(each.cells) != len(table.header) for each in table.rows):
        return []
    asked = LinkedQuestion(question=question, table=table, terms=terms, located=[found])
    column = next(iter(asked.answer_columns), None)
    kept = [row for row in table.rows if asked.matches_filter(row)]
    if column in (0, *asked.matched_cells) and table.is_whole and not asked.unlinked_words:
        return _listed(found, asked, kept)
    own = [row for row in kept if row.candidate.canonical_span == found.candidate.canonical_span]
    if (
        column is None
        or column in asked.matched_cells
        or {len(said) for said in asked.matched_cells.values()} != {1}
        or asked.unlinked_number is not None
        or not own
        or len(kept) < _SEVERAL
        # Equal numbers in several rows do not add up to that number.
        or (column not in asked.numeric and len({row.cells[column].text for row in kept}) == 1)
    ):
        return []
    named = column in asked.numeric and column in asked.titles and len(asked.unlinked_words) <= 1
    if not named and (
        asked.distinguishes(own[0], kept) or _is_surely_read(asked, column, kept, read)
    ):
        return []
    telling = [
        at
        for at in range(1, len(table.header))
        if at != column
        and (at not in asked.numeric or column not in asked.numeric)
        and len({row.cells[at].text for row in kept}) > 1
    ]
    return [
        AmbiguousRow(
            located=replace(
                found,
                candidate=row.candidate,
                start=row.cells[column].start,
                end=row.cells[column].end,
            ),
            text=f"{table.name_of(row, (*telling, column))} — "
            + ", ".join(
                f"{table.header[at]}: {row.cells[at].text}"
                for at in ((*telling, column) if column else telling)
            ),
        )
        for row in kept
        if row.cells[column].text and not row.candidate.is_prompt_injection
    ]


def _listed(found: LocatedAnswer, asked: LinkedQuestion, rows: Sequence[Row]) -> list[AmbiguousRow]:
    """The names of the rows of the group that the question names, with their further words.

    Empty where it names none or one of them.
    """
    table = asked.table
    named = [row for row in rows if row.cells[0].text and not row.candidate.is_prompt_injection]
    if not asked.matched_cells or 0 in asked.matched_cells or len(named) < _SEVERAL:
        return []
    telling = [
        at
        for at in range(1, len(table.header))
        if at not in asked.orderable_columns and len({row.cells[at].text for row in named}) > 1
    ]
    said = sorted({*asked.matched_cells, *telling})
    return [
        AmbiguousRow(
            located=replace(
                found, candidate=row.candidate, start=row.cells[0].start, end=row.cells[0].end
            ),
            text=f"{table.name_of(row, said)} — "
            + ", ".join(f"{table.header[at]}: {row.cells[at].text}" for at in said),
        )
        for row in named
    ]


def _is_surely_read(
    asked: LinkedQuestion, column: int, rows: Sequence[Row], read: Sequence[LocatedAnswer]
) -> bool:
    """Whether one of the rows was read far better than the others, or they cannot be compared."""
    table = asked.table
    numbers = column in asked.numeric
    if numbers and not isinstance(
        table.quantities([row.cells[column].text for row in rows]), Quantities
    ):
        return True
    scores = _scores(read)
    found = sorted(scores.get(row_key(row.candidate), -inf) for row in rows)
    return found[-1] - found[-2] > (SURELY_READ if numbers else SURELY_READ_WORDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadApart:
    """The rows with one value in a column, where the reader scored them above all other rows."""

    column: int
    cell: str
    lead: float
    """Gap between the lowest score inside the group and the highest outside it, in log-odds."""


def rows_read_apart(asked: LinkedQuestion, read: Sequence[LocatedAnswer]) -> ReadApart | None:
    """The group of rows that the reader separates from all others.

    None if a row has no score or two columns define such a group.
    """
    table, scores = asked.table, _scores(read)
    scored = [scores.get(row_key(row.candidate)) for row in table.rows]
    known = [each for each in scored if each is not None]
    if not known or len(known) < len(scored):
        return None
    best = table.rows[known.index(max(known))]
    found = []
    for at in range(len(table.header)):
        if at in asked.numeric:
            continue
        same = [row.cells[at].text == best.cells[at].text for row in table.rows]
        inside = [score for score, own in zip(known, same, strict=True) if own]
        outside = [score for score, own in zip(known, same, strict=True) if not own]
        if len(inside) >= _SEVERAL and outside and min(inside) > max(outside):
            lead = min(inside) - max(outside)
            found.append(ReadApart(column=at, cell=best.cells[at].text, lead=lead))
    return found[0] if len(found) == 1 else None


def _scores(read: Sequence[LocatedAnswer]) -> dict[tuple[object, ...], float]:
    found: dict[tuple[object, ...], float] = {}
    for each in read:
        place = row_key(each.candidate)
        found[place] = max(each.score, found.get(place, -inf))
    return found


def row_key(row: Candidate) -> tuple[object, ...]:
    """Which row of which version of a document it is, whatever passage it was read in."""
    passage = row.evidence.passage
    return passage.document_id, passage.version, row.canonical_span
