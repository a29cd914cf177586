"""Fits small logistic models whose signals may only speak the way they are meant to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reading_sets import Floats

RIDGE = 3.0
"""L2 penalty on standardised weights: few questions are a user's, so no weight may lean far."""
SPEAKS_FOR = (
    "similarity",
    "coverage",
    "nearness",
    "fits_kind",
    "meaning",
    "support",
    "lead",
    "beyond",
    "own_",
    "told",
)
"""A signal whose name holds one of these can only speak for an answer."""
SPEAKS_AGAINST = ("lacks", "unseen", "only_names")
"""And one whose name begins so only against it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Logistic:
    """probability = 1 / (1 + exp(−(intercept + Σ weight · signal)))."""

    intercept: float
    weights: Mapping[str, float]


def fit(signals: Floats, right: Floats, weights: Floats, names: Sequence[str]) -> Logistic:
    """Ridge logistic regression; a signal that would speak the wrong way is left out."""
    used = list(range(len(names)))
    while True:
        model = solve(signals[:, used], right, weights, [names[each] for each in used])
        wrong = [each for each in used if speaks_wrongly(names[each], model.weights)]
        if not wrong:
            return model
        used = [each for each in used if each not in wrong]


def speaks_wrongly(name: str, weights: Mapping[str, float]) -> bool:
    weight = weights.get(name, 0.0)
    if name.startswith(SPEAKS_AGAINST):
        return weight > 0
    return weight < 0 and any(part in name for part in SPEAKS_FOR)


def solve(signals: Floats, right: Floats, weights: Floats, names: Sequence[str]) -> Logistic:
    """Ridge logistic regression by Newton's method on standardised signals."""
    mean, spread = signals.mean(0), signals.std(0)
    spread[spread == 0] = np.inf
    design = np.column_stack([np.ones(len(signals)), (signals - mean) / spread])
    penalty = np.diag([0.0, *[RIDGE] * len(names)])
    found = np.zeros(design.shape[1])
    for _ in range(30):
        chance = 1.0 / (1.0 + np.exp(-design @ found))
        slope = design.T @ (weights * (chance - right)) + penalty @ found
        curve = (design * (weights * chance * (1 - chance))[:, None]).T @ design + penalty
        found -= np.linalg.solve(curve + 1e-9 * np.eye(len(curve)), slope)
    scaled = found[1:] / spread
    return Logistic(
        intercept=round(float(found[0] - scaled @ np.where(np.isinf(spread), 0, mean)), 3),
        weights={
            name: round(float(value), 3) for name, value in zip(names, scaled, strict=True) if value
        },
    )


def area_under_curve(good: Floats, bad: Floats) -> float:
    return float(np.mean(good[:, None] > bad[None, :]) + 0.5 * np.mean(good[:, None] == bad[None]))
