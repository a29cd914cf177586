"""What a question asks of a column of a table is computed, where its answer stands in one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from footnote.answering.choosing import Located, by_probability
from footnote.answering.columns import Computed, NotComputed, TableReading, compute
from footnote.answering.meant_columns import ENDS, NONE_MEANT, meant_columns
from footnote.answering.named_cells import SURELY_ELSEWHERE
from footnote.answering.naming import group_named, named_alone
from footnote.answering.operations_heard import OF_WHICH_ROWS, asks_for_more, is_all_asked
from footnote.answering.reading import locate, text_of
from footnote.answering.sentences import candidates_of
from footnote.answering.tables import is_cell, tables_of, under_title
from footnote.answering.titles import Terms, spoken
from footnote.answering.whole_tables import least_unmet, with_whole_tables
from footnote.domain import Evidence
from footnote.ports import (
    Analyzer,
    Around,
    ColumnFinder,
    NameFinder,
    Operation,
    PassageReading,
    Reader,
)

MOST_UNMET = 0.7
"""Of a table whose group is asked for by its cells alone: a little less than where an answer was
read in it (`answering/columns.py`)."""
OVER_GROUPS = frozenset((Operation.SUM, Operation.AVERAGE, Operation.LARGEST, Operation.SMALLEST))
"""What is counted, on the other hand, has to be named."""

AGREED, AT_ODDS = 0.84, 0.58
"""How often the end of a column that no word names is the one that is meant, where the question by
itself sounds like it and where it does not: 176 and 59 questions that nothing was fitted to
(`training/questions`)."""

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
    around: Around | None = None
    """What has the rest of a table of which a part was found."""

    async def __call__(
        self,
        question: str,
        found: Sequence[Located],
        evidence: Sequence[Evidence],
        tables: Sequence[Evidence],
        *,
        read: Sequence[Located],
    ) -> Over | None:
        """What the question asks of a column, if the answer stands in one."""
        titles = [title for each in candidates_of(tables) for title in each.header]
        asked = spoken(question, titles)
        # What is asked does not hang on the question mark.
        bare = asked.rstrip(" ?")
        texts = list(dict.fromkeys((asked, bare, f"{bare}?")))
        told = await asyncio.gather(*map(self.reader.operation, texts))
        heard = {each for each in told if each is not None}
        if not heard:
            return None
        parts, kept = tables, {each.passage.chunk_id for each in tables}
        if self.around is not None:
            evidence = await with_whole_tables(evidence, tables, self.around)
            tables = [each for each in evidence if each.passage.chunk_id in kept]
        terms = partial(self.analyzer.terms, language=tables[0].passage.language)
        meant = NONE_MEANT
        if self.finder is not None:
            meant = await meant_columns(self.finder, asked, tables_of(tables), terms)
        # Tables are read anew: the title of a column points to it as well as a cell does.
        readings = await self.reader.read(question, [text_of(each.passage) for each in parts])
        unmet = least_unmet(parts, [each.unmet for each in readings], tables)
        of_table = TableReading(
            names=await self._names_in(question), unmet=unmet, read=read, meant=meant
        )
        over = await self._named(question, told, tables, evidence, of_table=of_table)
        if over is not None and not (found and _is_surer(found[0], over)):
            return over
        likeliest = _likeliest_cell(parts, readings)
        least = max(self.least, *(each.read for each in found[:1]), 0.0)
        if told[0] is not None and likeliest and likeliest[0].probability >= least:
            own = self._terms_of(likeliest[0])
            computed = await asyncio.to_thread(
                compute, question, told[0], likeliest, evidence, own, reading=of_table
            )
            return None if computed is None else (computed, likeliest[0].probability)
        if found and found[0].probability >= self.least:
            own = self._terms_of(found[0])
            unclear = await asks_for_more(self.reader, asked, heard, found[0], own)
            return (NotComputed(reason=OF_WHICH_ROWS), found[0].probability) if unclear else None
        for each in heard & OVER_GROUPS if len(heard) == 1 else ():
            # The rows that the question names by what their cells say.
            row = await asyncio.to_thread(group_named, question, each, tables, terms)
            if row is not None and unmet[row.passage.chunk_id] <= MOST_UNMET:
                computed = await asyncio.to_thread(compute, question, each, [row], evidence, terms)
                return None if computed is None else (computed, self.least)
        return None

    async def _named(
        self,
        question: str,
        told: Sequence[Operation | None],
        tables: Sequence[Evidence],
        evidence: Sequence[Evidence],
        *,
        of_table: TableReading,
    ) -> Over | None:
        """The same of the column that the question means or names, without a cell of it."""
        heard = {each for each in told if each is not None}
        # Which end of a column is meant may be heard in two ways; the column tells it.
        if len(heard) > 1 and not heard <= ENDS:
            return None
        operation = told[0] or min(heard)
        terms = partial(self.analyzer.terms, language=tables[0].passage.language)
        # A table of thousands of rows takes half a second; other questions wait for none of it.
        named = await asyncio.to_thread(
            named_alone, question, operation, tables, terms, of_table.meant
        )
        if named is None:
            return None
        asked = spoken(question, named.located.candidate.header)
        if not await is_all_asked(self.reader, asked, operation, named.unexplained):
            return None
        over = await asyncio.to_thread(
            compute, question, operation, [named.located], evidence, terms, reading=of_table
        )
        if over is None:
            return None
        sure = named.located.probability
        if named.extreme is not None and operation in ENDS:
            sure *= AGREED if heard == {named.extreme} else AT_ODDS
        return over, max(sure, self.least)

    async def _names_in(self, question: str) -> list[str]:
        """The names in a question; none where nothing finds them."""
        found = None if self.namer is None else await self.namer.names([question])
        return [] if found is None else [question[one.start : one.end] for one in found[0]]

    def _terms_of(self, found: Located) -> Terms:
        return partial(self.analyzer.terms, language=found.passage.language)


def _is_surer(found: Located, over: Over) -> bool:
    """Whether a statement that was read in prose is said instead of what a column gives."""
    computed, probability = over
    least = probability if isinstance(computed, Computed) else SURELY_ELSEWHERE
    return found.probability >= least and not is_cell(found)


def _likeliest_cell(
    tables: Sequence[Evidence], readings: Sequence[PassageReading]
) -> list[Located]:
    """The cells that were read, and those below titles that were, the likeliest first."""
    located = []
    for item, reading in zip(tables, readings, strict=True):
        candidates = candidates_of([item])
        for span in reading.spans:
            located += [*locate(span, candidates), *under_title(span, candidates)]
    return by_probability(each for each in located if is_cell(each))
