"""The fitted numbers of grounding; `bench/fit_grounding.py` prints this table."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from footnote.answering.coefficients import Logistic


class Basis(StrEnum):
    """What the support of a statement rests on."""

    NATIVE = "native"
    """Words, and vectors of a lane that was trained for the quotes' language."""
    FOREIGN = "foreign"
    """Words, and vectors of a lane that was not."""
    WORDS = "words"
    """Words alone."""
    CROSSED = "crossed"
    """The statement is in another language than its quotes: figures and names say most."""


SUPPORT: Mapping[Basis, Logistic] = {
    basis: Logistic(intercept=-4.0, weights={"coverage": 6.0, "lacks_figures": -4.0})
    for basis in Basis
}
"""How likely a statement holds, from its `Agreement`."""

CONTRADICTED: Mapping[str, float] = {
    "strays": 0.1,
    "foreign_names": 0.1,
    "denial": 0.1,
    "opposed_limits": 0.1,
}
"""The most support a statement can have whose signal says that it is contradicted."""

CONFIDENCE = Logistic(intercept=0.0, weights={"weakest_log_odds": 1.0})
"""How likely all statements of an answer hold, from those that its sentences have."""

SUPPORTED = 0.5
"""Support from which a statement counts as supported."""
PARTLY = 0.25
"""Support from which it counts as partly supported."""
