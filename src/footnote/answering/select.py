"""Weighed statements become the few worth saying: strong, different from each other, not padded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from footnote.answering.ground import Weighed


def shortlist(scores: Sequence[float], ranks: Sequence[int], limit: int) -> list[int]:
    """Positions of the statements worth embedding: lexically best, or early in strong evidence.

    Half the places go by score, the rest by evidence rank, so that a statement which shares no
    word with the question still has its chance. Ascending.
    """
    by_score = sorted(range(len(scores)), key=lambda each: (-scores[each], ranks[each], each))
    by_rank = sorted(range(len(scores)), key=lambda each: (ranks[each], -scores[each], each))
    chosen = dict.fromkeys(by_score[: (limit + 1) // 2])
    for position in by_rank:
        if len(chosen) >= limit:
            break
        chosen.setdefault(position)
    return sorted(chosen)


def by_strength(weighed: Sequence[Weighed]) -> list[Weighed]:
    """Best first; ties by evidence rank, then by place in the text."""
    return sorted(
        weighed,
        key=lambda each: (
            -each.support,
            each.reading.candidate.evidence.rank,
            each.reading.candidate.evidence.passage.chunk_id,
            each.reading.candidate.start,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998) that knows when to stop."""

    limit: int
    relative_support: float
    """A further statement must keep this share of the best one's support."""
    duplicate_overlap: float
    """Shared terms over all terms, or cosine, from which two statements say the same."""
    redundancy_weight: float
    """Support taken from a statement for each unit of likeness to those already chosen."""

    def __call__(self, ranked: Sequence[Weighed]) -> list[Weighed]:
        """Choose from statements that are ranked best first; the result is ranked too."""
        if not ranked:
            return []
        floor = ranked[0].support * self.relative_support
        chosen, left = [ranked[0]], [each for each in ranked[1:] if each.support >= floor]
        while left and len(chosen) < self.limit:
            likeness = [max(_likeness(each, other) for other in chosen) for each in left]
            worth = [
                each.support - self.redundancy_weight * alike
                for each, alike in zip(left, likeness, strict=True)
            ]
            best = max(range(len(left)), key=lambda each: (worth[each], -each))
            if likeness[best] < self.duplicate_overlap and worth[best] > 0:
                chosen.append(left[best])
            del left[best]
        return by_strength(chosen)


def _likeness(one: Weighed, other: Weighed) -> float:
    first, second = one.reading.terms, other.reading.terms
    overlap = len(first & second) / max(1, len(first | second))
    if one.vector is None or other.vector is None:
        return overlap
    return max(overlap, float(np.dot(one.vector, other.vector)))
