"""Weighed statements become the few worth saying: strong, different from each other, not padded."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
    """Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998) that knows when to stop.

    A further statement must be nearly as strong as the best one, or say something about a word of
    the question that those before it left out and still be strong enough. Where the question names
    something by its number, and the best statement does, so must the others: what is said beside it
    is as likely about its neighbour.
    """

    limit: int = 4
    equal_support: float = 0.9
    """The share of the best one's support from which a statement needs no other reason."""
    relative_support: float = 0.75
    """The share it must keep when it takes up a new word of the question."""
    least_support: float = 0.25
    """Below this support nothing joins, however near it comes to a weak best one."""
    duplicate_overlap: float = 0.85
    """Shared terms over all terms, or cosine, from which two statements say the same."""
    redundancy_weight: float = 0.3
    """Support taken from a statement for each unit of likeness to those already chosen."""

    def __call__(self, ranked: Sequence[Weighed], asked: Collection[str]) -> list[Weighed]:
        """Choose from statements that are ranked best first; the result is ranked too.

        `asked` are the terms of the question, in every language of the evidence.
        """
        if not ranked:
            return []
        numbered = {term for term in asked if any(map(str.isdigit, term))}
        named = numbered & ranked[0].reading.terms
        chosen = [ranked[0]]
        left = [each for each in ranked[1:] if not named or numbered & each.reading.terms]
        open_terms = set(asked) - ranked[0].reading.terms
        while left and len(chosen) < self.limit:
            likeness = [max(_likeness(each, other) for other in chosen) for each in left]
            worth = [
                each.support - self.redundancy_weight * alike
                for each, alike in zip(left, likeness, strict=True)
            ]
            best = max(range(len(left)), key=lambda each: (worth[each], -each))
            found = left.pop(best)
            needed = self.equal_support
            if open_terms & found.reading.terms:
                needed = self.relative_support
            if (
                likeness[best] < self.duplicate_overlap
                and worth[best] > 0
                and found.support >= max(self.least_support, needed * ranked[0].support)
            ):
                chosen.append(found)
                open_terms -= found.reading.terms
        return by_strength(chosen)


def _likeness(one: Weighed, other: Weighed) -> float:
    first, second = one.reading.terms, other.reading.terms
    overlap = len(first & second) / max(1, len(first | second))
    if one.vector is None or other.vector is None:
        return overlap
    return max(overlap, float(np.dot(one.vector, other.vector)))
