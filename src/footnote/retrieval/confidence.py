"""How likely it is that the evidence is about the question at all, told without a model.

A logistic model over what the recalls say anyway, fitted by `bench/fit_confidence.py` on questions
whose article is, or is not, among the documents. It judges the topic: whether the passages answer
the question is decided when they are read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import zip_longest

from footnote.domain import Ranking
from footnote.ports import Analyzer, Recalled
from footnote.retrieval.trust import NATIVE

LEADING = 3
"""Chunks at the top of the fused ranking that are looked at."""
_TENTH = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """What the recalls say of one query."""

    coverage: float
    """0…1, the share of the query's idf that the best of the leading chunks holds."""
    together: float
    """0…1, the share that the leading chunks hold together."""
    prominence: float
    """0…1, how far the best lexical score stands above the tenth."""
    similarity: float
    """The highest cosine among the leading chunks; 0 without vectors."""
    margin: float
    """How far that is above the tenth nearest chunk; 0 without vectors."""


NAMES = tuple(field.name for field in fields(Observed))

Weights = Mapping[str, float]

# Printed by `bench/fit_confidence.py`; the first is the intercept.
FITTED: Mapping[str, Weights] = {
    "native": {
        "intercept": -11.513,
        "coverage": 6.805,
        "together": 0.428,
        "prominence": 3.077,
        "similarity": 11.168,
        "margin": 6.61,
    },
    "foreign": {
        "intercept": -6.868,
        "coverage": 1.103,
        "together": 3.546,
        "prominence": 5.437,
        "similarity": -2.051,
        "margin": 14.926,
    },
    "none": {"intercept": -7.507, "coverage": -0.034, "together": 4.006, "prominence": 6.546},
}
"""By what the lane's model knows of the query's language; `none` without vectors."""


def confidence(observed: Observed, *, kinship: int, has_vectors: bool) -> float:
    """The probability, 0…1, that the evidence is about the question.

    `kinship` says what the lane knows of the query's language (`retrieval.trust`).
    """
    weights = FITTED["none" if not has_vectors else "native" if kinship == NATIVE else "foreign"]
    log_odds = weights["intercept"] + sum(
        weight * getattr(observed, name) for name, weight in weights.items() if name in NAMES
    )
    return 1.0 / (1.0 + math.exp(-log_odds))


def query_words(text: str, recalled: Recalled, analyzer: Analyzer) -> tuple[frozenset[str], ...]:
    """For each word of a query, the terms it was sought by in the workspace's languages.

    A word is found when one of its terms is, so the stems of other languages do not count as
    missing; nor do terms that stand for no word of their own, such as neighbours in one piece.
    """
    found: dict[frozenset[str], None] = {}
    for token in text.split():
        # The parts of an identifier and the pairs of an ideographic run are words as well; they
        # stand at the same places whatever the language.
        readings = [analyzer.terms(token, each) for each in (*recalled.languages, None)]
        for place in zip_longest(*readings):
            sought = frozenset(term for term in place if term in recalled.rarities)
            if sought:
                found[sought] = None
    return tuple(found)


def observe_recall(words: Sequence[frozenset[str]], recalled: Recalled, fused: Ranking) -> Observed:
    """What can be seen of a query's words, its two recalls and the ranking they became."""
    leading = [hit.chunk_no for hit in fused[:LEADING]]
    held = [frozenset(recalled.matched_terms.get(number, ())) for number in leading]
    cosines = [recalled.similarities[each] for each in leading if each in recalled.similarities]
    similarity = max(cosines, default=0.0)
    return Observed(
        coverage=max((_share(words, each, recalled.rarities) for each in held), default=0.0),
        together=_share(words, frozenset().union(*held), recalled.rarities),
        prominence=_prominence(recalled.lexical),
        similarity=similarity,
        margin=similarity - _tenth(recalled.dense) if cosines else 0.0,
    )


def _share(
    words: Sequence[frozenset[str]], held: frozenset[str], rarities: Mapping[str, float]
) -> float:
    """How much of the words' idf is held; a word weighs what its commonest term does."""
    weights = [min(rarities[term] for term in word) for word in words]
    found = [weight for word, weight in zip(words, weights, strict=True) if word & held]
    return sum(found) / sum(weights) if weights else 0.0


def _prominence(ranking: Ranking) -> float:
    if not ranking or ranking[0].score <= 0:
        return 0.0
    return 1.0 - max(_tenth(ranking), 0.0) / ranking[0].score


def _tenth(ranking: Ranking) -> float:
    return ranking[_TENTH].score if len(ranking) > _TENTH else 0.0
