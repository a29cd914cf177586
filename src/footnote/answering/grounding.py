"""An answer's sentences are held against their quotes: each gets its support and its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from footnote.answering.agreement import Agreement
from footnote.answering.grounding_coefficients import PARTLY, SUPPORTED, Basis
from footnote.answering.holding import Held, Reader, claims_something, hold, is_verbatim
from footnote.answering.support import (
    blended,
    confidence_of,
    needs_vectors,
    similarity_of,
    support_of,
)
from footnote.domain import AnswerSentence, Citation, Evidence, Passage, Verdict
from footnote.errors import LaneUnavailable, ModelUnavailable
from footnote.ports import Analyzer, Embedder, Judge, Vector

EMBEDDED_TEXTS = 8
"""Texts of one answer that are embedded at most, statements and quotes together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """An answer's sentences, with how far their quotes carry them."""

    sentences: tuple[AnswerSentence, ...]
    """Those that were given, in their order; only `support` and `verdict` differ."""
    confidence: float
    """0…1, how likely the whole answer holds."""
    degraded: tuple[str, ...] = ()
    """The signals that could not be had, by name with the reason."""


class Grounds(Protocol):
    """Grounding: sentences and their citations become verdicts."""

    async def __call__(
        self,
        sentences: Sequence[AnswerSentence],
        citations: Sequence[Citation],
        evidence: Sequence[Evidence],
    ) -> Grounded:
        """Verdict and support of each sentence, and the confidence of the answer.

        Each citation has a marker of its own; a sentence's `markers` are those of the quotes it
        rests on, none for a sentence that cites nothing. Raises nothing of its own: a model that
        is away is named in `degraded`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Holds sentences against their quotes by words, vectors and, where there is one, a judge.

    Implements `Grounds`.
    """

    embedder: Embedder | None
    """None leaves it to words, as when it is out of reach."""
    analyzer: Analyzer
    judge: Judge | None = None
    supported: float = SUPPORTED
    """Support from which a sentence is supported."""
    partly: float = PARTLY
    """Support from which it is partly supported."""

    async def __call__(
        self,
        sentences: Sequence[AnswerSentence],
        citations: Sequence[Citation],
        evidence: Sequence[Evidence],
    ) -> Grounded:
        """Verdict and support of each sentence, and how likely the whole answer holds.

        A sentence that is its quote has support 1. The order of citations does not matter.
        """
        held = _held(sentences, citations, evidence, self.analyzer)
        supports: dict[int, float] = {at: 1.0 for at, each in held.items() if is_verbatim(each)}
        open_ = {at: each for at, each in held.items() if at not in supports}
        agreements, notes = await self._agreements(open_)
        supports |= {at: support_of(each, basis) for at, (each, basis) in agreements.items()}
        judged, judge_notes = await self._judged(open_)
        for at, score in judged.items():
            supports[at] = blended(*agreements[at], score)
        grounded = tuple(
            self._graded(sentence, supports.get(at)) for at, sentence in enumerate(sentences)
        )
        return Grounded(
            sentences=grounded,
            confidence=confidence_of(
                list(supports.values()),
                sum(
                    at not in supports and claims_something(sentence.text, self.analyzer)
                    for at, sentence in enumerate(sentences)
                ),
            ),
            degraded=(*notes, *judge_notes),
        )

    async def _agreements(
        self, held: Mapping[int, Held]
    ) -> tuple[dict[int, tuple[Agreement, Basis]], tuple[str, ...]]:
        by_words = {at: (each.agreement(), each.basis(None)) for at, each in held.items()}
        if self.embedder is None:
            return by_words, ()
        unsure = [at for at in held if needs_vectors(*by_words[at])]
        chosen = _within(EMBEDDED_TEXTS, unsure, held)
        texts = list(dict.fromkeys(text for at in chosen for text in held[at].embedded_texts))
        if not texts:
            return by_words, ()
        try:
            rows = await self.embedder.embed_documents(texts)
        except LaneUnavailable as unavailable:
            return by_words, (f"grounding: words alone, {unavailable}",)
        vectors: dict[str, Vector] = dict(zip(texts, rows, strict=True))
        for at in chosen:
            statement, *quotes = (vectors[text] for text in held[at].embedded_texts)
            seen = replace(by_words[at][0], similarity=similarity_of(statement, quotes))
            by_words[at] = (seen, held[at].basis(self.embedder.lane))
        return by_words, ()

    async def _judged(self, held: Mapping[int, Held]) -> tuple[dict[int, float], tuple[str, ...]]:
        if self.judge is None or not held:
            return {}, ()
        places = sorted(held)
        try:
            scores = await self.judge(
                [held[at].statement for at in places],
                ["\n\n".join(held[at].quotes) for at in places],
            )
        except ModelUnavailable as unavailable:
            return {}, (f"grounding: not judged, {unavailable}",)
        return dict(zip(places, scores, strict=True)), ()

    def _graded(self, sentence: AnswerSentence, support: float | None) -> AnswerSentence:
        if support is None:
            return replace(sentence, support=0.0, verdict=Verdict.UNCITED)
        if support >= self.supported:
            verdict = Verdict.SUPPORTED
        elif support >= self.partly:
            verdict = Verdict.PARTLY
        else:
            verdict = Verdict.UNSUPPORTED
        return replace(sentence, support=support, verdict=verdict)


def _held(
    sentences: Sequence[AnswerSentence],
    citations: Sequence[Citation],
    evidence: Sequence[Evidence],
    analyzer: Analyzer,
) -> dict[int, Held]:
    """Each sentence that has quotes, by its place, with them and what surrounds them."""
    passages: dict[str, Passage] = {each.passage.chunk_id: each.passage for each in evidence}
    reader = Reader(analyzer=analyzer)
    found = {}
    for at, sentence in enumerate(sentences):
        cited = [
            each for each in citations if each.marker in sentence.markers and each.quote.strip()
        ]
        if cited:
            found[at] = hold(sentence.text, cited, passages, reader)
    return found


def _within(most: int, unsure: Sequence[int], held: Mapping[int, Held]) -> list[int]:
    """The first of these sentences whose texts are at most so many."""
    chosen: list[int] = []
    texts: set[str] = set()
    for at in unsure:
        wider = texts | set(held[at].embedded_texts)
        if len(wider) <= most:
            texts = wider
            chosen.append(at)
    return chosen
