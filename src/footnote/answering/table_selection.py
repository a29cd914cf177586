"""Select the table that a question is about, or the rows that it does not distinguish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

from footnote.answering.answer_features import log_odds
from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.column_predictions import NO_PREDICTIONS, ColumnPredictions
from footnote.answering.schema_linking import LinkedQuestion
from footnote.answering.sentences import Candidate
from footnote.answering.table_question import link_to_tables
from footnote.answering.tables import Row, table_around, tables_of
from footnote.answering.titles import Terms
from footnote.domain import Evidence
from footnote.language.quantities import Quantities
from footnote.ports import ColumnPrediction, Operation

_SEVERAL = 2
FAR_MORE, OF_TWO = 1.5, 0.86
"""Minimum lead in log-odds of the best table's column over the second, and the factor on its
probability then. Measured on 63 questions of `training/questions` that nothing was fitted to and
that also match a table about other things."""
SURELY_READ = 8.0
"""Minimum lead in reader log-odds of one row over the others that match equally, from which that
row is the answer. Next to total rows of a group the lead reaches 7.9."""
SURELY_READ_WORDS = 4.0
"""The same for cells of words, of which tables of properties have one in each row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableMatch:
    """A table with a column that a question is about."""

    located: LocatedAnswer
    """In the first row of the table, with the predicted probability of the column."""
    mentions_row_type: bool
    """Whether the question mentions the kind of rows, by the title of the first column or the
    heading above the table."""
    says_column: bool
    """Whether it mentions the column's title."""
    column_prediction: ColumnPrediction | None
    """The prediction for this column, if a model made one."""
    unlinked_word: str | None
    """The first unlinked word of the question; None without one, or with a predicted column."""
    unlinked_count: int
    """The number of unlinked words of the question."""


def select_tables(
    question: str,
    operation: Operation,
    evidence: Sequence[Evidence],
    terms: Terms,
    column_predictions: ColumnPredictions = NO_PREDICTIONS,
) -> list[TableMatch]:
    """Select the tables whose column the question is about or mentions; several if undecided.

    If only the title is mentioned, at most one further word may be unexplained: it may name the
    operation. Ties are broken in this order: the question names the kind of row; it mentions the
    column; fewest unexplained words; a clear lead of the model's probability.
    """
    matches = []
    for table in tables_of(evidence):
        candidate, prediction = table.rows[0].candidate, column_predictions.of(table)
        located = LocatedAnswer(
            candidate=candidate,
            start=candidate.start,
            end=candidate.end,
            probability=0.0 if prediction is None else prediction.probability,
        )
        linked = LinkedQuestion(
            question=question,
            table=table,
            terms=terms,
            located=[located],
            predicted_column=column_predictions.number(table),
        )
        if any(len(row.cells) != len(table.header) for row in table.rows):
            continue
        column = linked.column(operation)
        says_column = column in linked.titles or (
            operation is Operation.COUNT and column == 0 and linked.mentions_row_type
        )
        # A column of numbers does not explain why all rows should be counted.
        is_predicted = prediction is not None and (
            operation is not Operation.COUNT or bool(linked.matched_cells)
        )
        if column is not None and (
            is_predicted or (says_column and len(linked.unlinked_words) <= 1)
        ):
            matches.append(
                TableMatch(
                    located=located,
                    mentions_row_type=linked.mentions_row_type,
                    says_column=says_column,
                    column_prediction=prediction
                    if prediction is not None and prediction.number == column
                    else None,
                    unlinked_word=None if prediction else next(iter(linked.unlinked_words), None),
                    unlinked_count=len(linked.unlinked_words),
                )
            )
    matches = [match for match in matches if match.mentions_row_type] or matches
    matches = [match for match in matches if match.says_column] or matches
    fewest = min((match.unlinked_count for match in matches), default=0)
    matches = [match for match in matches if match.unlinked_count == fewest]
    if len(matches) < _SEVERAL:
        return matches
    first, second, *_ = sorted(matches, key=lambda match: match.located.probability, reverse=True)
    probability, second_probability = first.located.probability, second.located.probability
    if log_odds(probability) - log_odds(second_probability) < FAR_MORE:
        return matches
    return [replace(first, located=replace(first.located, probability=probability * OF_TWO))]


def select_row_group(
    question: str,
    operation: Operation,
    evidence: Sequence[Evidence],
    terms: Terms,
    column_predictions: ColumnPredictions = NO_PREDICTIONS,
) -> LocatedAnswer | None:
    """The first row of the one table in which the question matches several rows by cell values.

    None where two tables match equally well, where several values of one column match, or where
    several number columns could be meant. For a count, no number column may be meant.
    """
    matches: list[tuple[bool, int, LocatedAnswer]] = []
    for linked in link_to_tables(question, evidence, terms):
        table = linked.table
        column = linked.column(operation)
        if (
            {len(cells) for cells in linked.matched_cells.values()} == {1}
            and sum(map(linked.matches_filter, table.rows)) >= _SEVERAL
            and column is not None
            and (
                column_predictions.is_predicted
                and column_predictions.number(table) is None
                and not {*linked.titles} & {*linked.numeric}
                if operation is Operation.COUNT
                else column in linked.titles or linked.numeric == [column]
            )
        ):
            matches.append(
                (not linked.mentions_row_type, len(linked.unlinked_words), linked.located[0])
            )
    best_key = min((match[:2] for match in matches), default=None)
    matches = [match for match in matches if match[:2] == best_key]
    return matches[0][2] if len(matches) == 1 else None


def bound_set(
    question: str, evidence: Sequence[Evidence], terms: Terms, column_predictions: ColumnPredictions
) -> str | None:
    """The number in the question that no title or matched cell explains; None without one."""
    for table in tables_of(evidence):
        candidate = table.rows[0].candidate
        located = LocatedAnswer(
            candidate=candidate, start=candidate.start, end=candidate.end, probability=0.0
        )
        linked = LinkedQuestion(question=question, table=table, terms=terms, located=[located])
        if (
            column_predictions.of(table) is not None
            and not linked.matches_one_name
            and linked.unlinked_number
        ):
            return linked.unlinked_number
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class AmbiguousRow:
    """One of several rows that a question does not distinguish."""

    located: LocatedAnswer
    """The requested cell."""
    text: str
    """The cell, with the words that distinguish its row."""


def may_be_ambiguous(
    question: str, answer: LocatedAnswer, evidence: Sequence[Evidence], terms: Terms
) -> bool:
    """Whether the missing part of an incomplete table may have rows that match equally well."""
    table = table_around(answer.candidate, evidence)
    if table is None or table.is_whole:
        return False
    linked = LinkedQuestion(question=question, table=table, terms=terms, located=[answer])
    return bool(linked.matched_cells) and not linked.matches_one_name


def ambiguous_rows(
    question: str,
    answer: LocatedAnswer,
    evidence: Sequence[Evidence],
    terms: Terms,
    read_answers: Sequence[LocatedAnswer] = (),
) -> list[AmbiguousRow]:
    """The rows that match the question as well as the row of its answer, that row included.

    Empty if a word of its cells distinguishes the answer's row, or if the reader scored it far
    above the others. The latter is not checked for numbers under a mentioned title with at most one
    unexplained word.
    """
    table = table_around(answer.candidate, evidence)
    if table is None or any(len(row.cells) != len(table.header) for row in table.rows):
        return []
    linked = LinkedQuestion(question=question, table=table, terms=terms, located=[answer])
    column = next(iter(linked.answer_columns), None)
    matching_rows = [row for row in table.rows if linked.matches_filter(row)]
    if column in (0, *linked.matched_cells) and table.is_whole and not linked.unlinked_words:
        return _listed_rows(answer, linked, matching_rows)
    answer_rows = [
        row
        for row in matching_rows
        if row.candidate.canonical_span == answer.candidate.canonical_span
    ]
    if (
        column is None
        or column in linked.matched_cells
        or {len(cells) for cells in linked.matched_cells.values()} != {1}
        or linked.unlinked_number is not None
        or not answer_rows
        or len(matching_rows) < _SEVERAL
        # Equal numbers in several rows do not add up to that number.
        or (
            column not in linked.numeric
            and len({row.cells[column].text for row in matching_rows}) == 1
        )
    ):
        return []
    is_mentioned = (
        column in linked.numeric and column in linked.titles and len(linked.unlinked_words) <= 1
    )
    if not is_mentioned and (
        linked.distinguishes(answer_rows[0], matching_rows)
        or _is_surely_read(linked, column, matching_rows, read_answers)
    ):
        return []
    distinguishing_columns = [
        other
        for other in range(1, len(table.header))
        if other != column
        and (other not in linked.numeric or column not in linked.numeric)
        and len({row.cells[other].text for row in matching_rows}) > 1
    ]
    return [
        AmbiguousRow(
            located=replace(
                answer,
                candidate=row.candidate,
                start=row.cells[column].start,
                end=row.cells[column].end,
            ),
            text=f"{table.name_of(row, (*distinguishing_columns, column))} — "
            + ", ".join(
                f"{table.header[index]}: {row.cells[index].text}"
                for index in (
                    (*distinguishing_columns, column) if column else distinguishing_columns
                )
            ),
        )
        for row in matching_rows
        if row.cells[column].text and not row.candidate.is_prompt_injection
    ]


def _listed_rows(
    answer: LocatedAnswer, linked: LinkedQuestion, rows: Sequence[Row]
) -> list[AmbiguousRow]:
    """The names of the mentioned group of rows, with the words that distinguish them.

    Empty if the question names no group, or a single row.
    """
    table = linked.table
    named_rows = [
        row for row in rows if row.cells[0].text and not row.candidate.is_prompt_injection
    ]
    if not linked.matched_cells or 0 in linked.matched_cells or len(named_rows) < _SEVERAL:
        return []
    distinguishing_columns = [
        column
        for column in range(1, len(table.header))
        if column not in linked.orderable_columns
        and len({row.cells[column].text for row in named_rows}) > 1
    ]
    columns = sorted({*linked.matched_cells, *distinguishing_columns})
    return [
        AmbiguousRow(
            located=replace(
                answer, candidate=row.candidate, start=row.cells[0].start, end=row.cells[0].end
            ),
            text=f"{table.name_of(row, columns)} — "
            + ", ".join(f"{table.header[column]}: {row.cells[column].text}" for column in columns),
        )
        for row in named_rows
    ]


def _is_surely_read(
    linked: LinkedQuestion, column: int, rows: Sequence[Row], read_answers: Sequence[LocatedAnswer]
) -> bool:
    """Whether the reader scored one of the rows far above the others, or they cannot be
    compared."""
    table = linked.table
    is_numeric = column in linked.numeric
    if is_numeric and not isinstance(
        table.quantities([row.cells[column].text for row in rows]), Quantities
    ):
        return True
    scores = _best_scores(read_answers)
    sorted_scores = sorted(scores.get(row_key(row.candidate), -inf) for row in rows)
    return sorted_scores[-1] - sorted_scores[-2] > (
        SURELY_READ if is_numeric else SURELY_READ_WORDS
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparatedRows:
    """The rows with one value in a column, if the reader scored them above all other rows."""

    column: int
    cell: str
    lead: float
    """Gap between the lowest score inside the group and the highest outside it, in log-odds."""


def separated_rows(
    linked: LinkedQuestion, read_answers: Sequence[LocatedAnswer]
) -> SeparatedRows | None:
    """The group of rows that the reader separates from all others.

    None if a row has no score or two columns define such a group.
    """
    table, scores = linked.table, _best_scores(read_answers)
    row_scores = [scores.get(row_key(row.candidate)) for row in table.rows]
    known_scores = [score for score in row_scores if score is not None]
    if not known_scores or len(known_scores) < len(row_scores):
        return None
    best_row = table.rows[known_scores.index(max(known_scores))]
    groups = []
    for column in range(len(table.header)):
        if column in linked.numeric:
            continue
        in_group = [row.cells[column].text == best_row.cells[column].text for row in table.rows]
        group_scores = [
            score for score, is_inside in zip(known_scores, in_group, strict=True) if is_inside
        ]
        other_scores = [
            score for score, is_inside in zip(known_scores, in_group, strict=True) if not is_inside
        ]
        if len(group_scores) >= _SEVERAL and other_scores and min(group_scores) > max(other_scores):
            lead = min(group_scores) - max(other_scores)
            groups.append(SeparatedRows(column=column, cell=best_row.cells[column].text, lead=lead))
    return groups[0] if len(groups) == 1 else None


def _best_scores(read_answers: Sequence[LocatedAnswer]) -> dict[tuple[object, ...], float]:
    scores: dict[tuple[object, ...], float] = {}
    for answer in read_answers:
        key = row_key(answer.candidate)
        scores[key] = max(answer.score, scores.get(key, -inf))
    return scores


def row_key(row: Candidate) -> tuple[object, ...]:
    """Key of a row in a version of a document, independent of the passage."""
    passage = row.evidence.passage
    return passage.document_id, passage.version, row.canonical_span
