"""Estimate the probability that the evidence is about the question, without a language model.

A logistic model over features of the recalls, fitted by `bench/fit_confidence.py` on questions
whose article is, or is not, among the documents. It judges the topic: whether the passages answer
the question is decided when they are read. The lead of the best score over the others is no feature
on purpose: it is informative where one passage answers, and misleading where many say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.domain import Ranking
from footnote.domain.probability import sigmoid
from footnote.ports import Recalled
from footnote.retrieval.coverage import matched_share
from footnote.retrieval.recall_weighting import NATIVE

LEADING = 3
"""Number of top chunks of the fused ranking that are observed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """The features of one query."""

    coverage: float
    """Largest share of the query's idf that a leading chunk matches, 0…1."""
    similarity: float
    """The highest cosine among the leading chunks, -1…1; 0 without vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Coefficients of the logistic model."""

    intercept: float
    coverage: float
    similarity: float = 0.0


# Printed by `bench/fit_confidence.py`.
FITTED: Mapping[str, Weights] = {
    "native": Weights(intercept=-10.707, coverage=8.378, similarity=16.185),
    "foreign": Weights(intercept=-7.41, coverage=10.578, similarity=7.339),
    "none": Weights(intercept=-4.299, coverage=10.756),
}
"""Weights by the lane's support of the query's language; `none` without vectors."""


def confidence(observed: Observed, *, language_support: int, has_vectors: bool) -> float:
    """The probability, 0…1, that the evidence is about the question.

    `language_support` says what the lane knows of the query's language
    (`retrieval.recall_weighting`).
    """
    weights = FITTED[
        "none" if not has_vectors else "native" if language_support == NATIVE else "foreign"
    ]
    log_odds = (
        weights.intercept
        + weights.coverage * observed.coverage
        + weights.similarity * observed.similarity
    )
    return sigmoid(log_odds)


def observe_recall(words: Sequence[frozenset[str]], recalled: Recalled, fused: Ranking) -> Observed:
    """Compute the features from a query's words, its recalls and the fused ranking."""
    leading = [hit.chunk_no for hit in fused[:LEADING]]
    shares = [
        matched_share(words, recalled.matched_terms.get(number, {}), recalled.idf)
        for number in leading
    ]
    cosines = [
        recalled.similarities[number] for number in leading if number in recalled.similarities
    ]
    return Observed(coverage=max(shares, default=0.0), similarity=max(cosines, default=0.0))
