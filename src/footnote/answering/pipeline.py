"""Evidence becomes an answer: read → shortlist → weigh → decide → select → cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footnote.answering.cite import cite
from footnote.answering.coefficients import Trust
from footnote.answering.decide import answerability, look_out
from footnote.answering.ground import Reading, Weighed, covered, rarity, read, weigh
from footnote.answering.question import Question, read_question
from footnote.answering.select import Selection, by_strength, shortlist
from footnote.answering.sentences import candidates_of
from footnote.domain import Answer, AnswerSentence, Evidence
from footnote.errors import LaneUnavailable
from footnote.ports import Analyzer, Embedder, Vector, Vectors

NOT_FOUND = "I could not find this in your documents."


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractiveAnswerer:
    """Answer with the best-supported statements of the evidence, quoted and cited, or refuse."""

    embedder: Embedder
    analyzer: Analyzer
    max_sentences: int = 4
    least_answerability: float = 0.4
    """Below this probability that the documents answer, the answer is that they do not.

    Measured on held-out XQuAD questions in English: 0.4 answers 91 % of the answerable and refuses
    91 % of those whose paragraph was taken out; 0.5 answers 87 % and refuses 94 %.
    """
    relative_support: float = 0.6
    """A further sentence must keep this share of the best one's support."""
    duplicate_overlap: float = 0.85
    """Likeness (shared terms over all terms, or cosine) from which a sentence adds nothing."""
    redundancy_weight: float = 0.3
    """Support taken from a sentence for each unit of likeness to those already chosen."""
    embedded_statements: int = 12
    """Statements that are embedded; the others are too weak by their words and rank.

    Measured on XQuAD, of about 40 statements in 8 paragraphs: the one that holds the answer is
    among the 12 for 96.9 % of questions in English and 94.7 % in German, among 24 for 98.9 % and
    97.5 %, at two and a half times the processor time.
    """

    async def __call__(self, question: str, evidence: Sequence[Evidence]) -> Answer:
        """Answer from this evidence alone.

        Without the embedder the answer rests on words alone and `degraded` says so.
        """
        ranked_evidence = sorted(evidence, key=lambda each: (each.rank, each.passage.chunk_id))
        candidates = candidates_of(ranked_evidence)
        if not candidates:
            return _refusal(question, evidence, confidence=0.0)
        languages = [each.passage.language for each in ranked_evidence]
        asked = read_question(question, languages, self.analyzer)
        readings = read(candidates, self.analyzer)
        weighed, degraded = await self._weigh(asked, readings)
        ranked = by_strength(weighed)
        outlook = look_out(asked, readings, ranked)
        confidence = answerability(outlook, self._trust(ranked[0].reading, degraded))
        if confidence < self.least_answerability:
            return _refusal(question, evidence, confidence=confidence, degraded=degraded)
        chosen = self._select(ranked)
        citations, markers = cite([each.reading.candidate for each in chosen])
        sentences = tuple(
            AnswerSentence(
                text=each.reading.candidate.statement, markers=(marker,), support=each.support
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

    async def _weigh(
        self, question: Question, readings: Sequence[Reading]
    ) -> tuple[list[Weighed], tuple[str, ...]]:
        rarities = rarity(readings)
        likely = shortlist(
            [covered(question, reading, rarities) for reading in readings],
            [reading.candidate.evidence.rank for reading in readings],
            self.embedded_statements,
        )
        kept = [readings[position] for position in likely]
        target, vectors, degraded = await self._embed(question.text, kept)
        trusts = [self._trust(reading, degraded) for reading in kept]
        weighed = weigh(
            question, kept, vectors=vectors, target=target, trusts=trusts, rarities=rarities
        )
        return weighed, degraded

    async def _embed(
        self, question: str, readings: Sequence[Reading]
    ) -> tuple[Vector | None, Vectors | None, tuple[str, ...]]:
        try:
            target = await self.embedder.embed_query(question)
            vectors = await self.embedder.embed_documents(
                [reading.candidate.embedded_text for reading in readings]
            )
        except LaneUnavailable as unavailable:
            return None, None, (f"answer: words alone, {unavailable}",)
        return target, vectors, ()

    def _trust(self, reading: Reading, degraded: tuple[str, ...]) -> Trust:
        if degraded:
            return Trust.NONE
        trained, language = (
            self.embedder.lane.languages,
            reading.candidate.evidence.passage.language,
        )
        native = not trained or language is None or language in trained
        return Trust.NATIVE if native else Trust.FOREIGN

    def _select(self, ranked: Sequence[Weighed]) -> list[Weighed]:
        select = Selection(
            limit=self.max_sentences,
            relative_support=self.relative_support,
            duplicate_overlap=self.duplicate_overlap,
            redundancy_weight=self.redundancy_weight,
        )
        return select(ranked)


def _refusal(
    question: str,
    evidence: Sequence[Evidence],
    *,
    confidence: float,
    degraded: tuple[str, ...] = (),
) -> Answer:
    return Answer(
        question=question,
        found=False,
        sentences=(AnswerSentence(text=NOT_FOUND, markers=(), support=0.0),),
        citations=(),
        evidence=tuple(evidence),
        confidence=confidence,
        degraded=degraded,
    )
