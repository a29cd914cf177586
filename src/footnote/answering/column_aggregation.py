"""Compute a number from a table column, with the rows it was computed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_HALF_EVEN, Decimal

from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.cite import Footnotes
from footnote.answering.column_predictions import EXTREMES, NO_PREDICTIONS, ColumnPredictions
from footnote.answering.partial_mentions import partial_mention_reason, unsupported_reason
from footnote.answering.schema_linking import LinkedQuestion
from footnote.answering.sentences import Candidate
from footnote.answering.table_selection import separated_rows
from footnote.answering.tables import Table, table_around
from footnote.answering.titles import Terms
from footnote.answering.wording import Wording, in_english
from footnote.domain import Evidence
from footnote.language.answer_phrases import AnswerPhrases
from footnote.language.moments import Moments
from footnote.language.quantities import NotComparable, Quantities
from footnote.ports import Operation

MAX_CITED = 12
"""Most rows that are cited individually; for more, each part of the table gets one citation."""
FURTHER_DECIMALS = 2
"""Decimals of an average beyond the decimals of its column."""
MAX_MISMATCH = 1.0
"""Highest mismatch score, in log-odds, of a table with an answer. Measured on generated tables:
up to .7 for answerable questions, up to 1.1 for those in another language, from 1.3 on for
questions about an office or a kind that the table does not mention."""
MAX_UNLINKED_WORDS = 1
"""Most unexplained words of a question with matched cells for which the mismatch score is
ignored."""
MIN_CELL = 0.5
"""Probability of "a cell is asked for" from which a number that all matched rows share is given
once instead of summed."""
MIN_APART, MIN_APART_OF_NAME = 4.0, 1.0
"""Minimum gap in reader log-odds between a group of rows and all other rows for the group to be
what the question names in other words; the second applies if the question has a name that the
table lacks."""

_FEWEST_ROWS = 2
"""Fewest rows that an aggregate is computed over."""
_FEWEST_LETTERS = 4
"""Fewest letters of a word that is searched for inside other words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """A computed answer with the rows it was computed from."""

    text: str
    """The answer in the question's language: `Sum of Price: 1,234 EUR (12 rows)`."""
    rows: tuple[Candidate, ...]
    """For a maximum or minimum the rows with that value; otherwise all rows in the computation."""

    def cited(self, footnotes: Footnotes) -> tuple[int, ...]:
        """The markers of the rows; for many rows, one marker for each contiguous part of the
        table."""
        if len(self.rows) <= MAX_CITED:
            spans = [(row.evidence.passage, row.start, row.end) for row in self.rows]
        else:
            by_passage: dict[str, list[Candidate]] = {}
            for row in self.rows:
                by_passage.setdefault(row.evidence.passage.chunk_id, []).append(row)
            spans = [
                (rows[0].evidence.passage, rows[0].start, rows[-1].end)
                for rows in by_passage.values()
            ]
        return tuple(footnotes.citation(*span).marker for span in spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReading:
    """Model outputs for a question and a table, used where words alone do not match."""

    names: Sequence[str] = ()
    """Named entities in the question: persons, places and others."""
    mismatch: Mapping[str, float] = field(default_factory=dict)
    """See `PassageReading.mismatch`, by chunk id."""
    read_answers: Sequence[LocatedAnswer] = ()
    """The best answer span of each row of the table that the reader scored."""
    columns: ColumnPredictions = NO_PREDICTIONS
    """The predicted column of each table."""
    cell: float = 0.0
    """Probability that one cell is asked for although several rows match, 0…1."""


NOTHING_READ = TableReading()
"""For a question whose words are in the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotComputed:
    """Why a requested column was not computed."""

    reason: str


ScoredComputation = tuple[Computed | NotComputed, float]
"""A computed answer or refusal, and the probability that the question asks for it, 0…1; 0 for a
refusal."""


def compute(
    question: str,
    operation: Operation,
    located: Sequence[LocatedAnswer],
    evidence: Sequence[Evidence],
    terms: Terms,
    *,
    reading: TableReading = NOTHING_READ,
    wording: Wording = in_english,
) -> Computed | NotComputed | None:
    """Apply the operation to the column of the best located answer.

    Returns None where no column applies, where the question names one row (its cell is then the
    answer), or where it has a number that the table lacks. Total rows are excluded. A part of the
    question that the table explains in other words is matched by the reader's scores; it is never
    ignored, so a part that nothing matches gives NotComputed.
    """
    table = table_around(located[0].candidate, evidence) if located else None
    if table is None:
        return None
    if any(len(row.cells) != len(table.header) for row in table.rows):
        return NotComputed(reason="a row of its table could not be read")
    predicted = reading.columns.number(table)
    linked = LinkedQuestion(
        question=question, table=table, terms=terms, located=located, predicted_column=predicted
    )
    column = linked.column(operation)
    if column is None:
        return None
    has_no_column = (
        reading.columns.is_predicted and predicted is None and column not in linked.titles
    )
    if has_no_column and operation in EXTREMES:
        return None
    operation = reading.columns.operation(operation, table, column)
    narrowed = _narrow_rows(linked, operation, column, reading)
    if isinstance(narrowed, NotComputed):
        return narrowed
    shared_value = None
    if operation is Operation.SUM and reading.cell >= MIN_CELL:
        shared_value = _shared_value(narrowed, column, wording)
    return shared_value or aggregate_column(operation, narrowed, column, wording)


def row_names(
    question: str,
    row: Candidate,
    evidence: Sequence[Evidence],
    terms: Terms,
    reading: TableReading,
    *,
    wording: Wording = in_english,
) -> Computed | None:
    """List the names of the rows whose cells the question mentions; `row` is any row of the table.

    None where the match is uncertain or a part of the table is missing.
    """
    table = table_around(row, evidence)
    if (
        table is None
        or not table.is_whole
        or not all(table_row.cells[0].text for table_row in table.rows)
    ):
        return None
    location = LocatedAnswer(candidate=row, start=row.start, end=row.end, probability=0.0)
    linked = LinkedQuestion(question=question, table=table, terms=terms, located=[location])
    narrowed = _narrow_rows(linked, Operation.COUNT, 0, reading)
    if isinstance(narrowed, NotComputed) or not narrowed.matched_cells or narrowed.matches_one_name:
        return None
    matching_rows = [
        table_row for table_row in linked.totals.own if narrowed.matches_filter(table_row)
    ]
    safe_rows = [match for match in matching_rows if not match.candidate.is_prompt_injection]
    if not safe_rows:
        return None
    names = [table.name_of(match, tuple(narrowed.matched_cells)) for match in safe_rows]
    phrases = wording(row.evidence.passage.language)
    note = phrases.joined(narrowed.matched_cells_text, phrases.rows_of(len(safe_rows)))
    return Computed(
        text=phrases.noted.format(found=phrases.listed(names, MAX_CITED), note=note),
        rows=tuple(match.candidate for match in safe_rows),
    )


def _narrow_rows(
    linked: LinkedQuestion, operation: Operation, column: int, reading: TableReading
) -> LinkedQuestion | NotComputed:
    """Add the rows that the question names in other words, or say why the rows are unclear.

    Each phrase that a model predicts to restrict the rows must match the table; where no cell is
    mentioned literally, each named entity must match too.
    """
    prediction = reading.columns.of(linked.table)
    filter_phrases = () if prediction is None else prediction.filter_phrases
    missing = next((phrase for phrase in filter_phrases if not linked.is_linked(phrase)), None)
    # "The tallest" of a column of metres has as high a mismatch as a value that no row has.
    is_extreme = prediction is not None and operation in EXTREMES and 0 in linked.titles
    is_explained = bool(filter_phrases and linked.matched_cells) and missing is None
    # "How many vessels have Kelmouth as their home port?" has no other unexplained word than
    # "many".
    is_explained |= bool(linked.matched_cells) and len(linked.unlinked_words) <= MAX_UNLINKED_WORDS
    mismatch = reading.mismatch.get(linked.located[0].passage.chunk_id, 0.0)
    reason = unsupported_reason(linked, operation)
    # "How many plays" counts rows, whatever numbers they have; dates cannot be counted like this.
    is_summable = (
        prediction is not None
        and prediction.number in linked.numeric
        and linked.table.header[prediction.number] not in linked.titles_explained_by_cells
    )
    is_of_rows = operation is not Operation.COUNT or linked.mentions_row_type_or_document
    if reason is None and prediction is not None and is_summable and not is_of_rows:
        title = linked.table.header[prediction.number]
        reason = f"rows or their {title!r} may be counted; ask how many rows, or for the total"
    if reason is None and mismatch > MAX_MISMATCH and not (is_extreme or is_explained):
        reason = "the question speaks of something that its table does not have"
    ambiguous_title = None if linked.matched_cells else _binary_column_title(linked, column)
    if reason is None and ambiguous_title is not None:
        reason = f"{ambiguous_title!r} tells rows of two kinds, and which is not said"
    if reason is not None:
        return NotComputed(reason=reason)
    if not linked.matched_cells:
        missing = missing or next(filter(linked.is_absent, reading.names), None)
        group = separated_rows(linked, reading.read_answers)
        threshold = MIN_APART if missing is None or is_extreme else MIN_APART_OF_NAME
        if group and group.lead >= threshold:
            return replace(linked, reader_matched_cells={group.column: frozenset((group.cell,))})
    if missing is not None:
        return NotComputed(reason=f"no row of its table says {missing!r}")
    reason = None if linked.matched_cells else partial_mention_reason(linked, operation)
    return linked if reason is None else NotComputed(reason=reason)


def _binary_column_title(linked: LinkedQuestion, column: int) -> str | None:
    """The title of another column with two values, mentioned without either of its values.

    "The unpaid invoices" are some rows of a table whose column "Paid" has yes and no.
    """
    table, terms = linked.table, linked.terms
    question_terms = [term for term in terms(linked.question) if len(term) >= _FEWEST_LETTERS]
    for column_index, title in enumerate(table.header[1:], start=1):
        if column_index == column:
            continue
        title_terms = [term for term in terms(title) if len(term) >= _FEWEST_LETTERS]
        cells = {*table.column(column_index)}
        is_mentioned = any(term in word for term in title_terms for word in question_terms)
        if is_mentioned and len(cells) == 2 and not any(map(str.isdigit, "".join(cells))):
            return title
    return None


def _shared_value(linked: LinkedQuestion, column: int, wording: Wording) -> Computed | None:
    """The value that all matched rows share; None unless two or more rows match and agree."""
    matching_rows = [row for row in linked.totals.own if linked.matches_filter(row)]
    cells = {row.cells[column].text for row in matching_rows}
    if len(matching_rows) < _FEWEST_ROWS or len(cells) > 1 or not linked.matched_cells:
        return None
    phrases, title = wording(linked.located[0].passage.language), linked.table.header[column]
    scope = phrases.joined(phrases.rows_of(len(matching_rows)), linked.matched_cells_text)
    return Computed(
        text=phrases.noted.format(
            found=f"{title}: {cells.pop()}".removeprefix(": "),
            note=phrases.in_all.format(over=scope),
        ),
        rows=tuple(row.candidate for row in matching_rows),
    )


def aggregate_column(
    operation: Operation, linked: LinkedQuestion, column: int, wording: Wording
) -> Computed | NotComputed | None:
    """Aggregate a column over the matched rows; None where there are too few of them."""
    table, totals = linked.table, linked.totals
    matching_rows = tuple(row for row in totals.own if linked.matches_filter(row))
    # A single matched row is quoted instead; "how many saddles" may be answered by its cell.
    asks_for_rows = operation is Operation.COUNT and linked.mentions_row_type_or_document
    minimum_rows = 1 if asks_for_rows or len(table.rows) == 1 else _FEWEST_ROWS
    if len(matching_rows) < minimum_rows:
        return None
    title = table.header[column]
    unclear_names = [row.cells[0].text for row in totals.unclear if linked.matches_filter(row)]
    reasons = {
        f"its table has several columns {title!r}": bool(title) and table.header.count(title) > 1,
        "a part of its table is not among the passages that were read": not table.is_whole,
        f"its row {''.join(unclear_names)!r} may be the sum of the others": bool(unclear_names),
    }
    if any(reasons.values()):
        return NotComputed(reason=next(reason for reason, applies in reasons.items() if applies))
    subset = replace(table, rows=matching_rows)
    phrases = wording(linked.located[0].passage.language)
    if operation is Operation.COUNT:
        return _count_of_rows(linked, subset, column, phrases)
    scope = phrases.joined(linked.matched_cells_text, _totals_note(linked, phrases))
    cells = subset.column(column)
    quantities = subset.quantities(cells)
    parsed = (subset.moments(cells) or quantities) if operation in EXTREMES else quantities
    if operation in EXTREMES and isinstance(parsed, Quantities | Moments):
        return _extremum(operation, subset, column, parsed, scope=scope, phrases=phrases)
    if isinstance(quantities, Quantities):
        return _total_or_mean(operation, subset, column, quantities, scope=scope, phrases=phrases)
    explanation = "it holds other things than numbers"
    if isinstance(parsed, NotComparable):
        explanation = parsed.reason
    elif subset.moments(cells) is not None:
        explanation = "dates and times are not added up"
    return NotComputed(reason=f"the column {title!r} cannot be compared: {explanation}")


def _totals_note(linked: LinkedQuestion, phrases: AnswerPhrases) -> str:
    """The note that total rows were left out; empty where there were none."""
    total_rows = [row for row in linked.totals.sums if linked.matches_filter(row)]
    if len(total_rows) != 1:
        return phrases.without_totals.format(count=len(total_rows)) if total_rows else ""
    name = "" if total_rows[0].candidate.is_prompt_injection else total_rows[0].cells[0].text
    return phrases.without_named_total.format(name=name) if name else phrases.without_total


def _count_of_rows(
    linked: LinkedQuestion, table: Table, column: int, phrases: AnswerPhrases
) -> Computed:
    cells = [cell for cell in table.column(column) if cell]
    distinct, row_count = len(set(cells)), len(table.rows)
    title = table.header[column] or phrases.untitled
    totals_note = _totals_note(linked, phrases)
    if distinct in (0, row_count) or column == 0:
        text = phrases.value.format(
            what=phrases.of_title(phrases.count, title),
            number=row_count,
            over=phrases.joined(linked.matched_cells_text or phrases.all_rows, totals_note),
        )
    else:
        scope = phrases.joined(linked.matched_cells_text or phrases.rows_of(row_count), totals_note)
        text = phrases.count_of_different.format(title=title, number=distinct, over=scope)
    return Computed(text=text, rows=tuple(row.candidate for row in table.rows))


def _extremum(
    operation: Operation,
    table: Table,
    column: int,
    quantities: Quantities | Moments,
    *,
    scope: str,
    phrases: AnswerPhrases,
) -> Computed:
    values, title = quantities.values, table.header[column]
    is_largest = operation is Operation.LARGEST
    extreme = max(values) if is_largest else min(values)
    matches = [row for row, value in zip(table.rows, values, strict=True) if value == extreme]
    names = [table.name_of(row, (column,)) for row in matches if column and row.cells[0].text]
    listed_names = phrases.listed(names, MAX_CITED)
    value = f"{title}: {matches[0].cells[column].text}" if title else matches[0].cells[column].text
    phrase = phrases.largest if is_largest else phrases.smallest
    if isinstance(quantities, Moments) and quantities.are_dates:
        phrase = phrases.latest if is_largest else phrases.earliest
    return Computed(
        text=phrases.noted.format(
            found=f"{listed_names} — {value}" if listed_names else value,
            note=phrase.format(over=phrases.joined(phrases.rows_of(len(values)), scope)),
        ),
        rows=tuple(row.candidate for row in matches),
    )


def _total_or_mean(
    operation: Operation,
    table: Table,
    column: int,
    quantities: Quantities,
    *,
    scope: str,
    phrases: AnswerPhrases,
) -> Computed:
    values, is_average = quantities.values, operation is Operation.AVERAGE
    number = sum(values, Decimal(0))
    if is_average:
        precision = Decimal(1).scaleb(-quantities.decimals - FURTHER_DECIMALS)
        mean = number / len(values)
        rounded = mean.quantize(precision, ROUND_HALF_EVEN)
        # Without trailing zeros, but with as many decimals as the column has.
        unit = Decimal(1).scaleb(-quantities.decimals)
        number = rounded.quantize(unit) if rounded == rounded.quantize(unit) else rounded
    name = phrases.average if is_average else phrases.sum
    return Computed(
        text=phrases.value.format(
            what=phrases.of_title(name, table.header[column]),
            number=quantities.style(number),
            over=phrases.joined(phrases.rows_of(len(values)), scope),
        ),
        rows=tuple(row.candidate for row in table.rows),
    )
