"""A question becomes the one table that it names, or the rows that it names alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from footnote.answering.asking import Asked, asked_beside
from footnote.answering.choosing import Located
from footnote.answering.meant_columns import NONE_MEANT, MeantColumns
from footnote.answering.observing import log_odds
from footnote.answering.sentences import Candidate
from footnote.answering.tables import Row, table_around, tables_of
from footnote.answering.titles import Terms
from footnote.domain import Evidence
from footnote.language.quantities import Quantities
from footnote.ports import MeantColumn, Operation

_SEVERAL = 2
FAR_MORE, OF_TWO = 1.5, 0.86
"""Log-odds by which the column of one table is believed more than that of another one, and how
often the question is about it then: 63 questions of `training/questions` that nothing was fitted
to, which were believed of a table of other things as well."""
SURELY_READ = 8.0
"""Log-odds by which one of several rows that a question names alike must be read better than the
others to be the one that is asked for. Beside totals of a group it has up to 7.9."""
SURELY_READ_WORDS = 4.0
"""The same for cells of words, of which tables of properties have one in each row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A table that a question is about a column of."""

    located: Located
    """In the first of its rows, with the probability that a model gives to the column."""
    says_rows: bool
    """Whether the question says what its rows are, by the title of the first column or by what is
    written above the table."""
    says_column: bool
    """Whether it says the column's title."""
    meant: MeantColumn | None
    """What a model says of the column."""
    unexplained: str | None
    """Where no model told the column, the one word that names neither column nor group of the table
    nor its document, if any."""
    words_left: int
    """How many such words there are."""


def tables_named(
    question: str,
    operation: Operation,
    evidence: Sequence[Evidence],
    terms: Terms,
    meant: MeantColumns = NONE_MEANT,
) -> list[Named]:
    """The table whose column the question means, or names by its words where that is all it says.

    One further word may then say what is to be computed. Of several tables those are taken whose
    rows, or else whose column, the question names, of these those that leave the fewest of its
    words unexplained, or else the one that a model believes far more; several are named alike.
    """
    found = []
    for table in tables_of(evidence):
        row, own = table.rows[0].candidate, meant.of(table)
        place = Located(
            candidate=row,
            start=row.start,
            end=row.end,
            probability=0.0 if own is None else own.probability,
        )
        asked = Asked(
            question=question,
            table=table,
            terms=terms,
            located=[place],
            meant=meant.number(table),
        )
        if any(len(each.cells) != len(table.header) for each in table.rows):
            continue
        column = asked.column(operation)
        says_column = column in asked.titles or (
            operation is Operation.COUNT and column == 0 and asked.says_rows
        )
        # A column of numbers does not explain why all rows should be counted.
        is_meant = own is not None and (operation is not Operation.COUNT or bool(asked.groups))
        if column is not None and (is_meant or (says_column and len(asked.unexplained) <= 1)):
            found.append(
                Named(
                    located=place,
                    says_rows=asked.says_rows,
                    says_column=says_column,
                    meant=own if own is not None and own.number == column else None,
                    unexplained=None if own else next(iter(asked.unexplained), None),
                    words_left=len(asked.unexplained),
                )
            )
    found = [each for each in found if each.says_rows] or found
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


def group_named(
    question: str,
    operation: Operation,
    evidence: Sequence[Evidence],
    terms: Terms,
    meant: MeantColumns = NONE_MEANT,
) -> Located | None:
    """A row of the one table of which the question names several rows by what their cells say.

    None where two tables are named so alike, where cells of one column differ in what the question
    says, and where more than one column of numbers may be meant; rows are counted where none is.
    """
    found: list[tuple[bool, int, Located]] = []
    for asked in asked_beside(question, evidence, terms):
        table = asked.table
        column = asked.column(operation)
        if (
            {len(said) for said in asked.groups.values()} == {1}
            and sum(map(asked.is_among, table.rows)) >= _SEVERAL
            and column is not None
            and (
                meant.is_told
                and meant.number(table) is None
                and not {*asked.titles} & {*asked.numeric}
                if operation is Operation.COUNT
                else column in asked.titles or asked.numeric == [column]
            )
        ):
            found.append((not asked.says_rows, len(asked.unexplained), asked.located[0]))
    least = min((each[:2] for each in found), default=None)
    found = [each for each in found if each[:2] == least]
    return found[0][2] if len(found) == 1 else None


def bound_set(
    question: str, evidence: Sequence[Evidence], terms: Terms, meant: MeantColumns
) -> str | None:
    """The number by which a question chooses rows of a table whose column it means, if any."""
    for table in tables_of(evidence):
        row = table.rows[0].candidate
        place = Located(candidate=row, start=row.start, end=row.end, probability=0.0)
        asked = Asked(question=question, table=table, terms=terms, located=[place])
        if meant.of(table) is not None and not asked.names_one_row and asked.other_number:
            return asked.other_number
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """One of several rows that a question does not tell apart."""

    located: Located
    """The cell that is asked for."""
    text: str
    """That cell, with what tells its row from the others."""


def may_be_alike(question: str, found: Located, evidence: Sequence[Evidence], terms: Terms) -> bool:
    """Whether what was not found of a table may have rows that the question names alike."""
    table = table_around(found.candidate, evidence)
    if table is None or table.is_whole:
        return False
    asked = Asked(question=question, table=table, terms=terms, located=[found])
    return bool(asked.groups) and not asked.names_one_row


def rows_alike(
    question: str,
    found: Located,
    evidence: Sequence[Evidence],
    terms: Terms,
    read: Sequence[Located] = (),
) -> list[Alike]:
    """The rows that a question names as it names that of its answer, this one among them.

    They are of one group that it says, or of all that it says where it asks for their names. Empty
    where a word of its cells tells the row of the answer from them, and where it was read so much
    better than the others that its own words may do so in another way; but not for numbers under a
    title that the question says, where at most one further word could tell the row.
    """
    table = table_around(found.candidate, evidence)
    if table is None or any(len(each.cells) != len(table.header) for each in table.rows):
        return []
    asked = Asked(question=question, table=table, terms=terms, located=[found])
    column = next(iter(asked.pointed), None)
    kept = [row for row in table.rows if asked.is_among(row)]
    if column in (0, *asked.groups) and table.is_whole and not asked.unexplained:
        return _listed(found, asked, kept)
    own = [row for row in kept if row.candidate.canonical_span == found.candidate.canonical_span]
    if (
        column is None
        or column in asked.groups
        or {len(said) for said in asked.groups.values()} != {1}
        or asked.other_number is not None
        or not own
        or len(kept) < _SEVERAL
        # The same number in several rows is not that of all of them together.
        or (column not in asked.numeric and len({row.cells[column].text for row in kept}) == 1)
    ):
        return []
    named = column in asked.numeric and column in asked.titles and len(asked.unexplained) <= 1
    if not named and (asked.tells(own[0], kept) or _is_surely_read(asked, column, kept, read)):
        return []
    telling = [
        at
        for at in range(1, len(table.header))
        if at != column
        and (at not in asked.numeric or column not in asked.numeric)
        and len({row.cells[at].text for row in kept}) > 1
    ]
    return [
        Alike(
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
        if row.cells[column].text and not row.candidate.gives_orders
    ]


def _listed(found: Located, asked: Asked, rows: Sequence[Row]) -> list[Alike]:
    """The names of the rows of the group that the question names, with their further words.

    Empty where it names none or one of them.
    """
    table = asked.table
    named = [row for row in rows if row.cells[0].text and not row.candidate.gives_orders]
    if not asked.groups or 0 in asked.groups or len(named) < _SEVERAL:
        return []
    telling = [
        at
        for at in range(1, len(table.header))
        if at not in asked.ordered and len({row.cells[at].text for row in named}) > 1
    ]
    said = sorted({*asked.groups, *telling})
    return [
        Alike(
            located=replace(
                found, candidate=row.candidate, start=row.cells[0].start, end=row.cells[0].end
            ),
            text=f"{table.name_of(row, said)} — "
            + ", ".join(f"{table.header[at]}: {row.cells[at].text}" for at in said),
        )
        for row in named
    ]


def _is_surely_read(
    asked: Asked, column: int, rows: Sequence[Row], read: Sequence[Located]
) -> bool:
    """Whether one of the rows was read far better than the others, or they cannot be compared."""
    table = asked.table
    numbers = column in asked.numeric
    if numbers and not isinstance(
        table.quantities([row.cells[column].text for row in rows]), Quantities
    ):
        return True
    scores = _scores(read)
    found = sorted(scores.get(place_of(row.candidate), -inf) for row in rows)
    return found[-1] - found[-2] > (SURELY_READ if numbers else SURELY_READ_WORDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadApart:
    """The rows with one thing in a column, where they were read better than all others."""

    column: int
    cell: str
    lead: float
    """Of the worst of them on the best of the others, in log-odds."""


def rows_read_apart(asked: Asked, read: Sequence[Located]) -> ReadApart | None:
    """The group of rows that a reader tells from all others, so that the question must name it.

    None where a row was not read, and where two columns tell such rows.
    """
    table, scores = asked.table, _scores(read)
    scored = [scores.get(place_of(row.candidate)) for row in table.rows]
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


def _scores(read: Sequence[Located]) -> dict[tuple[object, ...], float]:
    found: dict[tuple[object, ...], float] = {}
    for each in read:
        place = place_of(each.candidate)
        found[place] = max(each.score, found.get(place, -inf))
    return found


def place_of(row: Candidate) -> tuple[object, ...]:
    """Which row of which version of a document it is, whatever passage it was read in."""
    passage = row.evidence.passage
    return passage.document_id, passage.version, row.canonical_span
