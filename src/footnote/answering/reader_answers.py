"""Answer with statements that a reader selects: read → locate → guard → choose → cite."""

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
from footnote.answering.reading_order import MAX_PASSAGES
from footnote.answering.row_comparison import is_over_rows
from footnote.answering.sentences import Cell, cells_of
from footnote.answering.table_completion import with_cited_rows, with_complete_tables
from footnote.answering.table_question import TableQuestion
from footnote.answering.table_selection import ambiguous_rows, may_be_ambiguous
from footnote.answering.tables import holds_table, is_code, move_to_mentioned_column, name_of_row
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

MIN_ANSWERABILITY = 0.25
"""Default without a fit; fitted values are in `answering/weighing.json`."""
UNDECIDED = 0.05
MIN_FURTHER = 0.9
MAX_ALIKE = 12
"""Most rows that are listed if the question does not distinguish them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _TableResult:
    """The results from tables."""

    chosen: Sequence[LocatedAnswer]
    """The answers, unless there is a computation or a refusal."""
    computation: ScoredComputation | None = None
    note: str | None = None
    """See `CellSelection`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderAnswerer:
    """Answers with the statements in which a reader finds the answer, quoted and cited, or refuses.

    Implements `answering.streaming.Answerer`.
    """

    reader: Reader | None
    """None if it is switched off: then every answer is a refusal with that reason."""
    analyzer: Analyzer
    max_sentences: int = 4
    least_answerability: float = MIN_ANSWERABILITY
    """Minimum probability that the documents answer; below it the answer is a refusal."""
    undecided: float = UNDECIDED
    """Minimum probability, after reading some passages, for reading further ones."""
    least_further: float = MIN_FURTHER
    """Minimum probability of a further answer, which also needs about the odds of the best one."""
    passages: int = MAX_PASSAGES
    namer: NameFinder | None = None
    """Finds the names in a question about a table; each of them must be matched."""
    finder: TableQuestionModel | None = None
    """Model that predicts column and operation of questions over tables; None without one."""
    around: ExpandPassages | None = None
    """Loads the rest of a table that was retrieved in part, for one workspace and principal."""
    weigh: AnswerScorer = field(default_factory=ReaderAnswerScorer)
    """Combines the signals of reader and search into one probability."""

    def in_lane(self, embedder: Embedder) -> ReaderAnswerer:
        """The same with another lane's embedder."""
        return replace(self, weigh=self.weigh.with_embedder(embedder))

    async def __call__(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        """Answer from this evidence only.

        If the reader is unavailable, the answer is a refusal with the nearest passages, and
        `degraded` has the reason.
        """
        answer = with_newer_note(await self._answer(question, evidence), evidence)
        versions = named_versions(question, evidence)
        if versions is not None and versions.is_passed_over(answer):
            version_answer = await self._answer(versions.question, versions.evidence)
            if version_answer.found:
                answer = replace(version_answer, question=question)
        return await localised_refusal(answer, self.analyzer)

    async def compare_rows(self, question: str, evidence: Sequence[Evidence]) -> Answer | None:
        """See `sub_questions.ComparesRows`; None if a required model is unavailable.

        If an operation but no column is predicted, the rows are read with the whole question: for a
        single row a reader accepts any cell that looks like an answer.
        """
        ranked = sorted(evidence, key=lambda item: (item.rank, item.passage.chunk_id))
        tables = [item for item in ranked[: self.passages] if holds_table(item)]
        if self.reader is None or self.finder is None or not tables:
            return None
        table_question = TableQuestion.of(
            question,
            tables,
            reader=self.reader,
            finder=self.finder,
            analyzer=self.analyzer,
            around=self.around,
        )
        try:
            computation = await answer_over_rows(table_question)
            if computation is not None and is_accepted(computation, self.least_answerability):
                return computed_answer(question, *computation, evidence)
            is_over_several_rows = await is_over_rows(table_question)
        except ModelUnavailable:
            return None  # The next step reports that the model is unavailable.
        return await self(question, evidence) if is_over_several_rows else None

    async def _answer(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        """Answer the question as it is."""
        if self.reader is None:
            reason = "answer: nothing was read, the reader is switched off (FOOTNOTE_READER=none)"
            return refusal(question, evidence, confidence=0.0, degraded=(reason,))
        ranked = sorted(evidence, key=lambda item: (item.rank, item.passage.chunk_id))
        top_evidence = ranked[: self.passages]
        scorer = self.weigh.with_cache()
        reading_order = scorer.rank_for_reading(question, top_evidence)
        # If the question names several things, each may be answered by another passage.
        round_ends = [MAX_PASSAGES] if names_several(question, top_evidence) else reading_order.ends
        selector = AnswerSelector(
            limit=self.max_sentences,
            least=self.least_answerability,
            further_threshold=self.least_further,
        )
        read_answers: list[LocatedAnswer] = []
        scored = ScoredAnswers(found=[])
        try:
            for start, end in pairwise((0, *round_ends)):
                read_answers += await read_statements(
                    self.reader, question, reading_order.evidence[start:end]
                )
                relevant_answers = without_other_identifiers(
                    question, deduplicated(read_answers), top_evidence
                )
                scored = await scorer(question, relevant_answers, top_evidence)
                best_probability = max((answer.probability for answer in scored.found), default=0.0)
                if not self.undecided <= best_probability < self.least_answerability:
                    break
            ranked_answers = by_probability(scored.found)
            if any(answer.candidate.evidence.suspicious for answer in ranked_answers):
                ranked_answers = await without_injections(self.reader, ranked_answers)
            selected = selector(question, ranked_answers, ranked)
            if ranked_answers:
                terms, minimum = self._terms_of(ranked_answers[0]), self.least_answerability
                selected = prefer_newest(
                    question, selected, ranked_answers, top_evidence, minimum=minimum, terms=terms
                )
                selected = with_list(question, selected, ranked_answers, top_evidence, terms)
            table_result = await self._answer_from_tables(
                self.reader, question, selected, ranked_answers, ranked
            )
        except ModelUnavailable as error:
            reason = f"answer: nothing was read, {error}"
            return refusal(question, evidence, confidence=0.0, degraded=(reason,))
        if table_result.computation is not None:
            return computed_answer(question, *table_result.computation, evidence)
        completed_evidence = await self._with_completed_table(
            question, table_result.chosen[:1], ranked
        )
        answer = self._composed_answer(
            question,
            table_result.chosen,
            replace(scored, found=ranked_answers),
            completed_evidence,
            evidence,
        )
        if answer.found or table_result.note is None:
            return answer
        return replace(answer, degraded=(*answer.degraded, f"answer: {table_result.note}"))

    async def _answer_from_tables(
        self,
        reader: Reader,
        question: str,
        chosen: Sequence[LocatedAnswer],
        answers: Sequence[LocatedAnswer],
        ranked: Sequence[Evidence],
    ) -> _TableResult:
        """Answer from the tables among the best evidence, or keep the chosen answers. Raises
        ModelUnavailable."""
        tables = [item for item in ranked[: self.passages] if holds_table(item)]
        if not tables:
            return _TableResult(chosen=chosen)
        answerer = AggregationAnswerer(
            reader=reader,
            analyzer=self.analyzer,
            least=self.least_answerability,
            namer=self.namer,
            finder=self.finder,
            around=self.around,
        )
        computation = await answerer(question, chosen, ranked, tables, read_answers=answers)
        if computation is not None:
            return _TableResult(chosen=chosen, computation=computation)
        chosen = [
            move_to_mentioned_column(question, answer, self._terms_of(answer)) for answer in chosen
        ]
        if self.finder is None:
            return _TableResult(chosen=chosen)
        cell_selector = CellSelector(
            reader=reader,
            finder=self.finder,
            analyzer=self.analyzer,
            least=self.least_answerability,
            around=self.around,
        )
        closest_document = ranked[0].passage.document_id
        selection = await cell_selector(question, chosen, tables, closest=closest_document)
        return _TableResult(chosen=selection.chosen, note=selection.note)

    async def _with_completed_table(
        self, question: str, best: Sequence[LocatedAnswer], evidence: Sequence[Evidence]
    ) -> Sequence[Evidence]:
        """The evidence, with the rest of a table that may have rows of the same name as the
        answer's."""
        confident_answers = [
            answer for answer in best if answer.probability >= self.least_answerability
        ]
        if self.around is None or not confident_answers:
            return evidence
        [best_answer] = confident_answers
        terms = self._terms_of(best_answer)
        if not await asyncio.to_thread(may_be_ambiguous, question, best_answer, evidence, terms):
            return evidence
        return await with_complete_tables(evidence, [best_answer.candidate.evidence], self.around)

    def _composed_answer(
        self,
        question: str,
        chosen: Sequence[LocatedAnswer],
        scored: ScoredAnswers,
        ranked: Sequence[Evidence],
        evidence: Sequence[Evidence],
    ) -> Answer:
        """The answer from the chosen statements, or a refusal."""
        confidence = chosen[0].probability if chosen else 0.0
        if confidence < self.least_answerability:
            return refusal(question, evidence, confidence=confidence, degraded=scored.degraded)
        texts = [(answer, answer_text(question, answer, ranked)) for answer in chosen]
        tied = ambiguous_rows(question, chosen[0], ranked, self._terms_of(chosen[0]), scored.found)
        if len(tied) > MAX_ALIKE:
            note = (
                f"answer: {len(tied)} rows of a table are named alike, and none of them was chosen"
            )
            return refusal(question, evidence, confidence=confidence, degraded=(note,))
        if any(row.located.candidate.evidence not in evidence for row in tied):
            evidence = with_cited_rows(evidence, [row.located.candidate for row in tied])
        footnotes = Footnotes()
        sentences = tuple(
            AnswerSentence(
                text=located.candidate.readable_text(text),
                markers=(_add_citation(located, footnotes),),
                support=located.probability,
                # The sentence is its quote.
                verdict=Verdict.SUPPORTED,
            )
            for located, text in [(row.located, row.text) for row in tied] or texts
        )
        return Answer(
            question=question,
            found=True,
            sentences=sentences,
            citations=tuple(footnotes.citations),
            evidence=tuple(evidence),
            confidence=confidence,
            degraded=scored.degraded,
        )

    def _terms_of(self, answer: LocatedAnswer) -> Terms:
        return partial(self.analyzer.terms, language=answer.passage.language)


def refusal(
    question: str,
    evidence: Sequence[Evidence],
    *,
    confidence: float,
    degraded: tuple[str, ...] = (),
) -> Answer:
    """A refusal, with the nearest evidence."""
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
    question: str, result: Computed | NotComputed, confidence: float, evidence: Sequence[Evidence]
) -> Answer:
    """The computed answer with citations of its rows, or a refusal with the reason."""
    if isinstance(result, NotComputed):
        note = f"answer: not computed, since {result.reason}"
        return refusal(question, evidence, confidence=0.0, degraded=(note,))
    footnotes = Footnotes()
    sentence = AnswerSentence(
        text=result.rows[0].readable_text(result.text),
        markers=result.cited(footnotes),
        support=confidence,
        # The number follows from the quotes.
        verdict=Verdict.SUPPORTED,
    )
    return Answer(
        question=question,
        found=True,
        sentences=(sentence,),
        citations=tuple(footnotes.citations),
        evidence=with_cited_rows(evidence, result.rows),
        confidence=confidence,
    )


def answer_text(question: str, answer: LocatedAnswer, evidence: Sequence[Evidence]) -> str:
    """The text of an answer: the statement, or the requested cells of a table row.

    Cells are written with the row's name and their titles. If the row's name is the answer, the
    cells that the question mentions are added. All cells under a repeated title are included. If
    the row's name is a code, the cell by which the question mentions the row follows it.
    """
    cells = [cell for cell in cells_of(answer.candidate) if cell.text]
    answer_cells = [cell for cell in cells if cell.start < answer.end and answer.start < cell.end]
    titles = {cell.title for cell in answer_cells if cell.title}
    answer_cells = [cell for cell in cells if cell in answer_cells or cell.title in titles]
    if not answer_cells or not any(cell.title for cell in cells):
        return answer.candidate.statement
    name_cell = cells[0]
    if answer_cells == [name_cell]:
        mentioned_cells = [cell for cell in cells[1:] if contains_phrase(cell.text, question)]
        if not mentioned_cells:
            return answer.candidate.statement
        return (
            f"{_cell_with_title(name_cell)} — {', '.join(map(_cell_with_title, mentioned_cells))}"
        )
    values = ", ".join(_cell_with_title(cell) for cell in answer_cells if cell is not name_cell)
    column_indices = [
        index for index, cell in enumerate(cells_of(answer.candidate)) if cell in answer_cells
    ]
    name = name_of_row(answer.candidate, evidence, shown_columns=column_indices) or name_cell.text
    if name == name_cell.text and is_code(name) and not contains_phrase(name, question):
        other_texts = (cell.text for cell in cells[1:] if cell not in answer_cells)
        alias = next(
            (
                text
                for text in other_texts
                if text[:1].isalpha() and contains_phrase(text, question)
            ),
            "",
        )
        name = ", ".join(filter(None, (name, alias)))
    return f"{name} — {values}"


def _cell_with_title(cell: Cell) -> str:
    return f"{cell.title}: {cell.text}" if cell.title else cell.text


def _add_citation(answer: LocatedAnswer, footnotes: Footnotes) -> int:
    candidate = answer.candidate
    answer_span = (answer.start, answer.end)
    return footnotes.citation(
        candidate.evidence.passage, candidate.start, candidate.end, answer_span
    ).marker
