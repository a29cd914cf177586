"""Verify an answer's sentences against their quotes: each gets its support and its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from footnote.answering.claim_evidence import (
    ClaimEvidence,
    ClaimReader,
    is_check_worthy,
    is_verbatim,
    pair_with_evidence,
)
from footnote.answering.claim_guards import guard
from footnote.answering.support import PARTLY, SUPPORTED, confidence_of, support_of
from footnote.domain import AnswerSentence, Citation, Evidence, Passage, Verdict
from footnote.errors import ModelUnavailable
from footnote.ports import Analyzer, Judge


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounded:
    """An answer's sentences, with their support by the quotes."""

    sentences: tuple[AnswerSentence, ...]
    """The input sentences in order; only `support` and `verdict` differ."""
    confidence: float
    """Probability that the whole answer is correct, 0…1."""
    degraded: tuple[str, ...] = ()
    """The signals that were not available, by name with the reason."""


class Grounder(Protocol):
    """Computes verdicts from sentences and their citations."""

    async def __call__(
        self,
        sentences: Sequence[AnswerSentence],
        citations: Sequence[Citation],
        evidence: Sequence[Evidence],
    ) -> Grounded:
        """Verdict and support of each sentence, and the confidence of the answer.

        Each citation has its own marker; a sentence's `markers` are those of its quotes, empty
        without a citation. Raises nothing of its own: an unavailable model is noted in `degraded`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportGrounder:
    """Verifies sentences by a judge and by the exact values of their quotes.

    Implements `Grounder`.
    """

    analyzer: Analyzer
    judge: Judge | None
    """None leaves sentences that are not verbatim undecided: at best they are partly supported."""

    async def __call__(
        self,
        sentences: Sequence[AnswerSentence],
        citations: Sequence[Citation],
        evidence: Sequence[Evidence],
    ) -> Grounded:
        """Verdict and support of each sentence, and the probability that the whole answer is
        correct.

        A verbatim sentence has support 1. The order of citations does not matter.
        """
        claims = _claim_evidence(sentences, citations, evidence, self.analyzer)
        supports: dict[int, float] = {
            index: 1.0 for index, claim in claims.items() if is_verbatim(claim)
        }
        open_claims = {index: claim for index, claim in claims.items() if index not in supports}
        scores, notes = await self._judge_scores(open_claims)
        supports |= {
            index: support_of(scores.get(index), claim.coverage, guarded=bool(guard(claim).guards))
            for index, claim in open_claims.items()
        }
        graded = tuple(
            _with_verdict(sentence, supports.get(index)) for index, sentence in enumerate(sentences)
        )
        return Grounded(
            sentences=graded,
            confidence=confidence_of(
                list(supports.values()),
                sum(
                    index not in supports and is_check_worthy(sentence.text, self.analyzer)
                    for index, sentence in enumerate(sentences)
                ),
            ),
            degraded=notes,
        )

    async def _judge_scores(
        self, claims: Mapping[int, ClaimEvidence]
    ) -> tuple[dict[int, float], tuple[str, ...]]:
        if self.judge is None or not claims:
            return {}, ()
        indices = sorted(claims)
        try:
            scores = await self.judge(
                [claims[index].judged_statement for index in indices],
                [claims[index].judged_text for index in indices],
            )
        except ModelUnavailable as unavailable:
            return {}, (f"grounding: not judged, {unavailable}",)
        return dict(zip(indices, scores, strict=True)), ()


def _with_verdict(sentence: AnswerSentence, support: float | None) -> AnswerSentence:
    if support is None:
        return replace(sentence, support=0.0, verdict=Verdict.UNCITED)
    if support >= SUPPORTED:
        verdict = Verdict.SUPPORTED
    elif support >= PARTLY:
        verdict = Verdict.PARTLY
    else:
        verdict = Verdict.UNSUPPORTED
    return replace(sentence, support=support, verdict=verdict)


def _claim_evidence(
    sentences: Sequence[AnswerSentence],
    citations: Sequence[Citation],
    evidence: Sequence[Evidence],
    analyzer: Analyzer,
) -> dict[int, ClaimEvidence]:
    """Each sentence with quotes, by index, with its quotes and their context."""
    passages: dict[str, Passage] = {item.passage.chunk_id: item.passage for item in evidence}
    reader = ClaimReader(analyzer=analyzer)
    claims = {}
    for index, sentence in enumerate(sentences):
        cited = [
            citation
            for citation in citations
            if citation.marker in sentence.markers and citation.quote.strip()
        ]
        if cited:
            claims[index] = pair_with_evidence(sentence.text, cited, passages, reader)
    return claims
