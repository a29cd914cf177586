"""A question becomes the one table that it names, or the rows that it names alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from footnote.answering.asking import Asked
from footnote.answering.choosing import Located
from footnote.answering.sentences import candidates_of
from footnote.answering.tables import Table, table_around
from footnote.answering.titles import Terms
from footnote.domain import Evidence
from footnote.ports import Operation

_SEVERAL = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The one table that a question names a column of, and nothing else."""

    located: Located
    """In the first of its rows."""
    unexplained: str | None
    """The one word that names neither column nor group of the table nor its document, if any."""


def named_alone(
    question: str, operation: Operation, evidence: Sequence[Evidence], terms: Terms
) -> Named | None:
    """The table whose column the question names by its words, where all it says is about that.

    One further word may say what is to be computed. None where two tables are named alike.
    """
    found = []
    for table in _tables(evidence):
        row = table.rows[0].candidate
        place = Located(candidate=row, start=row.start, end=row.end, probability=0.0)
        asked = Asked(question=question, table=table, terms=terms, located=[place])
        if any(len(each.cells) != len(table.header) for each in table.rows):
            continue
        if asked.column(operation) in asked.titles and len(asked.unexplained) <= 1:
            found.append(Named(located=place, unexplained=next(iter(asked.unexplained), None)))
    return found[0] if len(found) == 1 else None


def group_named(
    question: str, operation: Operation, evidence: Sequence[Evidence], terms: Terms
) -> Located | None:
    """A row of the one table of which the question names several rows by what their cells say.

    None where two tables are named so, where cells of one column differ in what the question says,
    and where more than one column of numbers may be meant.
    """
    found = []
    for table in _tables(evidence):
        row = table.rows[0].candidate
        place = Located(candidate=row, start=row.start, end=row.end, probability=0.0)
        asked = Asked(question=question, table=table, terms=terms, located=[place])
        if any(len(each.cells) != len(table.header) for each in table.rows):
            continue
        column = asked.column(operation)
        if (
            {len(said) for said in asked.groups.values()} == {1}
            and sum(map(asked.is_among, table.rows)) >= _SEVERAL
            and column is not None
            and (column in asked.titles or asked.numeric == [column])
        ):
            found.append(place)
    return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """One of several rows that a question does not tell apart."""

    located: Located
    """The cell that is asked for."""
    text: str
    """That cell, with what tells its row from the others."""


def rows_alike(
    question: str, found: Located, evidence: Sequence[Evidence], terms: Terms
) -> list[Alike]:
    """The rows that a question names as it names that of its answer, this one among them.

    Empty but for numbers under a title that the question says, in one group that it says, where at
    most one further word could tell the row.
    """
    table = table_around(found.candidate, evidence)
    if table is None or any(len(each.cells) != len(table.header) for each in table.rows):
        return []
    asked = Asked(question=question, table=table, terms=terms, located=[found])
    column = next(iter(asked.pointed), None)
    kept = [row for row in table.rows if asked.is_among(row)]
    own = found.candidate.canonical_span
    if (
        column not in asked.numeric
        or column not in asked.titles
        or {len(said) for said in asked.groups.values()} != {1}
        or asked.has_other_numbers
        or len(asked.unexplained) > 1
        or all(row.candidate.canonical_span != own for row in kept)
        or len(kept) < _SEVERAL
    ):
        return []
    telling = [
        at
        for at in range(1, len(table.header))
        if at not in asked.numeric and len({row.cells[at].text for row in kept}) > 1
    ]
    return [
        Alike(
            located=replace(
                found,
                candidate=row.candidate,
                start=row.cells[column].start,
                end=row.cells[column].end,
            ),
            text=f"{row.cells[0].text} — "
            + ", ".join(f"{table.header[at]}: {row.cells[at].text}" for at in (*telling, column)),
        )
        for row in kept
        if row.cells[column].text and not row.candidate.gives_orders
    ]


def _tables(evidence: Sequence[Evidence]) -> Iterator[Table]:
    seen: set[tuple[object, ...]] = set()
    for row in candidates_of(evidence):
        passage = row.evidence.passage
        document = (passage.document_id, passage.version)
        if (*document, row.canonical_span) in seen:
            continue
        table = table_around(row, evidence)
        if table is not None:
            seen |= {(*document, each.candidate.canonical_span) for each in table.rows}
            yield table
