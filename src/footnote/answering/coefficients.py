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
        intercept=-9.564,
        weights={
            "similarity": 9.924,
            "coverage": 4.001,
            "context_coverage": 2.259,
            "passage_coverage": -1.876,
            "fits_kind": 0.287,
            "lacks_kind": -1.457,
            "lacks_figures": -0.658,
            "lacks_names": -0.757,
            "nearness": 0.673,
            "repeats": -2.0,
        },
    ),
    Trust.FOREIGN: Logistic(
        intercept=-8.44,
        weights={
            "similarity": 6.951,
            "coverage": 4.924,
            "context_coverage": 2.306,
            "passage_coverage": -1.313,
            "fits_kind": 0.333,
            "lacks_kind": -1.685,
            "lacks_figures": -1.281,
            "lacks_names": -1.098,
            "nearness": 0.796,
            "repeats": -2.0,
        },
    ),
    Trust.NONE: Logistic(
        intercept=-5.411,
        weights={
            "coverage": 7.061,
            "context_coverage": 1.944,
            "passage_coverage": -1.694,
            "fits_kind": 0.364,
            "lacks_kind": -1.606,
            "lacks_figures": -1.032,
            "lacks_names": -1.672,
            "nearness": 1.304,
            "repeats": -2.0,
        },
    ),
}
"""How likely a statement answers, from its `Signals`.

`repeats` is set, not fitted: encyclopaedic paragraphs hold hardly any headings and questions.
"""

ANSWERABILITY: Mapping[Trust, Logistic] = {
    Trust.NATIVE: Logistic(
        intercept=-0.356,
        weights={
            "support_log_odds": 0.538,
            "best_similarity": -0.163,
            "similarity_lead": 4.599,
            "passage_coverage": 0.57,
            "unseen_names": -0.893,
            "lacks_kind": -0.511,
        },
    ),
    Trust.FOREIGN: Logistic(
        intercept=2.329,
        weights={
            "support_log_odds": 0.55,
            "best_similarity": -3.385,
            "similarity_lead": 7.313,
            "passage_coverage": -0.313,
            "unseen_names": -1.613,
            "lacks_kind": 0.108,
        },
    ),
    Trust.NONE: Logistic(
        intercept=1.63,
        weights={
            "support_log_odds": 0.508,
            "passage_coverage": -0.286,
            "unseen_names": -1.352,
            "lacks_kind": 0.015,
        },
    ),
}
"""How likely the evidence answers at all, from its `Outlook`."""
