"""Compute a statement's support from the judge's probability, and an answer's confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence

SUPPORTED = 0.5
"""Support from which a statement is supported: likelier than not."""
PARTLY = 0.3
"""Support from which it is partly supported."""
GUARDED = 0.25
"""The most support of a statement with an exact value that its quotes lack, whoever judges."""
UNREAD = 0.45
"""The most support of a statement that no model has read: shared words alone never support."""
UNCITED_CHANCE = 0.5
"""What a sentence without a citation counts in the confidence, if it claims something."""


def support_of(judged: float | None, coverage: float, *, guarded: bool) -> float:
    """How likely the statement holds, 0…1, given what a judge said, if one did.

    `coverage` is the share of its terms in the quotes, `guarded` whether they lack an exact value.
    """
    support = UNREAD * coverage if judged is None else judged
    return min(support, GUARDED) if guarded else support


def confidence_of(supports: Sequence[float], uncited: int) -> float:
    """How likely every sentence of an answer holds; 0 where none has a citation.

    `supports` are those of the sentences with citations, `uncited` counts the others that claim
    something. The product of the supports would be right if the judge erred at each sentence
    independently. It is far too low (`bench/grounding.py`), so its √n-th root is taken.
    """
    if not supports:
        return 0.0
    together = math.prod(supports) ** (1 / math.sqrt(len(supports)))
    return float(together * UNCITED_CHANCE**uncited)
