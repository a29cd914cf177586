"""Rank retrieved passages for reading, before the reader is run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np

from footnote.answering.answer_features import (
    Floats,
    median_z_scores,
    missing_number_share,
    numbers_in,
    term_coverage,
)
from footnote.answering.sentences import candidates_of
from footnote.domain import Evidence
from footnote.ports import Analyzer


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageFeatures:
    """Features from which the probability that a passage answers is fitted."""

    coverage: float
    """Share of the question's terms, by rarity, that the passage or its headings hold; 0 where
    they are in different languages."""
    statement_coverage: float
    """The largest coverage by one statement with the headings, 0…1."""
    standing: float
    """Cosine of passage and question, in standard deviations above the median passage."""
    log_rank: float
    """Logarithm of the search rank, among passages in the question's language or among the
    others."""
    lacks_numbers: float
    """Share of the question's numbers that the passage and its names do not have."""
    is_foreign: float
    """1 where passage and question are in different languages."""
    log_statements: float
    """Logarithm of one more than its statements."""
    length: float
    """Thousands of characters."""


PASSAGE_FEATURES: tuple[str, ...] = tuple(feature.name for feature in fields(PassageFeatures))


def passage_features(question: str, evidence: Sequence[Evidence], analyzer: Analyzer) -> Floats:
    """A row of `PASSAGE_FEATURES` for each passage, of shape (passages, names)."""
    passage_candidates = [candidates_of([item]) for item in evidence]
    statements = [candidate for group in passage_candidates for candidate in group]
    remaining_coverages = iter(term_coverage(question, statements, evidence, analyzer))
    z_scores = median_z_scores([item.similarity for item in evidence])
    numbers = numbers_in(question)
    rows = []
    for item, candidates, z_score in zip(evidence, passage_candidates, z_scores, strict=True):
        coverages = [next(remaining_coverages) for _ in candidates]
        rows.append(
            PassageFeatures(
                coverage=max((coverage.passage for coverage in coverages), default=0.0),
                statement_coverage=max((coverage.statement for coverage in coverages), default=0.0),
                standing=z_score,
                log_rank=math.log(coverages[0].rank if coverages else max(1, item.rank)),
                lacks_numbers=missing_number_share(numbers, item.passage),
                is_foreign=float(any(coverage.is_foreign for coverage in coverages)),
                log_statements=math.log1p(len(candidates)),
                length=len(item.passage.text) / 1000,
            )
        )
    return np.array([astuple(row) for row in rows]).reshape(len(rows), len(PASSAGE_FEATURES))


MAX_PASSAGES = 16
"""Most passages that are ranked; lower search results seldom answer."""
READ_FIRST = 2
"""Passages in the first round if the answer is improbable in the rest."""
READ_UNTIL = (4, 8, MAX_PASSAGES)
"""Numbers of passages after which the reader's results are checked for a decision."""
HARDLY = 0.02
"""Probability that the answer is after the first two passages, below which these are read alone.
That holds for between a third and a half of the answerable questions of `bench/fit_reading.py`."""
NEVER = 0.005
"""Probability that the answer is in the unread passages, below which reading stops; at twice
this value answers are lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOrder:
    """Passages in reading order, with the rounds in which they are read."""

    evidence: Sequence[Evidence]
    ends: Sequence[int]
    """Number of passages read by the end of each round; rounds stop once the answer is decided.
    The last is the most that are read."""


def rank_for_reading(evidence: Sequence[Evidence], utilities: Floats) -> ReadingOrder:
    """Sort passages by utility, best first, and set the rounds.

    Utilities are those of a conditional logit, in which "no passage answers" has utility 0.
    """
    ranking = np.argsort(-utilities, kind="stable")
    odds = np.exp(np.clip(utilities[ranking], -40, 40))
    unread_probabilities = [
        float(odds[end:].sum() / (1 + odds.sum())) for end in range(len(odds) + 1)
    ]
    ends = [end for end in READ_UNTIL[:-1] if end < len(odds)]
    ends.append(min(len(odds), MAX_PASSAGES))
    if len(odds) > READ_FIRST and unread_probabilities[READ_FIRST] < HARDLY:
        ends.insert(0, READ_FIRST)
    last_round = next(
        (round_index for round_index, end in enumerate(ends) if unread_probabilities[end] < NEVER),
        len(ends) - 1,
    )
    return ReadingOrder(
        evidence=[evidence[int(index)] for index in ranking], ends=ends[: last_round + 1]
    )
