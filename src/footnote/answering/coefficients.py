"""The fitted numbers of grounding and deciding; `bench/fit_answerability.py` prints this table.

Fitted on the questions of `bench/office` and on a sample of half of the articles of XQuAD: each 4th
question in English (native), each 10th in German (foreign) and in German asked in English (cross),
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
        intercept=-7.434,
        weights={
            "similarity": 6.892,
            "coverage": 0.047,
            "newness": -0.668,
            "is_label": -0.652,
            "is_row": -1.363,
            "lacks_person": -4.458,
            "lacks_date": -2.328,
            "lacks_number": -2.297,
            "lacks_counted": -0.787,
            "lacks_sign": -1.252,
            "told_of_named": 3.098,
            "only_names": -0.591,
            "beyond_title": 1.904,
            "is_opening": -0.63,
            "lacks_figures": -0.221,
            "lacks_names": -1.388,
            "nearness": 1.701,
        },
    ),
    Trust.FOREIGN: Logistic(
        intercept=-8.319,
        weights={
            "similarity": 3.792,
            "coverage": 3.176,
            "context_coverage": 0.738,
            "passage_coverage": 0.794,
            "meaning_coverage": 1.39,
            "passage_similarity": 0.035,
            "lacks_person": -4.199,
            "lacks_date": -3.506,
            "lacks_number": -3.266,
            "lacks_counted": -1.15,
            "lacks_sign": -2.646,
            "beyond_title": 1.721,
            "is_opening": 0.011,
            "lacks_figures": -1.519,
            "lacks_names": -0.604,
            "nearness": 1.85,
        },
    ),
    Trust.CROSS: Logistic(
        intercept=-7.356,
        weights={
            "similarity": 3.555,
            "lacks_attributes": -0.093,
            "meaning_coverage": 2.661,
            "meaning_in_context": 2.506,
            "fits_kind": 0.777,
            "lacks_date": -0.705,
            "lacks_number": -3.819,
            "lacks_sign": -2.184,
            "told_of_named": 0.656,
            "beyond_title": 0.551,
            "is_opening": 0.384,
            "passage_lead": 0.87,
            "lacks_figures": -1.691,
            "lacks_names": -0.69,
            "nearness": 2.202,
        },
    ),
    Trust.NONE: Logistic(
        intercept=-5.56,
        weights={
            "lacks_attributes": -0.069,
            "meaning_coverage": 3.343,
            "meaning_in_context": 0.433,
            "newness": -1.256,
            "is_label": -0.032,
            "is_row": -1.25,
            "passage_similarity": 1.11,
            "lacks_person": -3.345,
            "lacks_date": -2.577,
            "lacks_number": -2.89,
            "lacks_counted": -0.439,
            "lacks_sign": -1.259,
            "told_of_named": 1.567,
            "only_names": -0.411,
            "beyond_title": 1.611,
            "is_opening": -0.437,
            "passage_lead": 1.697,
            "lacks_figures": -0.246,
            "lacks_names": -0.775,
            "nearness": 2.016,
            "is_foreign": 0.967,
        },
    ),
}
"""How likely a statement answers, from its `Signals`."""

ANSWERABILITY: Mapping[Trust, Logistic] = {
    Trust.NATIVE: Logistic(
        intercept=-2.666,
        weights={
            "support_log_odds": 0.493,
            "unseen_names": -0.956,
            "similarity_lead": 1.685,
            "lead_without_words": 2.303,
            "support_margin": 0.285,
            "newness": -0.044,
            "is_label": 0.624,
            "is_row": 0.396,
            "joint_meaning": 0.124,
            "question_length": 2.684,
            "lacks_counted": -0.554,
            "lacks_sign": -3.105,
            "told_of_named": 2.002,
            "beyond_title": 0.839,
            "is_opening": -0.936,
            "lacks_person": -4.946,
            "lacks_date": -0.251,
            "lacks_number": -2.477,
        },
    ),
    Trust.FOREIGN: Logistic(
        intercept=-3.595,
        weights={
            "support_log_odds": 0.35,
            "best_similarity": 0.666,
            "passage_coverage": 0.701,
            "similarity_lead": 5.7,
            "meaning_coverage": 1.998,
            "meaning_in_context": 0.599,
            "question_length": 1.031,
            "lacks_counted": -0.526,
            "lacks_sign": -3.174,
            "own_attributes": 0.099,
            "beyond_title": 1.088,
            "is_opening": -0.135,
            "lacks_person": -2.983,
            "lacks_date": -4.434,
            "lacks_number": -4.079,
        },
    ),
    Trust.CROSS: Logistic(
        intercept=-2.551,
        weights={
            "support_log_odds": 0.401,
            "best_similarity": 0.699,
            "unseen_names": -0.322,
            "similarity_lead": 0.27,
            "lead_without_words": 4.003,
            "support_margin": 0.336,
            "meaning_coverage": 1.849,
            "meaning_in_context": 2.109,
            "fits_kind": 0.695,
            "question_length": 1.815,
            "only_names": -0.604,
            "is_opening": -0.161,
            "lacks_date": -1.243,
            "lacks_number": -4.383,
        },
    ),
    Trust.NONE: Logistic(
        intercept=-1.435,
        weights={
            "support_log_odds": 0.555,
            "support_margin": 0.37,
            "meaning_in_context": 0.919,
            "newness": -0.146,
            "is_label": 0.081,
            "is_row": 0.306,
            "question_length": 2.528,
            "lacks_counted": -0.289,
            "lacks_sign": -1.981,
            "told_of_named": 1.095,
            "is_opening": -0.335,
            "lacks_person": -5.527,
            "lacks_date": -0.31,
            "lacks_number": -1.689,
        },
    ),
}
"""How likely the evidence answers at all, from its `Outlook`."""
