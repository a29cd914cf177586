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
        intercept=-7.467,
        weights={
            "similarity": 6.92,
            "coverage": 0.145,
            "newness": -0.66,
            "is_label": -0.711,
            "is_row": -1.308,
            "lacks_person": -4.499,
            "lacks_date": -2.283,
            "lacks_number": -2.263,
            "lacks_counted": -0.78,
            "lacks_sign": -0.41,
            "told_of_named": 3.028,
            "only_names": -0.504,
            "beyond_title": 1.811,
            "is_opening": -0.627,
            "lacks_figures": -0.204,
            "lacks_names": -1.377,
            "nearness": 1.72,
        },
    ),
    Trust.FOREIGN: Logistic(
        intercept=-8.169,
        weights={
            "similarity": 3.387,
            "coverage": 3.366,
            "context_coverage": 0.337,
            "passage_coverage": 1.031,
            "meaning_coverage": 1.067,
            "passage_similarity": 0.254,
            "lacks_person": -4.016,
            "lacks_date": -3.337,
            "lacks_number": -3.163,
            "lacks_counted": -1.081,
            "only_names": -0.19,
            "beyond_title": 1.902,
            "is_opening": -0.048,
            "lacks_figures": -1.453,
            "lacks_names": -0.441,
            "nearness": 1.693,
        },
    ),
    Trust.CROSS: Logistic(
        intercept=-7.297,
        weights={
            "similarity": 3.93,
            "lacks_attributes": -0.16,
            "meaning_coverage": 2.505,
            "meaning_in_context": 2.28,
            "fits_kind": 0.786,
            "lacks_person": -0.455,
            "lacks_date": -0.703,
            "lacks_number": -3.85,
            "lacks_sign": -2.113,
            "told_of_named": 0.597,
            "beyond_title": 0.692,
            "is_opening": 0.383,
            "passage_lead": 0.504,
            "lacks_figures": -1.758,
            "lacks_names": -0.667,
            "nearness": 2.197,
        },
    ),
    Trust.NONE: Logistic(
        intercept=-5.573,
        weights={
            "lacks_attributes": -0.11,
            "meaning_coverage": 3.307,
            "meaning_in_context": 0.337,
            "newness": -1.273,
            "is_label": -0.069,
            "is_row": -1.172,
            "passage_similarity": 1.23,
            "lacks_person": -3.512,
            "lacks_date": -2.522,
            "lacks_number": -2.862,
            "lacks_counted": -0.427,
            "lacks_sign": -0.347,
            "told_of_named": 1.582,
            "only_names": -0.339,
            "beyond_title": 1.615,
            "is_opening": -0.432,
            "passage_lead": 1.597,
            "lacks_figures": -0.235,
            "lacks_names": -0.785,
            "nearness": 2.03,
            "is_foreign": 1.027,
        },
    ),
}
"""How likely a statement answers, from its `Signals`."""

ANSWERABILITY: Mapping[Trust, Logistic] = {
    Trust.NATIVE: Logistic(
        intercept=-2.885,
        weights={
            "support_log_odds": 0.441,
            "unseen_names": -1.106,
            "similarity_lead": 1.782,
            "lead_without_words": 2.542,
            "support_margin": 0.326,
            "newness": -0.055,
            "is_label": 0.566,
            "is_row": 0.601,
            "joint_meaning": 0.2,
            "question_length": 2.714,
            "lacks_counted": -0.554,
            "lacks_sign": -3.641,
            "told_of_named": 1.874,
            "beyond_title": 0.785,
            "is_opening": -0.872,
            "lacks_person": -4.883,
            "lacks_date": -0.381,
            "lacks_number": -2.405,
        },
    ),
    Trust.FOREIGN: Logistic(
        intercept=-4.599,
        weights={
            "support_log_odds": 0.288,
            "best_similarity": 0.698,
            "passage_coverage": 1.045,
            "similarity_lead": 6.424,
            "meaning_coverage": 1.965,
            "meaning_nearby": 0.023,
            "meaning_in_context": 0.785,
            "question_length": 1.515,
            "lacks_counted": -0.62,
            "own_attributes": 0.36,
            "beyond_title": 1.175,
            "is_opening": -0.201,
            "lacks_person": -2.938,
            "lacks_date": -4.567,
            "lacks_number": -4.687,
        },
    ),
    Trust.CROSS: Logistic(
        intercept=-2.364,
        weights={
            "support_log_odds": 0.413,
            "best_similarity": 0.832,
            "lead_without_words": 3.476,
            "support_margin": 0.206,
            "meaning_coverage": 1.779,
            "meaning_in_context": 2.187,
            "fits_kind": 0.583,
            "question_length": 1.934,
            "only_names": -0.29,
            "is_opening": -0.186,
            "lacks_person": -0.398,
            "lacks_date": -1.307,
            "lacks_number": -4.213,
        },
    ),
    Trust.NONE: Logistic(
        intercept=-1.232,
        weights={
            "support_log_odds": 0.527,
            "support_margin": 0.295,
            "meaning_in_context": 1.122,
            "newness": -0.333,
            "is_label": -0.046,
            "is_row": 0.483,
            "question_length": 2.54,
            "lacks_counted": -0.335,
            "lacks_sign": -4.216,
            "told_of_named": 0.871,
            "is_opening": -0.398,
            "lacks_figures": -0.132,
            "lacks_person": -0.248,
            "lacks_date": -0.408,
            "lacks_number": -1.682,
        },
    ),
}
"""How likely the evidence answers at all, from its `Outlook`."""
