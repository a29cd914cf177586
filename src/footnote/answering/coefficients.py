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
        intercept=-9.776,
        weights={
            "similarity": 7.432,
            "coverage": 4.209,
            "context_coverage": 2.345,
            "passage_coverage": 0.467,
            "fits_kind": -0.099,
            "lacks_kind": -1.691,
            "lacks_figures": 0.032,
            "lacks_names": -0.215,
            "nearness": 0.344,
            "repeats": -2.0,
        },
    ),
    Trust.FOREIGN: Logistic(
        intercept=-8.397,
        weights={
            "similarity": 3.763,
            "coverage": 5.737,
            "context_coverage": 2.266,
            "passage_coverage": 0.764,
            "fits_kind": -0.148,
            "lacks_kind": -1.933,
            "lacks_figures": -0.572,
            "lacks_names": -0.342,
            "nearness": 0.542,
            "repeats": -2.0,
        },
    ),
    Trust.NONE: Logistic(
        intercept=-6.874,
        weights={
            "coverage": 6.544,
            "context_coverage": 1.936,
            "passage_coverage": 0.974,
            "fits_kind": -0.172,
            "lacks_kind": -1.914,
            "lacks_figures": -0.263,
            "lacks_names": -0.672,
            "nearness": 0.776,
            "repeats": -2.0,
        },
    ),
}
"""How likely a statement answers, from its `Signals`.

`repeats` is set, not fitted: encyclopaedic paragraphs hold hardly any headings and questions.
"""

ANSWERABILITY: Mapping[Trust, Logistic] = {
    Trust.NATIVE: Logistic(
        intercept=-1.381,
        weights={
            "support_log_odds": 0.574,
            "best_similarity": 2.365,
            "passage_coverage": 2.104,
            "unseen_names": -0.252,
            "lacks_kind": -0.04,
        },
    ),
    Trust.FOREIGN: Logistic(
        intercept=-0.437,
        weights={
            "support_log_odds": 0.554,
            "best_similarity": 1.356,
            "passage_coverage": 1.814,
            "unseen_names": 0.021,
            "lacks_kind": -0.293,
        },
    ),
    Trust.NONE: Logistic(
        intercept=0.303,
        weights={
            "support_log_odds": 0.539,
            "passage_coverage": 1.945,
            "unseen_names": -0.172,
            "lacks_kind": -0.36,
        },
    ),
}
"""How likely the evidence answers at all, from its `Outlook`."""
