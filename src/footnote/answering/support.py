"""Signals of agreement become support 0…1, and the supports of sentences a confidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from footnote.answering.agreement import SIGNAL_NAMES, Agreement
from footnote.answering.grounding_coefficients import (
    CONFIDENCE,
    CONTRADICTED,
    PARTLY,
    SUPPORT,
    SUPPORTED,
    Basis,
    probability,
)
from footnote.ports import Vector

DENIAL_THAT_CONTRADICTS = 0.5
"""`denial` from which one side contradicts the other."""
DECIDED = 0.1
"""Chance of being wrong by words alone below which no vector is asked for."""
JUDGE_SHARE = 0.75
"""Weight of a judge's log-odds beside the signals' own."""
UNCITED_CHANCE = 0.5
"""What a sentence without a citation counts in the confidence, if it claims something."""
CONFIDENCE_NAMES = ("weakest_log_odds", "product_log_odds")
"""The signals of a whole answer."""
_FURTHEST = 1e-4


def contradictions(agreement: Agreement, basis: Basis) -> tuple[str, ...]:
    """The signals that say that the quotes contradict the statement.

    Names and denials are translated, figures are not: across languages only they contradict.
    """
    found = {
        "strays": agreement.strays > 0,
        "foreign_names": agreement.foreign_names > 0,
        "denial": agreement.denial >= DENIAL_THAT_CONTRADICTS,
        "opposed_limits": agreement.opposed_limits > 0,
    }
    crossed = basis is Basis.CROSSED
    return tuple(
        name for name, holds in found.items() if holds and (name == "strays" or not crossed)
    )


def signals_of(agreement: Agreement) -> Mapping[str, float]:
    """The signals by name."""
    return {name: float(getattr(agreement, name)) for name in SIGNAL_NAMES}


def uncapped(agreement: Agreement, basis: Basis) -> float:
    """The fitted probability, contradictions as signals only."""
    return probability(SUPPORT[basis], signals_of(agreement))


def support_of(agreement: Agreement, basis: Basis) -> float:
    """How likely the statement holds, 0…1; a contradiction caps it."""
    ceilings = [CONTRADICTED[name] for name in contradictions(agreement, basis)]
    return min([uncapped(agreement, basis), *ceilings])


def needs_vectors(agreement: Agreement, basis: Basis) -> bool:
    """Whether words alone leave it open that the statement holds."""
    return DECIDED < support_of(agreement, basis) < 1 - DECIDED


def similarity_of(statement: Vector, quotes: Sequence[Vector]) -> float:
    """The highest cosine of a statement with one of its quotes, or with all together."""
    together = np.sum(quotes, axis=0)
    length = float(np.linalg.norm(together))
    singles = [float(np.dot(statement, quote)) for quote in quotes]
    return max([*singles, float(np.dot(statement, together)) / length if length else -1.0])


def blended(agreement: Agreement, basis: Basis, judged: float) -> float:
    """The support where a judge gave a score, 0…1.

    Both are averaged in log-odds, the judge with `JUDGE_SHARE`. A judge can lift what is
    contradicted, since it may know that three quarters are 75 %, but not to supported.
    """
    support = averaged(judged, uncapped(agreement, basis))
    if contradictions(agreement, basis):
        return min(support, (PARTLY + SUPPORTED) / 2)
    return support


def averaged(judged: float, own: float) -> float:
    """A judge's score and the signals' own, averaged in log-odds with `JUDGE_SHARE`."""
    odds = JUDGE_SHARE * log_odds(judged) + (1 - JUDGE_SHARE) * log_odds(own)
    return 1.0 / (1.0 + math.exp(-odds))


def confidence_of(supports: Sequence[float], uncited: int) -> float:
    """How likely every sentence of an answer holds; 0 where none has a citation.

    `supports` are those of the sentences with citations, `uncited` counts the others that claim
    something.
    """
    if not supports:
        return 0.0
    return probability(CONFIDENCE, confidence_signals(supports)) * UNCITED_CHANCE**uncited


def confidence_signals(supports: Sequence[float]) -> Mapping[str, float]:
    """What the confidence of an answer is read from, given the supports of its sentences."""
    odds = [log_odds(each) for each in supports]
    product = math.prod(supports)
    return {"weakest_log_odds": min(odds), "product_log_odds": log_odds(product)}


def log_odds(chance: float) -> float:
    """log(p / (1 − p)), kept away from the infinite."""
    kept = min(1 - _FURTHEST, max(_FURTHEST, chance))
    return math.log(kept / (1 - kept))
