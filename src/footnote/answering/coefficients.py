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
        intercept=-9.66,
        weights={
            "similarity": 7.326,
            "coverage": 4.249,
            "context_coverage": 1.996,
            "passage_coverage": 0.45,
            "attribute_coverage": 0.351,
            "fits_kind": -0.112,
            "lacks_person": -1.619,
            "lacks_date": -1.619,
            "lacks_number": -1.619,
            "lacks_figures": -0.078,
            "lacks_names": -0.35,
            "nearness": 0.301,
            "repeats": -2.0,
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
            "repeats": -2.0,
        },
    ),
    Trust.NONE: Logistic(
        intercept=-7.098,
        weights={
            "coverage": 6.492,
            "context_coverage": 1.097,
            "passage_coverage": 0.943,
            "attribute_coverage": 0.827,
            "fits_kind": -0.064,
            "lacks_person": -1.564,
            "lacks_date": -1.564,
            "lacks_number": -1.564,
            "lacks_figures": -0.071,
            "lacks_names": -1.076,
            "nearness": 0.888,
            "repeats": -2.0,
        },
    ),
}
"""How likely a statement answers, from its `Signals`.

`repeats` is set, not fitted: encyclopaedic paragraphs hold hardly any headings and questions.
"""

ANSWERABILITY: Mapping[Trust, Logistic] = {
    Trust.NATIVE: Logistic(
        intercept=-1.935,
        weights={
            "support_log_odds": 0.503,
            "best_similarity": 2.873,
            "passage_coverage": 2.197,
            "unseen_names": -0.411,
            "lacks_person": 0.031,
            "lacks_date": 0.031,
            "lacks_number": 0.031,
            "attribute_coverage": 0.236,
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
    Trust.NONE: Logistic(
        intercept=0.366,
        weights={
            "support_log_odds": 0.573,
            "passage_coverage": 1.58,
            "unseen_names": -0.548,
            "lacks_person": 0.006,
            "lacks_date": 0.006,
            "lacks_number": 0.006,
            "attribute_coverage": 0.301,
        },
    ),
}
"""How likely the evidence answers at all, from its `Outlook`."""
