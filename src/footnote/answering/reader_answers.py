"""Evidence becomes an answer that a reader found: read → locate → guard → choose → say → cite."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

from footnote.answering.aggregation_answers import AggregationAnswerer
from footnote.answering.answer_scoring import AnswerScorer, ReaderAnswerScorer, ScoredAnswers
from footnote.answering.answer_selection import (
    AnswerSelector,
    LocatedAnswer,
    by_probability,
    contains_phrase,
    names_several,
    without_other_identifiers,
)
from footnote.answering.cell_selection import CellSelector
from footnote.answering.cite import Footnotes
from footnote.answering.column_aggregation import Computed, NotComputed, ScoredComputation
from footnote.answering.context import NOT_FOUND
from footnote.answering.document_versions import named_versions, prefer_newest, with_newer_note
from footnote.answering.filtered_rows import answer_over_rows, is_accepted
from footnote.answering.injection_filter import without_injections
from footnote.answering.lists import with_list
from footnote.answering.reading import deduplicated, read_statements
from footnote.answering.reading_order import MOST_PASSAGES
from footnote.answering.row_comparison import is_over_rows
from footnote.answering.sentences import Cell, cells_of
from footnote.answering.table_completion import with_cited_rows, with_whole_tables
from footnote.answering.table_question import TableQuestion
from footnote.answering.table_selection import ambiguous_rows, may_be_ambiguous
from footnote.answering.tables import holds_table, in_named_column, is_code, name_of_row
from footnote.answering.titles import Terms
from footnote.answering.wording import localised_refusal
from footnote.domain import Answer, AnswerSentence, Evidence, Verdict
from footnote.errors import ModelUnavailable
from footnote.ports import (
    Analyzer,
    Embedder,
    ExpandPassages,
    NameFinder,
    Reader,
    TableQuestionModel,
)

LEAST_ANSWERABILITY = 0.25
"""Where nothing was fitted; what is fitted comes with its own (`answering/weighing.json`)."""
UNDECIDED = 0.05
"""As above."""
LEAST_FURTHER = 0.9
MOST_ALIKE = 12
"""Rows that are said where a question does not tell them apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _OfTables:
    """What tables tell of a question."""

    chosen: Sequence[LocatedAnswer]
    """What is said, unless something was computed or cannot be."""
    computation: ScoredComputation | None = None
    note: str | None = None
    """See `CellSelection`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderAnswerer:
    """Answers with the statements in which a reader finds the answer, quoted and cited, or refuses.

    Implements `answering.streaming.Drafts`.
    """

    reader: Reader | None
    """None where it is switched off: then every answer is a refusal that says so."""
    analyzer: Analyzer
    max_sentences: int = 4
    least_answerability: float = LEAST_ANSWERABILITY
    """Below this probability that the documents answer, the answer is that they do not."""
    undecided: float = UNDECIDED
    """Below this probability further passages are not read, as they hardly answer then."""
    least_further: float = LEAST_FURTHER
    """A further answer needs this probability, and about the odds of the best one."""
    passages: int = MOST_PASSAGES
    namer: NameFinder | None = None
    """What finds the names in a question over a table, none of which may be left out."""
    finder: TableQuestionModel | None = None
    """Model that predicts column and operation of questions over tables; None without one."""
    around: ExpandPassages | None = None
    """What has the rest of a table of which a part was found; of one workspace and principal."""
    weigh: AnswerScorer = field(default_factory=ReaderAnswerScorer)
    """Combines the signals of reader and search into one probability."""

    def in_lane(self, embedder: Embedder) -> ReaderAnswerer:
        """The same with another lane's embedder."""
        return replace(self, weigh=self.weigh.with_embedder(embedder))

    async def __call__(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        """Answer from this evidence alone.

        Where the reader cannot run, the answer is a refusal with the nearest passages, and
        `degraded` says why.
        """
        answer = with_newer_note(await self._answer(question, evidence), evidence)
        named = named_versions(question, evidence)
        if named is not None and named.is_passed_over(answer):
            of_named_ones = await self._answer(named.question, named.evidence)
            if of_named_ones.found:
                answer = replace(of_named_ones, question=question)
        return await localised_refusal(answer, self.analyzer)

    async def compare_rows(self, question: str, evidence: Sequence[Evidence]) -> Answer | None:
        """See `by_part.ComparesRows`; None where a model that it needs is away.

        Where an operation is heard, and no column of the rows is told, they are read with the
        question as a whole: of each by itself a reader takes any cell that looks like an answer.
        """
        ranked = sorted(evidence, key=lambda each: (each.rank, each.passage.chunk_id))
        tables = [each for each in ranked[: self.passages] if holds_table(each)]
        if self.reader is None or self.finder is None or not tables:
            return None
        of_tables = TableQuestion.of(
            question,
            tables,
            reader=self.reader,
            finder=self.finder,
            analyzer=self.analyzer,
            around=self.around,
        )
        try:
            found = await answer_over_rows(of_tables)
            if found is not None and is_accepted(found, self.least_answerability):
                return computed_answer(question, *found, evidence)
            is_of_several = await is_over_rows(of_tables)
        except ModelUnavailable:
            return None  # What reads next says that it is away.
        return await self(question, evidence) if is_of_several else None

    async def _answer(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        """The same, as the question stands."""
        if self.reader is None:
            why = "answer: nothing was read, the reader is switched off (FOOTNOTE_READER=none)"
            return refusal(question, evidence, confidence=0.0, degraded=(why,))
        ranked = sorted(evidence, key=lambda each: (each.rank, each.passage.chunk_id))
        best = ranked[: self.passages]
        weigh = self.weigh.with_cache()
        order = weigh.rank_for_reading(question, best)
        # Of several things that are named each may have its answer in a passage of its own.
        ends = [MOST_PASSAGES] if names_several(question, best) else order.ends
        choose = AnswerSelector(
            limit=self.max_sentences,
            least=self.least_answerability,
            further_threshold=self.least_further,
        )
        read: list[LocatedAnswer] = []
        weighed = ScoredAnswers(found=[])
        try:
            for first, end in pairwise((0, *ends)):
                read += await read_statements(self.reader, question, order.evidence[first:end])
                about = without_other_identifiers(question, deduplicated(read), best)
                weighed = await weigh(question, about, best)
                likeliest = max((each.probability for each in weighed.found), default=0.0)
                if not self.undecided <= likeliest < self.least_answerability:
                    break
            found = by_probability(weighed.found)
            if any(each.candidate.evidence.suspicious for each in found):
                found = await without_injections(self.reader, found)
            chosen = choose(question, found, ranked)
            if found:
                terms, least = self._terms_of(found[0]), self.least_answerability
                chosen = prefer_newest(question, chosen, found, best, least=least, terms=terms)
                chosen = with_list(question, chosen, found, best, terms)
            told = await self._of_tables(self.reader, question, chosen, found, ranked)
        except ModelUnavailable as unavailable:
            why = f"answer: nothing was read, {unavailable}"
            return refusal(question, evidence, confidence=0.0, degraded=(why,))
        if told.computation is not None:
            return computed_answer(question, *told.computation, evidence)
        whole = await self._with_rest(question, told.chosen[:1], ranked)
        answer = self._said(question, told.chosen, replace(weighed, found=found), whole, evidence)
        if answer.found or told.note is None:
            return answer
        return replace(answer, degraded=(*answer.degraded, f"answer: {told.note}"))

    async def _of_tables(
        self,
        reader: Reader,
        question: str,
        chosen: Sequence[LocatedAnswer],
        found: Sequence[LocatedAnswer],
        ranked: Sequence[Evidence],
    ) -> _OfTables:
        """What the tables among the best evidence tell instead of what was chosen. Raises
        ModelUnavailable."""
        tables = [each for each in ranked[: self.passages] if holds_table(each)]
        if not tables:
            return _OfTables(chosen=chosen)
        over = AggregationAnswerer(
            reader=reader,
            analyzer=self.analyzer,
            least=self.least_answerability,
            namer=self.namer,
            finder=self.finder,
            around=self.around,
        )
        computation = await over(question, chosen, ranked, tables, read=found)
        if computation is not None:
            return _OfTables(chosen=chosen, computation=computation)
        chosen = [in_named_column(question, one, self._terms_of(one)) for one in chosen]
        if self.finder is None:
            return _OfTables(chosen=chosen)
        in_cell = CellSelector(
            reader=reader,
            finder=self.finder,
            analyzer=self.analyzer,
            least=self.least_answerability,
            around=self.around,
        )
        closest = ranked[0].passage.document_id
        with_cell = await in_cell(question, chosen, tables, closest=closest)
        return _OfTables(chosen=with_cell.chosen, note=with_cell.note)

    async def _with_rest(
        self, question: str, best: Sequence[LocatedAnswer], evidence: Sequence[Evidence]
    ) -> Sequence[Evidence]:
        """The evidence, with the rest of a table that may have rows named as the answer's is."""
        likely = [each for each in best if each.probability >= self.least_answerability]
        if self.around is None or not likely:
            return evidence
        [found] = likely
        terms = self._terms_of(found)
        if not await asyncio.to_thread(may_be_ambiguous, question, found, evidence, terms):
            return evidence
        return await with_whole_tables(evidence, [found.candidate.evidence], self.around)

    def _said(
        self,
        question: str,
        chosen: Sequence[LocatedAnswer],
        weighed: ScoredAnswers,
        ranked: Sequence[Evidence],
        evidence: Sequence[Evidence],
    ) -> Answer:
        """The answer that says what was chosen of the statements, or a refusal."""
        confidence = chosen[0].probability if chosen else 0.0
        if confidence < self.least_answerability:
            return refusal(question, evidence, confidence=confidence, degraded=weighed.degraded)
        told = [(each, answer_text(question, each, ranked)) for each in chosen]
        alike = ambiguous_rows(
            question, chosen[0], ranked, self._terms_of(chosen[0]), weighed.found
        )
        if len(alike) > MOST_ALIKE:
            note = (
                f"answer: {len(alike)} rows of a table are named alike, and none of them was chosen"
            )
            return refusal(question, evidence, confidence=confidence, degraded=(note,))
        if any(each.located.candidate.evidence not in evidence for each in alike):
            evidence = with_cited_rows(evidence, [each.located.candidate for each in alike])
        footnotes = Footnotes()
        sentences = tuple(
            AnswerSentence(
                text=each.candidate.readable_text(said),
                markers=(_cited(each, footnotes),),
                support=each.probability,
                # It is its quote.
                verdict=Verdict.SUPPORTED,
            )
            for each, said in [(each.located, each.text) for each in alike] or told
        )
        return Answer(
            question=question,
            found=True,
            sentences=sentences,
            citations=tuple(footnotes.citations),
            evidence=tuple(evidence),
            confidence=confidence,
            degraded=weighed.degraded,
        )

    def _terms_of(self, found: LocatedAnswer) -> Terms:
        return partial(self.analyzer.terms, language=found.passage.language)


def refusal(
    question: str,
    evidence: Sequence[Evidence],
    *,
    confidence: float,
    degraded: tuple[str, ...] = (),
) -> Answer:
    """That the documents do not answer; the evidence is the nearest that there is."""
    return Answer(
        question=question,
        found=False,
        sentences=(AnswerSentence(text=NOT_FOUND, markers=(), support=0.0),),
        citations=(),
        evidence=tuple(evidence),
        confidence=confidence,
        degraded=degraded,
    )


def computed_answer(
    question: str, found: Computed | NotComputed, confidence: float, evidence: Sequence[Evidence]
) -> Answer:
    """The answer that was computed from rows, which it cites; or a refusal that says why not."""
    if isinstance(found, NotComputed):
        note = f"answer: not computed, since {found.reason}"
        return refusal(question, evidence, confidence=0.0, degraded=(note,))
    footnotes = Footnotes()
    sentence = AnswerSentence(
        text=found.rows[0].readable_text(found.text),
        markers=found.cited(footnotes),
        support=confidence,
        # Its number follows from its quotes.
        verdict=Verdict.SUPPORTED,
    )
    return Answer(
        question=question,
        found=True,
        sentences=(sentence,),
        citations=tuple(footnotes.citations),
        evidence=with_cited_rows(evidence, found.rows),
        confidence=confidence,
    )


def answer_text(question: str, found: LocatedAnswer, evidence: Sequence[Evidence]) -> str:
    """The text of an answer: the statement, or of a table row the cells asked for.

    Cells are written with the row's name and their titles. If the row's name is the answer, the
    cells that the question mentions are added. All cells under a repeated title are included. If
    the row's name is a code, the cell by which the question calls the row follows it.
    """
    cells = [each for each in cells_of(found.candidate) if each.text]
    asked = [each for each in cells if each.start < found.end and found.start < each.end]
    titles = {each.title for each in asked if each.title}
    asked = [each for each in cells if each in asked or each.title in titles]
    if not asked or not any(each.title for each in cells):
        return found.candidate.statement
    named = cells[0]
    if asked == [named]:
        telling = [each for each in cells[1:] if contains_phrase(each.text, question)]
        if not telling:
            return found.candidate.statement
        return f"{_titled(named)} — {', '.join(map(_titled, telling))}"
    told = ", ".join(_titled(each) for each in asked if each is not named)
    numbers = [number for number, each in enumerate(cells_of(found.candidate)) if each in asked]
    name = name_of_row(found.candidate, evidence, said=numbers) or named.text
    if name == named.text and is_code(name) and not contains_phrase(name, question):
        others = (each.text for each in cells[1:] if each not in asked)
        called = next(
            (each for each in others if each[:1].isalpha() and contains_phrase(each, question)), ""
        )
        name = ", ".join(filter(None, (name, called)))
    return f"{name} — {told}"


def _titled(cell: Cell) -> str:
    return f"{cell.title}: {cell.text}" if cell.title else cell.text


def _cited(found: LocatedAnswer, footnotes: Footnotes) -> int:
    one = found.candidate
    answer = (found.start, found.end)
    return footnotes.citation(one.evidence.passage, one.start, one.end, answer).marker
