"""Passages of a search in the order in which they are worth reading, before any is read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

import numpy as np

from footnote.answering.observing import Floats, lacking, numbers_in, shares_of, standings
from footnote.answering.sentences import candidates_of
from footnote.domain import Evidence
from footnote.ports import Analyzer


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What tells of a passage whether it may answer."""

    coverage: float
    """Share of the question's terms, by rarity, that the passage or its headings hold; 0 where
    they are in different languages."""
    statement_coverage: float
    """The same of that of its statements, with the headings, that holds most."""
    standing: float
    """Cosine of passage and question, in standard deviations above the middle passage."""
    log_rank: float
    """In the search, among the passages in the question's language or among all others."""
    lacks_numbers: float
    """Share of the question's numbers that the passage and its names lack."""
    is_foreign: float
    """1 where passage and question are in different languages."""
    log_statements: float
    """Logarithm of one more than its statements."""
    length: float
    """Thousands of characters."""


PROMISING: tuple[str, ...] = tuple(each.name for each in fields(Promise))


def promises_of(question: str, evidence: Sequence[Evidence], analyzer: Analyzer) -> Floats:
    """A row of `PROMISING` for each passage, of shape (passages, names)."""
    held = [candidates_of([each]) for each in evidence]
    statements = [one for each in held for one in each]
    shares = iter(shares_of(question, statements, evidence, analyzer))
    above = standings([each.similarity for each in evidence])
    numbers = numbers_in(question)
    rows = []
    for each, candidates, standing in zip(evidence, held, above, strict=True):
        own = [next(shares) for _ in candidates]
        rows.append(
            Promise(
                coverage=max((one.passage for one in own), default=0.0),
                statement_coverage=max((one.statement for one in own), default=0.0),
                standing=standing,
                log_rank=math.log(own[0].rank if own else max(1, each.rank)),
                lacks_numbers=lacking(numbers, each.passage),
                is_foreign=float(any(one.is_foreign for one in own)),
                log_statements=math.log1p(len(candidates)),
                length=len(each.passage.text) / 1000,
            )
        )
    return np.array([astuple(each) for each in rows]).reshape(len(rows), len(PROMISING))


MOST_PASSAGES = 16
"""Passages that are looked at. What the search puts further down seldom answers."""
READ_FIRST = 2
"""Passages that are read first where the answer hardly stands behind them."""
READ_UNTIL = (4, 8, MOST_PASSAGES)
"""Passages after which is asked whether those that were read decide."""
HARDLY = 0.02
"""Chance that the answer stands behind the first two, below which those are read by themselves. Of
the questions of `bench/fit_reading.py` with an answer, a third and a half are so."""
NEVER = 0.005
"""Chance that the answer stands behind what was read, below which no more is read: with twice as
much answers are lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Passages in the order in which they are read, and how far."""

    evidence: Sequence[Evidence]
    ends: Sequence[int]
    """How many are read after each round, as long as it is not decided; the last tells how many
    are at all."""


def in_order(evidence: Sequence[Evidence], utilities: Floats) -> Order:
    """The likeliest first; a conditional logit gives each these utilities, and none of them 0."""
    places = np.argsort(-utilities, kind="stable")
    odds = np.exp(np.clip(utilities[places], -40, 40))
    behind = [float(odds[end:].sum() / (1 + odds.sum())) for end in range(len(odds) + 1)]
    ends = [end for end in READ_UNTIL[:-1] if end < len(odds)]
    ends.append(min(len(odds), MOST_PASSAGES))
    if len(odds) > READ_FIRST and behind[READ_FIRST] < HARDLY:
        ends.insert(0, READ_FIRST)
    last = next((at for at, end in enumerate(ends) if behind[end] < NEVER), len(ends) - 1)
    return Order(evidence=[evidence[int(each)] for each in places], ends=ends[: last + 1])
