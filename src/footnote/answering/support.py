"""Compute a statement's support from the judge's probability, and an answer's confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence

SUPPORTED = 0.5
"""Minimum support of the verdict "supported": more likely than not."""
PARTLY = 0.3
"""Minimum support of "partly supported"."""
GUARDED = 0.25
"""Most support of a statement with an exact value that its quotes do not have, whatever the judge
says."""
UNREAD = 0.45
"""Most support of a statement that no model has read: shared words are not sufficient."""
UNCITED_CHANCE = 0.5
"""Probability of an uncited claim in the confidence of an answer."""


def support_of(judged: float | None, coverage: float, *, guarded: bool) -> float:
    """Probability that the statement is correct, 0…1, with a judge's probability if there is one.

    `coverage` is the share of its terms in the quotes; `guarded` is true if the quotes do not have
    one of its exact values.
    """
    support = UNREAD * coverage if judged is None else judged
    return min(support, GUARDED) if guarded else support


def confidence_of(supports: Sequence[float], uncited: int) -> float:
    """Probability that every sentence of an answer is correct; 0 if none has a citation.

    `supports` are those of the sentences with citations, `uncited` is the number of other claims.
    The product of the supports would be right if the judge erred at each sentence independently. It
    is far too low (`bench/grounding.py`), so its √n-th root is taken.
    """
    if not supports:
        return 0.0
    together = math.prod(supports) ** (1 / math.sqrt(len(supports)))
    return float(together * UNCITED_CHANCE**uncited)
