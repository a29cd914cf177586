"""What a question asks of a column of a table is computed, where its answer stands in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial

from footnote.answering.choosing import Located, by_probability
from footnote.answering.columns import Computed, NotComputed, TableReading, compute
from footnote.answering.meant_columns import NONE_MEANT, meant_columns
from footnote.answering.naming import group_named, named_alone
from footnote.answering.operations_heard import OF_WHICH_ROWS, asks_for_more, is_all_asked
from footnote.answering.reading import locate, text_of
from footnote.answering.sentences import candidates_of
from footnote.answering.tables import is_cell, tables_of, under_title
from footnote.answering.titles import Terms, spoken
from footnote.domain import Evidence
from footnote.ports import Analyzer, ColumnFinder, NameFinder, Operation, Reader

MOST_UNMET = 0.7
"""Of a table whose group is asked for by its cells alone: a little less than where an answer was
read in it (`answering/columns.py`)."""
OVER_GROUPS = frozenset((Operation.SUM, Operation.AVERAGE, Operation.LARGEST, Operation.SMALLEST))
"""What is counted, on the other hand, has to be named."""

Over = tuple[Computed | NotComputed, float]
"""What was computed, and how likely the question asks for it, 0…1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OverColumn:
    """Hears operations, finds the column and computes. Raises ModelUnavailable."""

    reader: Reader
    analyzer: Analyzer
    least: float
    """Probability from which an answer was found."""
    namer: NameFinder | None
    finder: ColumnFinder | None

    async def __call__(
        self,
        question: str,
        found: Sequence[Located],
        evidence: Sequence[Evidence],
        tables: Sequence[Evidence],
        *,
        read: Sequence[Located],
    ) -> Over | None:
        """What the question asks of a column, if the answer stands in one.

        Tables are read anew for it: the title of a column points to it as well as a cell does.
        """
        titles = [title for each in candidates_of(tables) for title in each.header]
        asked = spoken(question, titles)
        operation = await self.reader.operation(asked)
        # What is asked does not hang on the question mark.
        bare = asked.rstrip(" ?")
        heard = {await self.reader.operation(each) for each in (bare, f"{bare}?")}
        grouped = {each for each in heard if each is not None}
        if operation is None and not grouped:
            return None
        terms = partial(self.analyzer.terms, language=tables[0].passage.language)
        meant = NONE_MEANT
        if self.finder is not None:
            meant = await meant_columns(self.finder, asked, tables_of(tables), terms)
        readings = await self.reader.read(question, [text_of(each.passage) for each in tables])
        unmet = {
            each.passage.chunk_id: reading.unmet
            for each, reading in zip(tables, readings, strict=True)
        }
        located = []
        for item, reading in zip(tables, readings, strict=True):
            candidates = candidates_of([item])
            for span in reading.spans:
                located += [*locate(span, candidates), *under_title(span, candidates)]
        located = by_probability(each for each in located if is_cell(each))
        least = max(self.least, *(each.read for each in found[:1]), 0.0)
        if operation is not None and located and located[0].probability >= least:
            of_table = TableReading(
                names=await self._names_in(question),
                unmet=unmet[located[0].passage.chunk_id],
                read=read,
                meant=meant,
            )
            own = self._terms_of(located[0])
            over = compute(question, operation, located, evidence, own, reading=of_table)
            return None if over is None else (over, located[0].probability)
        if found and found[0].probability >= self.least:
            own = self._terms_of(found[0])
            unclear = await asks_for_more(self.reader, asked, grouped, found[0], own)
            return (NotComputed(reason=OF_WHICH_ROWS), found[0].probability) if unclear else None
        if operation is not None and heard == {operation}:
            named = named_alone(question, operation, tables, terms, meant)
            if named and await is_all_asked(self.reader, asked, operation, named.unexplained):
                of_table = TableReading(meant=meant)
                over = compute(
                    question, operation, [named.located], evidence, terms, reading=of_table
                )
                return None if over is None else (over, self.least)
        return self._of_group(question, grouped, tables, evidence, terms=terms, unmet=unmet)

    def _of_group(
        self,
        question: str,
        heard: Set[Operation],
        tables: Sequence[Evidence],
        evidence: Sequence[Evidence],
        *,
        terms: Terms,
        unmet: Mapping[str, float],
    ) -> Over | None:
        """The same of rows that the question names by what their cells say."""
        for each in heard & OVER_GROUPS if len(heard) == 1 else ():
            row = group_named(question, each, tables, terms)
            if row is not None and unmet[row.passage.chunk_id] <= MOST_UNMET:
                over = compute(question, each, [row], evidence, terms)
                return None if over is None else (over, self.least)
        return None

    async def _names_in(self, question: str) -> list[str]:
        """The names in a question; none where nothing finds them."""
        found = None if self.namer is None else await self.namer.names([question])
        return [] if found is None else [question[one.start : one.end] for one in found[0]]

    def _terms_of(self, found: Located) -> Terms:
        return partial(self.analyzer.terms, language=found.passage.language)
