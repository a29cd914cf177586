"""Probabilities: from log-odds, and their mean over parts of a text."""

from __future__ import annotations

import math
from collections.abc import Iterable


def sigmoid(log_odds: float) -> float:
    """Return the probability, 0…1, of these log-odds, which may be infinite.

    >>> sigmoid(0.0), sigmoid(-math.inf), sigmoid(1000.0)
    (0.5, 0.0, 1.0)
    """
    # Either form overflows on the other's side.
    if log_odds >= 0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    odds = math.exp(log_odds)
    return odds / (1.0 + odds)


def mean_confidence(parts: Iterable[tuple[float | None, int]]) -> float | None:
    """Return the mean of confidences, 0…1, weighted by the length of the part that each is of.

    Parts without a confidence do not count. None if none has one, or only parts of no length.

    >>> mean_confidence([(1.0, 3), (0.5, 1), (None, 9)])
    0.875
    """
    total, length_of_all = 0.0, 0
    for confidence, length in parts:
        if confidence is not None:
            total += confidence * length
            length_of_all += length
    return total / length_of_all if length_of_all else None
