"""The fitted numbers of grounding; `bench/fit_grounding.py` prints this table.

Fitted on statements made from half of the articles of XQuAD in English (native), German, Spanish
and Chinese (foreign), all four (words), or one of them about another (crossed), as many true as
false ones, with the packaged MiniLM in int8.
"""

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
    Basis.NATIVE: Logistic(
        intercept=2.068,
        weights={
            "similarity": 0.579,
            "gap": -0.415,
            "lacks_figures": -0.908,
            "strays": -3.825,
            "misplaced": -2.392,
            "lacks_names": -1.602,
            "foreign_names": -6.432,
            "lacks_nouns": -5.536,
            "denial": -7.599,
            "opposed": -5.6,
            "far_gap": -1.438,
            "thin": -2.724,
        },
    ),
    Basis.FOREIGN: Logistic(
        intercept=1.789,
        weights={
            "similarity": 0.704,
            "gap": -0.72,
            "lacks_figures": -0.907,
            "strays": -3.582,
            "misplaced": -1.844,
            "lacks_names": -2.899,
            "foreign_names": -1.841,
            "lacks_nouns": -0.51,
            "denial": -6.204,
            "opposed": -5.356,
            "far_gap": -1.072,
            "far_thin": -4.445,
        },
    ),
    Basis.WORDS: Logistic(
        intercept=2.454,
        weights={
            "gap": -0.849,
            "lacks_figures": -0.715,
            "strays": -3.746,
            "misplaced": -1.949,
            "lacks_names": -2.745,
            "foreign_names": -2.635,
            "lacks_nouns": -0.979,
            "denial": -6.55,
            "opposed": -5.449,
            "far_gap": -1.102,
            "far_thin": -4.522,
        },
    ),
    Basis.CROSSED: Logistic(
        intercept=0.561,
        weights={
            "similarity": 0.96,
            "pair_coverage": 0.663,
            "strays": -2.251,
            "lacks_names": -0.888,
            "lacks_nouns": -0.109,
            "denial": -5.086,
            "opposed": -3.214,
        },
    ),
}
"""How likely a statement holds, from its `Agreement`."""

CONTRADICTED: Mapping[str, float] = {
    "strays": 0.038,
    "foreign_names": 0.082,
    "denial": 0.027,
    "opposed_limits": 0.026,
}
"""The most support a statement can have whose signal says that it is contradicted."""

CONFIDENCE = Logistic(
    intercept=1.582, weights={"weakest_log_odds": 0.358, "product_log_odds": 0.461}
)
"""How likely all statements of an answer hold, from those that its sentences have."""

SUPPORTED = 0.5
"""Support from which a statement counts as supported."""
PARTLY = 0.25
"""Support from which it counts as partly supported."""
