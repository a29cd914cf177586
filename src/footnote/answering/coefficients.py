"""The fitted numbers of grounding and deciding; `bench/fit_answerability.py` prints this table.

Fitted on the questions of `bench/office` and on a sample (each 12th or 24th question) of half of
the articles of XQuAD in English (native), German (foreign), and German asked in English (cross),
with the packaged MiniLM in int8.
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
        intercept=-8.263,
        weights={
            "similarity": 6.955,
            "lacks_attributes": -0.223,
            "meaning_coverage": 1.787,
            "meaning_in_context": 0.766,
            "attribute_meaning": 1.812,
            "newness": 0.356,
            "is_label": 0.702,
            "is_row": -1.013,
            "lacks_person": -2.252,
            "lacks_date": -1.864,
            "lacks_number": -4.625,
            "lacks_figures": -2.503,
            "lacks_names": -1.461,
            "nearness": 1.428,
        },
    ),
    Trust.FOREIGN: Logistic(
        intercept=-8.54,
        weights={
            "similarity": 3.986,
            "coverage": 2.863,
            "passage_coverage": 2.616,
            "lacks_attributes": -0.958,
            "meaning_coverage": 3.952,
            "passage_similarity": 1.889,
            "lacks_person": -0.362,
            "lacks_number": -1.846,
            "lacks_figures": -0.688,
            "lacks_names": -1.145,
        },
    ),
    Trust.CROSS: Logistic(
        intercept=-7.625,
        weights={
            "similarity": 5.244,
            "meaning_coverage": 3.828,
            "meaning_in_context": 3.695,
            "lacks_person": -1.141,
            "lacks_date": -1.127,
            "lacks_number": -3.374,
            "lacks_figures": -0.861,
            "nearness": 1.845,
        },
    ),
    Trust.NONE: Logistic(
        intercept=-5.859,
        weights={
            "lacks_attributes": -0.612,
            "meaning_coverage": 4.173,
            "meaning_in_context": 1.834,
            "attribute_meaning": 0.475,
            "newness": -0.688,
            "is_label": 0.62,
            "is_row": -1.362,
            "passage_similarity": 0.794,
            "lacks_person": -1.835,
            "lacks_date": -2.179,
            "lacks_number": -5.346,
            "lacks_figures": -1.983,
            "lacks_names": -0.717,
            "nearness": 2.002,
            "is_foreign": 1.01,
        },
    ),
}
"""How likely a statement answers, from its `Signals`."""

ANSWERABILITY: Mapping[Trust, Logistic] = {
    Trust.NATIVE: Logistic(
        intercept=-3.16,
        weights={
            "support_log_odds": 0.251,
            "unseen_names": -2.514,
            "unseen_attributes": -0.165,
            "similarity_lead": 1.726,
            "lead_without_words": 5.23,
            "support_margin": 0.389,
            "meaning_coverage": 0.625,
            "meaning_in_context": 2.07,
            "attribute_meaning": 1.132,
            "newness": -0.206,
            "is_label": 0.151,
            "is_row": 0.874,
            "lacks_figures": -1.78,
            "lacks_person": -1.213,
            "lacks_date": -1.865,
            "lacks_number": -3.692,
        },
    ),
    Trust.FOREIGN: Logistic(
        intercept=-4.565,
        weights={
            "support_log_odds": 0.149,
            "passage_coverage": 2.523,
            "unseen_names": -0.914,
            "similarity_lead": 4.189,
            "lead_without_words": 0.661,
            "support_margin": 0.105,
            "meaning_coverage": 2.39,
            "meaning_nearby": 0.856,
            "attribute_meaning": 0.38,
            "lacks_figures": -0.087,
            "attribute_coverage": 0.336,
            "lacks_date": -0.267,
            "lacks_attributes": -0.216,
        },
    ),
    Trust.CROSS: Logistic(
        intercept=-0.331,
        weights={
            "support_log_odds": 0.555,
            "support_margin": 0.232,
            "meaning_coverage": 1.882,
            "meaning_in_context": 0.776,
            "fits_kind": 0.162,
            "lacks_person": -0.872,
            "lacks_date": -0.528,
        },
    ),
    Trust.NONE: Logistic(
        intercept=-0.321,
        weights={
            "support_log_odds": 0.39,
            "support_margin": 0.393,
            "meaning_coverage": 1.172,
            "meaning_in_context": 1.428,
            "attribute_meaning": 0.103,
            "newness": -1.1,
            "is_label": -0.043,
            "is_row": 0.419,
            "lacks_figures": -0.758,
            "lacks_date": -1.329,
            "lacks_attributes": -0.222,
        },
    ),
}
"""How likely the evidence answers at all, from its `Outlook`."""
