"""Evidence becomes an answer: read → shortlist → weigh → decide → select → cite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from footnote.answering.cite import cite
from footnote.answering.coefficients import Trust
from footnote.answering.context import NOT_FOUND
from footnote.answering.decide import answerability, look_out
from footnote.answering.ground import Weighed, by_words, says_something, weigh
from footnote.answering.question import Question, read_question
from footnote.answering.reading import Reading, rarity, read
from footnote.answering.select import Selection, by_strength, shortlist
from footnote.answering.sentences import candidates_of
from footnote.domain import Answer, AnswerSentence, Evidence, Verdict
from footnote.errors import LaneUnavailable
from footnote.ports import Analyzer, Embedder, Vector, Vectors

LEAST_ANSWERABILITY = 0.45
EMBEDDED_STATEMENTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractiveAnswerer:
    """Answer with the best-supported statements of the evidence, quoted and cited, or refuse."""

    embedder: Embedder
    analyzer: Analyzer
    max_sentences: int = 4
    least_answerability: float = LEAST_ANSWERABILITY
    """Below this probability that the documents answer, the answer is that they do not."""
    selection: Selection = field(default_factory=Selection)
    """Which further statements join the best one; `max_sentences` is its limit."""
    embedded_statements: int = EMBEDDED_STATEMENTS
    """Statements that are embedded; the others are too weak by their words and rank."""

    def in_lane(self, embedder: Embedder) -> ExtractiveAnswerer:
        """The same with another lane's embedder."""
        return replace(self, embedder=embedder)

    async def __call__(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        """Answer from this evidence alone.

        Without the embedder the answer rests on words alone and `degraded` says so.
        """
        ranked_evidence = sorted(evidence, key=lambda each: (each.rank, each.passage.chunk_id))
        candidates = candidates_of(ranked_evidence)
        if not candidates:
            return refusal(question, evidence, confidence=0.0)
        languages = [each.passage.language for each in ranked_evidence]
        asked = read_question(question, languages, self.analyzer)
        readings = read(candidates, self.analyzer)
        telling = [reading for reading in readings if says_something(asked, reading)]
        if not telling:
            return refusal(question, evidence, confidence=0.0)
        weighed, degraded = await self._weigh(asked, telling, rarity(readings))
        ranked, chosen = self._choose(by_strength(weighed), asked)
        if not ranked:
            return refusal(question, evidence, confidence=0.0, degraded=degraded)
        outlook = look_out(asked, readings, ranked)
        confidence = answerability(outlook, self._trust(asked, ranked[0].reading, degraded))
        if confidence < self.least_answerability:
            return refusal(question, evidence, confidence=confidence, degraded=degraded)
        citations, markers = cite([each.reading.candidate for each in chosen])
        sentences = tuple(
            AnswerSentence(
                text=each.reading.candidate.readable,
                markers=(marker,),
                support=each.support,
                # It is its quote.
                verdict=Verdict.SUPPORTED,
            )
            for each, marker in zip(chosen, markers, strict=True)
        )
        return Answer(
            question=question,
            found=True,
            sentences=sentences,
            citations=citations,
            evidence=tuple(evidence),
            confidence=confidence,
            degraded=degraded,
        )

    def _choose(
        self, ranked: list[Weighed], asked: Question
    ) -> tuple[list[Weighed], list[Weighed]]:
        """What may be quoted, and what of it is; no order to a model, for it answers nobody."""
        select = replace(self.selection, limit=self.max_sentences)
        while True:
            chosen = select(ranked, asked.all_terms)
            orders = [each for each in chosen if each.reading.candidate.gives_orders]
            if not orders:
                return ranked, chosen
            ranked = [each for each in ranked if not any(each is one for one in orders)]

    async def _weigh(
        self, question: Question, readings: Sequence[Reading], rarities: Mapping[str, float]
    ) -> tuple[list[Weighed], tuple[str, ...]]:
        likely = shortlist(
            by_words(question, readings, rarities),
            [reading.candidate.evidence.rank for reading in readings],
            self.embedded_statements,
        )
        kept = [readings[position] for position in likely]
        target: Vector | None = None
        vectors: Vectors | None = None
        degraded: tuple[str, ...] = ()
        texts = [reading.candidate.embedded_text for reading in kept]
        # The longer half alone, so that the shorter is not padded.
        order = sorted(range(len(texts)), key=lambda each: len(texts[each]))
        half = (len(order) + 1) // 2
        try:
            target = await self.embedder.embed_query(question.text)
            vectors = np.empty((len(texts), self.embedder.lane.dimensions), dtype=np.float32)
            for part in filter(None, (order[:half], order[half:])):
                vectors[part] = await self.embedder.embed_documents([texts[each] for each in part])
        except LaneUnavailable as unavailable:
            target, vectors = None, None
            degraded = (f"answer: words alone, {unavailable}",)
        trusts = [self._trust(question, reading, degraded) for reading in kept]
        weighed = weigh(
            question, kept, vectors=vectors, target=target, trusts=trusts, rarities=rarities
        )
        return weighed, degraded

    def _trust(self, question: Question, reading: Reading, degraded: tuple[str, ...]) -> Trust:
        if degraded:
            return Trust.NONE
        trained, language = (
            self.embedder.lane.languages,
            reading.candidate.evidence.passage.language,
        )
        spanned = question.language in trained and language in trained
        if trained and question.is_foreign(language) and not spanned:
            return Trust.CROSS
        native = not trained or language is None or language in trained
        return Trust.NATIVE if native else Trust.FOREIGN


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
