"""Evidence becomes an answer that a reader found: read → locate → guard → choose → say → cite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

from footnote.answering.choosing import (
    Choice,
    Located,
    about_what_is_asked,
    by_probability,
    is_said,
    names_several,
)
from footnote.answering.cite import Footnotes
from footnote.answering.columns import Computed, NotComputed, TableReading, compute
from footnote.answering.context import NOT_FOUND
from footnote.answering.naming import group_named, named_alone, rows_alike
from footnote.answering.observing import heading_of
from footnote.answering.operations_heard import OF_WHICH_ROWS, asks_for_more, is_all_asked
from footnote.answering.order_statements import without_orders
from footnote.answering.promising import MOST_PASSAGES
from footnote.answering.sentences import Candidate, Cell, candidates_of, cells_of
from footnote.answering.tables import holds_table, in_named_column, is_cell, under_title
from footnote.answering.titles import Terms, spoken
from footnote.answering.weighing import AsRead, Weigh, Weighed
from footnote.domain import Answer, AnswerSentence, Evidence, Passage, Verdict
from footnote.errors import ModelUnavailable
from footnote.ports import (
    Analyzer,
    AnswerSpan,
    Embedder,
    NameFinder,
    Operation,
    PassageText,
    Reader,
)

LEAST_ANSWERABILITY = 0.25
"""Where nothing was fitted; what is fitted comes with its own (`answering/weighing.json`)."""
UNDECIDED = 0.05
"""As above."""
LEAST_FURTHER = 0.9
MOST_UNMET = 0.7
"""Of a table whose group is asked for by its cells alone: a little less than where an answer was
read in it (`answering/columns.py`)."""
MOST_ALIKE = 12
"""Rows that are said where a question does not tell them apart."""
OVER_GROUPS = frozenset((Operation.SUM, Operation.AVERAGE, Operation.LARGEST, Operation.SMALLEST))
"""What is counted, on the other hand, has to be named."""


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
    """Below this one it is that without a look at further passages, which hardly answer then."""
    least_further: float = LEAST_FURTHER
    """A further answer needs this probability, and about the odds of the best one."""
    passages: int = MOST_PASSAGES
    namer: NameFinder | None = None
    """What finds the names in a question over a table, none of which may be left out."""
    weigh: Weigh = field(default_factory=AsRead)
    """What makes one probability of what the reader and the search say."""

    def in_lane(self, embedder: Embedder) -> ReaderAnswerer:
        """The same with another lane's embedder."""
        return replace(self, weigh=self.weigh.in_lane(embedder))

    async def __call__(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        """Answer from this evidence alone.

        Where the reader cannot run, the answer is a refusal with the nearest passages, and
        `degraded` says why.
        """
        if self.reader is None:
            note = "answer: nothing was read, the reader is switched off (FOOTNOTE_READER=none)"
            return refusal(question, evidence, confidence=0.0, degraded=(note,))
        ranked = sorted(evidence, key=lambda each: (each.rank, each.passage.chunk_id))
        best = ranked[: self.passages]
        weigh = self.weigh.of_one_question()
        order = weigh.in_order(question, best)
        # Of several things that are named each may have its answer in a passage of its own.
        ends = [MOST_PASSAGES] if names_several(question, best) else order.ends
        choose = Choice(
            limit=self.max_sentences,
            least=self.least_answerability,
            least_further=self.least_further,
        )
        read: list[Located] = []
        weighed = Weighed(found=[])
        try:
            for first, end in pairwise((0, *ends)):
                read += await read_statements(self.reader, question, order.evidence[first:end])
                about = about_what_is_asked(question, once_each(read), best)
                weighed = await weigh(question, about, best)
                likeliest = max((each.probability for each in weighed.found), default=0.0)
                if not self.undecided <= likeliest < self.least_answerability:
                    break
            found = by_probability(weighed.found)
            if any(each.candidate.evidence.suspicious for each in found):
                found = await without_orders(self.reader, found)
            chosen = choose(question, found, ranked)
            over_column = None
            if tables := [each for each in best if holds_table(each)]:
                over_column = await self._over_column(
                    self.reader, question, chosen, ranked, tables, read=found
                )
        except ModelUnavailable as unavailable:
            note = f"answer: nothing was read, {unavailable}"
            return refusal(question, evidence, confidence=0.0, degraded=(note,))
        if over_column is not None:
            return computed(question, *over_column, evidence)
        return self._said(question, chosen, replace(weighed, found=found), ranked, evidence)

    def _said(
        self,
        question: str,
        chosen: Sequence[Located],
        weighed: Weighed,
        ranked: Sequence[Evidence],
        evidence: Sequence[Evidence],
    ) -> Answer:
        """The answer that says what was chosen of the statements, or a refusal."""
        confidence = chosen[0].probability if chosen else 0.0
        if confidence < self.least_answerability:
            return refusal(question, evidence, confidence=confidence, degraded=weighed.degraded)
        asked = [in_named_column(question, one, self._terms_of(one)) for one in chosen]
        told = [(each, said_of(question, each)) for each in asked]
        alike = rows_alike(question, asked[0], ranked, self._terms_of(asked[0]), weighed.found)
        if len(alike) > MOST_ALIKE:
            note = (
                f"answer: {len(alike)} rows of a table are named alike, and none of them was chosen"
            )
            return refusal(question, evidence, confidence=confidence, degraded=(note,))
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

    async def _over_column(
        self,
        reader: Reader,
        question: str,
        found: Sequence[Located],
        evidence: Sequence[Evidence],
        tables: Sequence[Evidence],
        *,
        read: Sequence[Located],
    ) -> tuple[Computed | NotComputed, float] | None:
        """What the question asks of a column, if the answer stands in one, and how likely it does.

        Tables are read anew for it: the title of a column points to it as well as a cell does.
        """
        titles = [title for each in candidates_of(tables) for title in each.header]
        asked = spoken(question, titles)
        operation = await reader.operation(asked)
        # What is asked does not hang on the question mark.
        bare = asked.rstrip(" ?")
        heard = {await reader.operation(each) for each in (bare, f"{bare}?")}
        grouped = {each for each in heard if each is not None}
        if operation is None and not grouped:
            return None
        readings = await reader.read(question, [text_of(each.passage) for each in tables])
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
        least = max(self.least_answerability, *(each.read for each in found[:1]), 0.0)
        if operation is not None and located and located[0].probability >= least:
            terms = self._terms_of(located[0])
            of_table = TableReading(
                names=await self._names_in(question),
                unmet=unmet[located[0].passage.chunk_id],
                read=read,
            )
            over = compute(question, operation, located, evidence, terms, reading=of_table)
            return None if over is None else (over, located[0].probability)
        if found and found[0].probability >= self.least_answerability:
            unclear = await asks_for_more(
                reader, asked, grouped, found[0], self._terms_of(found[0])
            )
            return (NotComputed(reason=OF_WHICH_ROWS), found[0].probability) if unclear else None
        terms = partial(self.analyzer.terms, language=tables[0].passage.language)
        if operation is not None and heard == {operation}:
            named = named_alone(question, operation, tables, terms)
            if named and await is_all_asked(reader, asked, operation, named.unexplained):
                over = compute(question, operation, [named.located], evidence, terms)
                return None if over is None else (over, self.least_answerability)
        for each in grouped & OVER_GROUPS if len(grouped) == 1 else ():
            row = group_named(question, each, tables, terms)
            if row is not None and unmet[row.passage.chunk_id] <= MOST_UNMET:
                over = compute(question, each, [row], evidence, terms)
                return None if over is None else (over, self.least_answerability)
        return None

    async def _names_in(self, question: str) -> list[str]:
        """The names in a question; none where nothing finds them."""
        found = None if self.namer is None else await self.namer.names([question])
        return [] if found is None else [question[one.start : one.end] for one in found[0]]

    def _terms_of(self, found: Located) -> Terms:
        return partial(self.analyzer.terms, language=found.passage.language)


async def read_statements(
    reader: Reader, question: str, evidence: Sequence[Evidence]
) -> list[Located]:
    """The likeliest stretches of the evidence's statements, as likely as the reader says."""
    if not evidence:
        return []
    statements = [candidates_of([each]) for each in evidence]
    texts = [
        replace(text_of(each.passage), stretches=tuple((one.start, one.end) for one in held))
        for each, held in zip(evidence, statements, strict=True)
    ]
    readings = await reader.read(question, texts)
    return [
        replace(one, relevance=reading.relevance, unmet=reading.unmet)
        for held, reading in zip(statements, readings, strict=True)
        for span in reading.spans
        for one in locate(span, held)
    ]


def once_each(found: Iterable[Located]) -> list[Located]:
    """The best stretch of every statement; text that overlapping chunks share was read in each."""
    best: dict[tuple[object, ...], Located] = {}
    for each in found:
        passage = each.passage
        place = (passage.document_id, passage.version, *each.candidate.canonical_span)
        if place not in best or best[place].score < each.score:
            best[place] = each
    return list(best.values())


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


def computed(
    question: str, found: Computed | NotComputed, confidence: float, evidence: Sequence[Evidence]
) -> Answer:
    """The answer that was computed from rows, which it cites; or a refusal that says why not."""
    if isinstance(found, NotComputed):
        note = f"answer: not computed, since {found.reason}"
        return refusal(question, evidence, confidence=confidence, degraded=(note,))
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
        evidence=tuple(evidence),
        confidence=confidence,
    )


def text_of(passage: Passage) -> PassageText:
    """The passage under its headings, as it is read."""
    return PassageText(text=passage.text, heading=heading_of(passage))


def locate(span: AnswerSpan, candidates: Sequence[Candidate]) -> Iterator[Located]:
    """The statement that holds most of a span, with the part of the span that is in it."""
    held = [
        (min(span.end, each.end) - max(span.start, each.start), -number)
        for number, each in enumerate(candidates)
    ]
    if not held or max(held)[0] <= 0:
        return
    candidate = candidates[-max(held)[1]]
    text = candidate.evidence.passage.text
    start, end = max(span.start, candidate.start), min(span.end, candidate.end)
    while start < end and _is_edge(text[start]):
        start += 1
    while start < end and _is_edge(text[end - 1]):
        end -= 1
    if start < end:
        yield Located(
            candidate=candidate,
            start=start,
            end=end,
            probability=span.probability,
            read=span.probability,
            score=span.score,
        )


def said_of(question: str, found: Located) -> str:
    """The statement; of a table's row, the cells asked for, with its own and their columns' names.

    Where the row's name is what was asked for, the cells are said that the question tells it by.
    """
    cells = [each for each in cells_of(found.candidate) if each.text]
    asked = [each for each in cells if each.start < found.end and found.start < each.end]
    if not asked or not any(each.title for each in cells):
        return found.candidate.statement
    named = cells[0]
    if asked == [named]:
        telling = [each for each in cells[1:] if is_said(each.text, question)]
        if not telling:
            return found.candidate.statement
        return f"{_titled(named)} — {', '.join(map(_titled, telling))}"
    told = ", ".join(_titled(each) for each in asked if each is not named)
    return f"{named.text} — {told}"


def _titled(cell: Cell) -> str:
    return f"{cell.title}: {cell.text}" if cell.title else cell.text


def _cited(found: Located, footnotes: Footnotes) -> int:
    one = found.candidate
    answer = (found.start, found.end)
    return footnotes.citation(one.evidence.passage, one.start, one.end, answer).marker


def _is_edge(character: str) -> bool:
    return character == "|" or character.isspace()
