"""Estimate the probability that each statement answers, from reader, search and verification."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Protocol

import numpy as np

from footnote.answering.answer_features import (
    ANSWER_FEATURES,
    Floats,
    feature_matrix,
    likeliest,
    term_coverage,
)
from footnote.answering.answer_selection import LocatedAnswer
from footnote.answering.reading_order import (
    PASSAGE_FEATURES,
    ReadingOrder,
    passage_features,
    rank_for_reading,
)
from footnote.answering.support_features import SUPPORT_FEATURES, decide
from footnote.domain import Evidence
from footnote.errors import LaneUnavailable
from footnote.ports import Analyzer, Embedder, Reader, SupportProbabilities, embed_question

STATEMENTS = 16
"""Statements that are embedded and compared with the question. With 12, 24 or all of eight
passages the share of correct best answers differs by at most one percentage point."""
FILE = "weighing.json"
"""Written by `python bench/fit_reading.py`; to be fitted again with each reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredAnswers:
    """Statements with their probabilities, and notes on what could not be scored."""

    found: list[LocatedAnswer]
    degraded: tuple[str, ...] = ()


class AnswerScorer(Protocol):
    """Estimates how likely each statement answers."""

    def rank_for_reading(self, question: str, evidence: Sequence[Evidence]) -> ReadingOrder:
        """Order the passages for reading, the most useful first."""
        ...

    async def __call__(
        self, question: str, answers: Sequence[LocatedAnswer], evidence: Sequence[Evidence]
    ) -> ScoredAnswers:
        """The statements that may answer, with their probabilities. Raises ModelUnavailable."""
        ...

    def with_embedder(self, embedder: Embedder) -> AnswerScorer:
        """The same with another lane's embedder."""
        ...

    def with_cache(self) -> AnswerScorer:
        """A copy that caches model outputs, to score one question several times."""
        ...


@dataclass(frozen=True, slots=True)
class ReaderAnswerScorer:
    """Keeps the search's order and the reader's probabilities."""

    def rank_for_reading(self, question: str, evidence: Sequence[Evidence]) -> ReadingOrder:  # noqa: ARG002 - the search has seen it
        """Keep the order of the search."""
        return rank_for_reading(evidence, np.zeros(len(evidence)))

    async def __call__(
        self,
        question: str,  # noqa: ARG002 - the reader has seen it
        answers: Sequence[LocatedAnswer],
        evidence: Sequence[Evidence],  # noqa: ARG002 - as above
    ) -> ScoredAnswers:
        """All answers with the reader's probabilities."""
        return ScoredAnswers(found=list(answers))

    def with_embedder(self, embedder: Embedder) -> ReaderAnswerScorer:  # noqa: ARG002 - it embeds nothing
        """The same object: it uses no embedder."""
        return self

    def with_cache(self) -> ReaderAnswerScorer:
        """The same object: it calls no model."""
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionalLogit:
    """A conditional logit over the statements of a question and "none of them" (McFadden 1974).

    The utility of none is 0, so the probabilities of the statements sum up to less than 1.
    """

    weights: Mapping[str, float]
    """Weights by feature name, in the order of the columns."""
    bias: float

    def utilities(self, rows: Floats) -> Floats:
        """Utilities of shape (statements,), for rows of shape (statements, names)."""
        return np.asarray(rows @ np.array([*self.weights.values()]) + self.bias)

    def probabilities(self, rows: Floats) -> Floats:
        """Probabilities of shape (statements,)."""
        odds = np.exp(np.clip(self.utilities(rows), -40, 40))
        return np.asarray(odds / (1 + odds.sum()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """The fitted coefficients."""

    promising: ConditionalLogit
    """Over `PASSAGE_FEATURES`: selects the passages that are read first."""
    observed: ConditionalLogit
    """Over `ANSWER_FEATURES`: selects the statements that are verified."""
    decided: ConditionalLogit
    """Over `SUPPORT_FEATURES`: the final probability of each statement."""
    least: float
    """Minimum probability of an answer."""
    undecided: float
    """Minimum probability that unread passages answer, for reading to continue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringCache:
    """Model outputs for the statements of one question."""

    cosines: dict[str, float] = field(default_factory=dict)
    """Cosines of embedded texts to the question."""
    odds: dict[tuple[str, str], SupportProbabilities] = field(default_factory=dict)
    """Support probabilities by claim and quote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogitAnswerScorer:
    """Scores answers by conditional logits over features of reader, search, words and
    embeddings."""

    reader: Reader
    embedder: Embedder
    analyzer: Analyzer
    coefficients: Coefficients
    scoring_cache: ScoringCache | None = None

    def with_embedder(self, embedder: Embedder) -> LogitAnswerScorer:
        """The same with another lane's embedder."""
        return replace(self, embedder=embedder)

    def with_cache(self) -> LogitAnswerScorer:
        """See `AnswerScorer.with_cache`."""
        return replace(self, scoring_cache=ScoringCache())

    def rank_for_reading(self, question: str, evidence: Sequence[Evidence]) -> ReadingOrder:
        """Order the passages by the probability, before reading, that they answer."""
        rows = passage_features(question, evidence, self.analyzer)
        return rank_for_reading(evidence, self.coefficients.promising.utilities(rows))

    async def __call__(
        self, question: str, answers: Sequence[LocatedAnswer], evidence: Sequence[Evidence]
    ) -> ScoredAnswers:
        """The likeliest statements with their probabilities, which sum up to at most 1.

        Without the embedder the similarity of statements counts for none of them. Raises
        ModelUnavailable.
        """
        if not answers:
            return ScoredAnswers(found=[])
        scoring_cache = self.scoring_cache or ScoringCache()
        likely_answers, features, degraded = await observed(
            question,
            answers,
            evidence,
            self.analyzer,
            self.embedder,
            cached_cosines=scoring_cache.cosines,
        )
        utilities = self.coefficients.observed.utilities(features)
        support_features = await decide(
            self.reader, question, likely_answers, utilities, scoring_cache.odds
        )
        probabilities = self.coefficients.decided.probabilities(support_features)
        scored = [
            replace(answer, probability=float(probability))
            for answer, probability in zip(likely_answers, probabilities, strict=True)
        ]
        return ScoredAnswers(found=scored, degraded=degraded)


async def observed(
    question: str,
    answers: Sequence[LocatedAnswer],
    evidence: Sequence[Evidence],
    analyzer: Analyzer,
    embedder: Embedder,
    *,
    cached_cosines: dict[str, float] | None = None,
) -> tuple[list[LocatedAnswer], Floats, tuple[str, ...]]:
    """The likeliest `STATEMENTS`, their rows of `ANSWER_FEATURES`, and what could not be observed.

    `cached_cosines` has the cosines of texts that were embedded before; new ones are added.
    """
    shares = term_coverage(question, [answer.candidate for answer in answers], evidence, analyzer)
    indices = likeliest(answers, shares, STATEMENTS)
    likely_answers = [answers[index] for index in indices]
    similarities: list[float] | None = None
    degraded: tuple[str, ...] = ()
    try:
        texts = [answer.candidate.embedded_text for answer in likely_answers]
        cached_cosines = {} if cached_cosines is None else cached_cosines
        new_texts = sorted(
            (text for text in dict.fromkeys(texts) if text not in cached_cosines), key=len
        )
        if new_texts:
            embedded = await embed_question(embedder, question)
            foreign = {
                answer.candidate.embedded_text
                for answer, index in zip(likely_answers, indices, strict=True)
                if shares[index].is_foreign
            }
            foreign_vector = (
                embedded.vector
                if embedded.cross_lingual_vector is None
                else embedded.cross_lingual_vector
            )
            # The longer half alone, so that the shorter is not padded.
            middle = (len(new_texts) + 1) // 2
            for batch in filter(None, (new_texts[:middle], new_texts[middle:])):
                vectors = await embedder.embed_documents(batch)
                cached_cosines.update(
                    (text, float(vector @ (foreign_vector if text in foreign else embedded.vector)))
                    for text, vector in zip(batch, vectors, strict=True)
                )
        similarities = [cached_cosines[text] for text in texts]
    except LaneUnavailable as unavailable:
        degraded = (f"answer: without the similarity of statements, {unavailable}",)
    rows = feature_matrix(
        question, likely_answers, [shares[index] for index in indices], evidence, similarities
    )
    return likely_answers, rows, degraded


@cache
def fitted() -> Coefficients:
    """The coefficients that are packaged with Footnote."""
    coefficients = json.loads((files("footnote.answering") / FILE).read_text(encoding="utf-8"))

    def logit(part: str, names: Sequence[str]) -> ConditionalLogit:
        weights = {name: float(coefficients[part]["weights"][name]) for name in names}
        return ConditionalLogit(weights=weights, bias=float(coefficients[part]["bias"]))

    return Coefficients(
        promising=logit("promising", PASSAGE_FEATURES),
        observed=logit("observed", ANSWER_FEATURES),
        decided=logit("decided", SUPPORT_FEATURES),
        least=float(coefficients["least"]),
        undecided=float(coefficients["undecided"]),
    )
