"""The fitted numbers of grounding and deciding; `bench/fit_answerability.py` prints this table.

Fitted on half of the articles of XQuAD in English (native), German and Spanish (foreign) or all
three (none), with the packaged MiniLM in int8.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Trust(StrEnum):
    """How far sentence vectors can be believed for the evidence at hand."""

    NATIVE = "native"
    """The lane was trained for the evidence's language."""
    FOREIGN = "foreign"
    """It was not: its similarities are lower and say less."""
    CROSS = "cross"
    """The question is written in another language than the evidence."""
    NONE = "none"
    """There are no vectors: the embedder is out of reach."""


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


SUPPORT: Mapping[Trust, Logistic] = {
    Trust.NATIVE: Logistic(
        intercept=-9.697,
        weights={
            "similarity": 6.79,
            "coverage": 4.287,
            "context_coverage": 2.447,
            "passage_coverage": 0.863,
            "attribute_coverage": -0.315,
            "lacks_attributes": -0.772,
            "fits_kind": -0.078,
            "lacks_person": -1.894,
            "lacks_date": -1.156,
            "lacks_number": -1.511,
            "lacks_figures": 0.004,
            "lacks_names": -0.211,
            "nearness": 0.412,
        },
    ),
    Trust.FOREIGN: Logistic(
        intercept=-8.449,
        weights={
            "similarity": 3.652,
            "coverage": 5.469,
            "context_coverage": 2.355,
            "passage_coverage": 0.809,
            "fits_kind": -0.189,
            "lacks_person": -1.979,
            "lacks_date": -1.979,
            "lacks_number": -1.979,
            "lacks_figures": -0.597,
            "lacks_names": -0.276,
            "nearness": 0.617,
        },
    ),
    Trust.CROSS: Logistic(
        intercept=-8.449,
        weights={
            "similarity": 3.652,
            "coverage": 5.469,
            "context_coverage": 2.355,
            "passage_coverage": 0.809,
            "fits_kind": -0.189,
            "lacks_person": -1.979,
            "lacks_date": -1.979,
            "lacks_number": -1.979,
            "lacks_figures": -0.597,
            "lacks_names": -0.276,
            "nearness": 0.617,
        },
    ),
    Trust.NONE: Logistic(
        intercept=-7.192,
        weights={
            "coverage": 6.37,
            "context_coverage": 2.253,
            "passage_coverage": 1.176,
            "attribute_coverage": -0.517,
            "lacks_attributes": -1.219,
            "fits_kind": -0.033,
            "lacks_person": -1.321,
            "lacks_date": -1.238,
            "lacks_number": -1.725,
            "lacks_figures": 0.216,
            "lacks_names": -0.78,
            "nearness": 0.857,
        },
    ),
}
"""How likely a statement answers, from its `Signals`."""

ANSWERABILITY: Mapping[Trust, Logistic] = {
    Trust.NATIVE: Logistic(
        intercept=-1.192,
        weights={
            "support_log_odds": 0.552,
            "best_similarity": 1.783,
            "passage_coverage": 2.427,
            "unseen_names": -0.262,
            "attribute_coverage": 0.5,
            "lacks_person": 0.444,
            "lacks_date": -0.206,
            "lacks_number": 0.185,
            "lacks_attributes": -0.183,
        },
    ),
    Trust.FOREIGN: Logistic(
        intercept=-0.126,
        weights={
            "support_log_odds": 0.602,
            "best_similarity": 1.401,
            "passage_coverage": 1.334,
            "unseen_names": 0.021,
            "lacks_person": -0.106,
            "lacks_date": -0.106,
            "lacks_number": -0.106,
        },
    ),
    Trust.CROSS: Logistic(
        intercept=-0.126,
        weights={
            "support_log_odds": 0.602,
            "best_similarity": 1.401,
            "passage_coverage": 1.334,
            "unseen_names": 0.021,
            "lacks_person": -0.106,
            "lacks_date": -0.106,
            "lacks_number": -0.106,
        },
    ),
    Trust.NONE: Logistic(
        intercept=0.125,
        weights={
            "support_log_odds": 0.57,
            "passage_coverage": 2.134,
            "unseen_names": -0.334,
            "attribute_coverage": 0.668,
            "lacks_person": -0.819,
            "lacks_date": -0.043,
            "lacks_number": 0.367,
            "lacks_attributes": -0.178,
        },
    ),
}
"""How likely the evidence answers at all, from its `Outlook`."""
