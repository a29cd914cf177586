"""The fitted numbers of grounding; `bench/fit_grounding.py` prints this table.

Fitted on statements made from half of the articles of XQuAD in English (native), German, Spanish
and Chinese (foreign), all four (words), or one of them about another (crossed), as many true as
false ones, with the packaged MiniLM in int8.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Basis(StrEnum):
    """What the support of a statement rests on."""

    NATIVE = "native"
    """Words, and vectors of a lane that was trained for the quotes' language."""
    FOREIGN = "foreign"
    """Words, and vectors of a lane that was not."""
    WORDS = "words"
    """Words alone."""
    CROSSED = "crossed"
    """The statement is in another language than its quotes: figures and names say most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    """probability = 1 / (1 + exp(−(intercept + Σ weight · signal)))."""

    intercept: float
    weights: Mapping[str, float]


def probability(model: Logistic, signals: Mapping[str, float]) -> float:
    """The model's probability for these signals; a signal without a weight counts nothing."""
    activation = model.intercept + sum(
        weight * signals[name] for name, weight in model.weights.items()
    )
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, activation))))


SUPPORT: Mapping[Basis, Logistic] = {
    Basis.NATIVE: Logistic(
        intercept=1.717,
        weights={
            "similarity": 0.74,
            "gap": -0.594,
            "lacks_figures": -2.143,
            "strays": -2.79,
            "misplaced": -1.999,
            "lacks_names": -1.649,
            "foreign_names": -4.601,
            "lacks_nouns": -3.94,
            "denial": -5.421,
            "opposed": -4.394,
            "far_gap": -1.302,
            "unheld": -0.267,
            "thin": -1.109,
            "far_thin": -0.711,
        },
    ),
    Basis.FOREIGN: Logistic(
        intercept=1.667,
        weights={
            "similarity": 0.775,
            "gap": -0.801,
            "lacks_figures": -2.073,
            "strays": -2.934,
            "misplaced": -1.649,
            "lacks_names": -2.632,
            "foreign_names": -1.797,
            "lacks_nouns": -0.488,
            "denial": -5.641,
            "opposed": -4.804,
            "far_gap": -1.087,
            "far_thin": -3.662,
        },
    ),
    Basis.WORDS: Logistic(
        intercept=2.405,
        weights={
            "gap": -0.913,
            "lacks_figures": -1.726,
            "strays": -3.21,
            "misplaced": -1.743,
            "lacks_names": -2.56,
            "foreign_names": -2.505,
            "lacks_nouns": -0.947,
            "denial": -5.997,
            "opposed": -4.977,
            "far_gap": -1.161,
            "far_thin": -3.817,
        },
    ),
    Basis.CROSSED: Logistic(
        intercept=0.555,
        weights={
            "similarity": 0.915,
            "pair_coverage": 0.667,
            "strays": -2.199,
            "lacks_names": -0.808,
            "foreign_names": -0.055,
            "lacks_nouns": -0.114,
            "denial": -4.865,
            "opposed": -3.066,
        },
    ),
}
"""How likely a statement holds, from its `Agreement`."""

CONTRADICTED: Mapping[str, float] = {
    "strays": 0.038,
    "foreign_names": 0.085,
    "denial": 0.027,
    "opposed_limits": 0.026,
}
"""The most support a statement can have whose signal says that it is contradicted."""

CONFIDENCE = Logistic(
    intercept=1.542, weights={"weakest_log_odds": 0.416, "product_log_odds": 0.42}
)
"""How likely all statements of an answer hold, from those that its sentences have."""

SUPPORTED = 0.7
"""Support from which a statement counts as supported."""
PARTLY = 0.3
"""Support from which it counts as partly supported."""
