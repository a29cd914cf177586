"""A question over the column of a table becomes a number, and the rows it was computed from."""

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
from footnote.answering.table_selection import rows_read_apart
from footnote.answering.tables import Table, table_around
from footnote.answering.titles import Terms
from footnote.answering.wording import Wording, in_english
from footnote.domain import Evidence
from footnote.language.answer_phrases import AnswerPhrases
from footnote.language.moments import Moments
from footnote.language.quantities import NotComparable, Quantities
from footnote.ports import Operation

MOST_CITED = 12
"""Most rows that are cited one by one; above it each part of the table gets one citation."""
FURTHER_DECIMALS = 2
"""Decimals of an average beyond the decimals of its column."""
MAX_MISMATCH = 1.0
"""Highest mismatch score, in log-odds, of a table with an answer. Measured on generated tables:
up to .7 for answerable questions, up to 1.1 for those in another language, from 1.3 on for
questions about an office or a kind that the table does not mention."""
MAX_UNLINKED_WORDS = 1
"""Most unexplained words of a question with matched cells for which the mismatch score is
ignored."""
LEAST_CELL = 0.5
"""Probability of "a cell is asked for" from which a number that all matched rows share is given
once instead of summed."""
LEAST_APART, LEAST_APART_OF_NAME = 4.0, 1.0
"""Least gap in reader log-odds between a group of rows and all other rows for the group to be
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
    """As it is said in the question's language: `Sum of Price: 1,234 EUR (12 rows)`."""
    rows: tuple[Candidate, ...]
    """For a maximum or minimum the rows that have it; otherwise all rows in the computation."""

    def cited(self, footnotes: Footnotes) -> tuple[int, ...]:
        """The markers of its rows; of many, one for each stretch of the table."""
        if len(self.rows) <= MOST_CITED:
            stretches = [(row.evidence.passage, row.start, row.end) for row in self.rows]
        else:
            by_passage: dict[str, list[Candidate]] = {}
            for row in self.rows:
                by_passage.setdefault(row.evidence.passage.chunk_id, []).append(row)
            stretches = [
                (rows[0].evidence.passage, rows[0].start, rows[-1].end)
                for rows in by_passage.values()
            ]
        return tuple(footnotes.citation(*each).marker for each in stretches)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableReading:
    """Model outputs for a question and a table, used where words alone do not match."""

    names: Sequence[str] = ()
    """Named entities in the question: persons, places and others."""
    unmet: Mapping[str, float] = field(default_factory=dict)
    """See `PassageReading.unmet`, by the passages' chunks."""
    read: Sequence[LocatedAnswer] = ()
    """The best answer span of each row of the table that the reader scored."""
    meant: ColumnPredictions = NO_PREDICTIONS
    """The columns that it is about without saying their titles."""
    cell: float = 0.0
    """Probability that one cell is asked for although several rows match, 0…1."""


NOTHING_READ = TableReading()
"""Of a question that has its words in the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotComputed:
    """Why a column was not computed with, although the question asks for it."""

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
    own = reading.meant.number(table)
    asked = LinkedQuestion(
        question=question, table=table, terms=terms, located=located, predicted_column=own
    )
    column = asked.column(operation)
    if column is None:
        return None
    is_none = reading.meant.is_told and own is None and column not in asked.titles
    if is_none and operation in EXTREMES:
        return None
    operation = reading.meant.operation(operation, table, column)
    narrowed = _narrowed(asked, operation, column, reading)
    if isinstance(narrowed, NotComputed):
        return narrowed
    same = None
    if operation is Operation.SUM and reading.cell >= LEAST_CELL:
        same = _same_in_all(narrowed, column, wording)
    return same or aggregate_column(operation, narrowed, column, wording)


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
    if table is None or not table.is_whole or not all(each.cells[0].text for each in table.rows):
        return None
    place = LocatedAnswer(candidate=row, start=row.start, end=row.end, probability=0.0)
    asked = LinkedQuestion(question=question, table=table, terms=terms, located=[place])
    narrowed = _narrowed(asked, Operation.COUNT, 0, reading)
    if isinstance(narrowed, NotComputed) or not narrowed.matched_cells or narrowed.matches_one_name:
        return None
    kept = [each for each in asked.totals.own if narrowed.matches_filter(each)]
    named = [each for each in kept if not each.candidate.is_prompt_injection]
    if not named:
        return None
    names = [table.name_of(each, tuple(narrowed.matched_cells)) for each in named]
    phrases = wording(row.evidence.passage.language)
    which = phrases.joined(narrowed.matched_cells_text, phrases.rows_of(len(named)))
    return Computed(
        text=phrases.noted.format(found=phrases.listed(names, MOST_CITED), note=which),
        rows=tuple(each.candidate for each in named),
    )


def _narrowed(
    asked: LinkedQuestion, operation: Operation, column: int, reading: TableReading
) -> LinkedQuestion | NotComputed:
    """Add the rows that the question names in other words, or say why the rows are unclear.

    Each phrase that a model predicts to restrict the rows must match the table; where no cell is
    mentioned literally, each named entity must match too.
    """
    meant = reading.meant.of(asked.table)
    narrowing = () if meant is None else meant.filter_phrases
    lacking = next((each for each in narrowing if not asked.is_linked(each)), None)
    # "The tallest" of a column of metres is as unmet as what no row has.
    is_extreme = meant is not None and operation in EXTREMES and 0 in asked.titles
    is_explained = bool(narrowing and asked.matched_cells) and lacking is None
    # "How many vessels have Kelmouth as their home port?" says nothing else but "many".
    is_explained |= bool(asked.matched_cells) and len(asked.unlinked_words) <= MAX_UNLINKED_WORDS
    unmet = reading.unmet.get(asked.located[0].passage.chunk_id, 0.0)
    reason = unsupported_reason(asked, operation)
    # "How many plays" are rows, whatever numbers they have; dates are nothing that is many.
    may_be_added_up = (
        meant is not None
        and meant.number in asked.numeric
        and asked.table.header[meant.number] not in asked.titles_explained_by_cells
    )
    is_of_rows = operation is not Operation.COUNT or asked.mentions_row_type_or_document
    if reason is None and meant is not None and may_be_added_up and not is_of_rows:
        title = asked.table.header[meant.number]
        reason = f"rows or their {title!r} may be counted; ask how many rows, or for the total"
    if reason is None and unmet > MAX_MISMATCH and not (is_extreme or is_explained):
        reason = "the question speaks of something that its table does not have"
    kind = None if asked.matched_cells else _of_two_kinds(asked, column)
    if reason is None and kind is not None:
        reason = f"{kind!r} tells rows of two kinds, and which is not said"
    if reason is not None:
        return NotComputed(reason=reason)
    if not asked.matched_cells:
        lacking = lacking or next(filter(asked.is_absent, reading.names), None)
        apart = rows_read_apart(asked, reading.read)
        least = LEAST_APART if lacking is None or is_extreme else LEAST_APART_OF_NAME
        if apart and apart.lead >= least:
            return replace(asked, reader_matched_cells={apart.column: frozenset((apart.cell,))})
    if lacking is not None:
        return NotComputed(reason=f"no row of its table says {lacking!r}")
    reason = None if asked.matched_cells else partial_mention_reason(asked, operation)
    return asked if reason is None else NotComputed(reason=reason)


def _of_two_kinds(asked: LinkedQuestion, column: int) -> str | None:
    """The title of another column with two values, mentioned without either of its values.

    "The unpaid invoices" are some rows of a table whose column "Paid" has yes and no.
    """
    table, terms = asked.table, asked.terms
    words = [each for each in terms(asked.question) if len(each) >= _FEWEST_LETTERS]
    for place, title in enumerate(table.header[1:], start=1):
        if place == column:
            continue
        held = [each for each in terms(title) if len(each) >= _FEWEST_LETTERS]
        cells = {*table.column(place)}
        is_said = any(one in other for one in held for other in words)
        if is_said and len(cells) == 2 and not any(map(str.isdigit, "".join(cells))):
            return title
    return None


def _same_in_all(asked: LinkedQuestion, column: int, wording: Wording) -> Computed | None:
    """The value that all matched rows share; None unless two or more rows match and agree."""
    kept = [row for row in asked.totals.own if asked.matches_filter(row)]
    cells = {row.cells[column].text for row in kept}
    if len(kept) < _FEWEST_ROWS or len(cells) > 1 or not asked.matched_cells:
        return None
    phrases, title = wording(asked.located[0].passage.language), asked.table.header[column]
    over = phrases.joined(phrases.rows_of(len(kept)), asked.matched_cells_text)
    return Computed(
        text=phrases.noted.format(
            found=f"{title}: {cells.pop()}".removeprefix(": "),
            note=phrases.in_all.format(over=over),
        ),
        rows=tuple(row.candidate for row in kept),
    )


def aggregate_column(
    operation: Operation, asked: LinkedQuestion, column: int, wording: Wording
) -> Computed | NotComputed | None:
    """Aggregate a column over the matched rows; None where there are too few of them."""
    table, totals = asked.table, asked.totals
    kept = tuple(row for row in totals.own if asked.matches_filter(row))
    # A single matched row is quoted instead; "how many saddles" may be answered by its cell.
    is_of_rows = operation is Operation.COUNT and asked.mentions_row_type_or_document
    fewest = 1 if is_of_rows or len(table.rows) == 1 else _FEWEST_ROWS
    if len(kept) < fewest:
        return None
    title = table.header[column]
    unclear = [row.cells[0].text for row in totals.unclear if asked.matches_filter(row)]
    reasons = {
        f"its table has several columns {title!r}": bool(title) and table.header.count(title) > 1,
        "a part of its table is not among the passages that were read": not table.is_whole,
        f"its row {''.join(unclear)!r} may be the sum of the others": bool(unclear),
    }
    if any(reasons.values()):
        return NotComputed(reason=next(each for each, holds in reasons.items() if holds))
    narrowed = replace(table, rows=kept)
    phrases = wording(asked.located[0].passage.language)
    if operation is Operation.COUNT:
        return _counted(asked, narrowed, column, phrases)
    where = phrases.joined(asked.matched_cells_text, _left_out(asked, phrases))
    cells = narrowed.column(column)
    quantities = narrowed.quantities(cells)
    found = (narrowed.moments(cells) or quantities) if operation in EXTREMES else quantities
    if operation in EXTREMES and isinstance(found, Quantities | Moments):
        return _extreme(operation, narrowed, column, found, where=where, phrases=phrases)
    if isinstance(quantities, Quantities):
        return _aggregated(operation, narrowed, column, quantities, where=where, phrases=phrases)
    why = "it holds other things than numbers"
    if isinstance(found, NotComparable):
        why = found.reason
    elif narrowed.moments(cells) is not None:
        why = "dates and times are not added up"
    return NotComputed(reason=f"the column {title!r} cannot be compared: {why}")


def _left_out(asked: LinkedQuestion, phrases: AnswerPhrases) -> str:
    """The note that total rows were left out; empty where there were none."""
    sums = [row for row in asked.totals.sums if asked.matches_filter(row)]
    if len(sums) != 1:
        return phrases.without_totals.format(count=len(sums)) if sums else ""
    name = "" if sums[0].candidate.is_prompt_injection else sums[0].cells[0].text
    return phrases.without_named_total.format(name=name) if name else phrases.without_total


def _counted(asked: LinkedQuestion, table: Table, column: int, phrases: AnswerPhrases) -> Computed:
    cells = [each for each in table.column(column) if each]
    different, rows = len(set(cells)), len(table.rows)
    title = table.header[column] or phrases.untitled
    left_out = _left_out(asked, phrases)
    if different in (0, rows) or column == 0:
        text = phrases.value.format(
            what=phrases.of_title(phrases.count, title),
            number=rows,
            over=phrases.joined(asked.matched_cells_text or phrases.all_rows, left_out),
        )
    else:
        over = phrases.joined(asked.matched_cells_text or phrases.rows_of(rows), left_out)
        text = phrases.count_of_different.format(title=title, number=different, over=over)
    return Computed(text=text, rows=tuple(each.candidate for each in table.rows))


def _extreme(
    operation: Operation,
    table: Table,
    column: int,
    quantities: Quantities | Moments,
    *,
    where: str,
    phrases: AnswerPhrases,
) -> Computed:
    values, title = quantities.values, table.header[column]
    is_largest = operation is Operation.LARGEST
    extreme = max(values) if is_largest else min(values)
    best = [row for row, value in zip(table.rows, values, strict=True) if value == extreme]
    names = [table.name_of(row, (column,)) for row in best if column and row.cells[0].text]
    named = phrases.listed(names, MOST_CITED)
    value = f"{title}: {best[0].cells[column].text}" if title else best[0].cells[column].text
    end = phrases.largest if is_largest else phrases.smallest
    if isinstance(quantities, Moments) and quantities.are_dates:
        end = phrases.latest if is_largest else phrases.earliest
    return Computed(
        text=phrases.noted.format(
            found=f"{named} — {value}" if named else value,
            note=end.format(over=phrases.joined(phrases.rows_of(len(values)), where)),
        ),
        rows=tuple(row.candidate for row in best),
    )


def _aggregated(
    operation: Operation,
    table: Table,
    column: int,
    quantities: Quantities,
    *,
    where: str,
    phrases: AnswerPhrases,
) -> Computed:
    values, is_average = quantities.values, operation is Operation.AVERAGE
    number = sum(values, Decimal(0))
    if is_average:
        digits = Decimal(1).scaleb(-quantities.decimals - FURTHER_DECIMALS)
        mean = number / len(values)
        rounded = mean.quantize(digits, ROUND_HALF_EVEN)
        # Without trailing zeros, but with as many decimals as the column has.
        least = Decimal(1).scaleb(-quantities.decimals)
        number = rounded.quantize(least) if rounded == rounded.quantize(least) else rounded
    name = phrases.average if is_average else phrases.sum
    return Computed(
        text=phrases.value.format(
            what=phrases.of_title(name, table.header[column]),
            number=quantities.style(number),
            over=phrases.joined(phrases.rows_of(len(values)), where),
        ),
        rows=tuple(row.candidate for row in table.rows),
    )
