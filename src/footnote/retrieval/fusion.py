"""Fuses the dense and the lexical ranking into one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from footnote.domain import Hit, Ranking, Recall

RRF_K = 60  # Cormack et al. 2009; insensitive between 20 and 100.


class Fusion(Protocol):
    """From two rankings to one."""

    @property
    def name(self) -> str:
        """What settings and explanations call it."""
        ...

    def __call__(self, recalls: Mapping[Recall, Ranking]) -> Ranking:
        """Every hit of a recall it trusts, by falling score, ties by chunk number."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReciprocalRankFusion:
    """Fuse by position alone (Cormack, Clarke and Büttcher, SIGIR 2009).

    score(c) = Σ_recalls weight / (k + rank(c)); a recall that lacks c contributes nothing.
    """

    name: str = "rrf"
    k: int = RRF_K
    weights: Mapping[Recall, float] = field(default_factory=lambda: {"dense": 1.0, "lexical": 1.0})

    def __call__(self, recalls: Mapping[Recall, Ranking]) -> Ranking:
        """Fuse the recalls; the order they are given in does not matter."""
        scores: dict[int, float] = {}
        for recall in sorted(recalls):
            for rank, hit in enumerate(recalls[recall], start=1):
                gained = self.weights[recall] / (self.k + rank)
                scores[hit.chunk_no] = scores.get(hit.chunk_no, 0.0) + gained
        return rank_by_score(scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleRecall:
    """Take one recall as it is."""

    name: str
    recall: Recall

    def __call__(self, recalls: Mapping[Recall, Ranking]) -> Ranking:
        """The chosen recall's ranking."""
        return recalls.get(self.recall, ())


def rank_by_score(scores: Mapping[int, float]) -> Ranking:
    """A ranking from scores, ties by chunk number."""
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Hit(chunk_no=number, score=score) for number, score in ordered)


def fusion_by_name(name: str, rrf_k: int) -> Fusion:
    """The fusion a setting names. Raises KeyError for a name settings do not admit."""
    fusions: dict[str, Fusion] = {
        "rrf": ReciprocalRankFusion(k=rrf_k),
        "dense_only": SingleRecall(name="dense_only", recall="dense"),
        "lexical_only": SingleRecall(name="lexical_only", recall="lexical"),
    }
    return fusions[name]
