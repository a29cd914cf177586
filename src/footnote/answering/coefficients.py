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
        intercept=-9.742,
        weights={
            "similarity": 6.821,
            "coverage": 4.335,
            "context_coverage": 2.16,
            "passage_coverage": 1.001,
            "attribute_coverage": -0.196,
            "lacks_attributes": -0.772,
            "fits_kind": -0.088,
            "lacks_person": -1.883,
            "lacks_date": -1.115,
            "lacks_number": -1.455,
            "lacks_figures": 0.03,
            "lacks_names": -0.265,
            "nearness": 0.428,
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
        intercept=-7.198,
        weights={
            "coverage": 6.384,
            "context_coverage": 1.698,
            "passage_coverage": 1.462,
            "attribute_coverage": -0.265,
            "lacks_attributes": -1.193,
            "fits_kind": -0.05,
            "lacks_person": -1.308,
            "lacks_date": -1.189,
            "lacks_number": -1.643,
            "lacks_figures": 0.144,
            "lacks_names": -0.851,
            "nearness": 0.854,
            "repeats": -2.0,
        },
    ),
}
"""How likely a statement answers, from its `Signals`.

`repeats` is set, not fitted: encyclopaedic paragraphs hold hardly any headings and questions.
"""

ANSWERABILITY: Mapping[Trust, Logistic] = {
    Trust.NATIVE: Logistic(
        intercept=-1.203,
        weights={
            "support_log_odds": 0.547,
            "best_similarity": 1.846,
            "passage_coverage": 2.513,
            "unseen_names": -0.268,
            "attribute_coverage": 0.246,
            "lacks_person": 0.484,
            "lacks_date": -0.142,
            "lacks_number": 0.249,
            "lacks_attributes": -0.323,
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
        intercept=0.13,
        weights={
            "support_log_odds": 0.56,
            "passage_coverage": 2.069,
            "unseen_names": -0.397,
            "attribute_coverage": 0.667,
            "lacks_person": -0.797,
            "lacks_date": -0.032,
            "lacks_number": 0.776,
            "lacks_attributes": -0.274,
        },
    ),
}
"""How likely the evidence answers at all, from its `Outlook`."""
