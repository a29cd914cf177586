"""Fuses the dense and the lexical ranking into one, and a third one where a plan wants it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from footnote.domain import FusionName, Hit, Ranking, Recall
from footnote.retrieval.recall_weighting import Signals, TrustModel

RRF_K = 60  # Cormack et al. 2009; insensitive between 20 and 100.
GRAPH_SHARE = 0.1
"""Share of a score that the recall by entities decides. Measured with `bench/entity_recall.py`."""
BLEND_ALPHA = 0.7  # Weight of the dense recall without signals of the query.


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalls:
    """Both rankings of one query, with the scores that either lacks."""

    dense: Ranking
    lexical: Ranking
    similarities: Mapping[int, float]
    """Cosine of every chunk of either ranking that has a vector."""
    bm25: Mapping[int, float]
    """BM25 of every chunk of either ranking; 0 where no term matches."""
    signals: Signals


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """A fused ranking, with each recall's contribution to each score."""

    ranking: Ranking
    parts: Mapping[int, Mapping[Recall, float]]
    """For each chunk, parts that add up to its score."""
    dense_weight: float
    """The share of the dense recall, 0…1."""


class Fusion(Protocol):
    """Fuses two rankings into one."""

    @property
    def name(self) -> FusionName:
        """Its name in settings and explanations."""
        ...

    def __call__(self, recalls: Recalls) -> Fused:
        """Rank every hit of the recalls it uses by falling score, ties by chunk number."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReciprocalRankFusion:
    """Fuse by rank alone (Cormack, Clarke and Büttcher, SIGIR 2009).

    score(c) = Σ_recalls weight / (k + rank(c)); a recall that lacks c contributes nothing.
    """

    name: FusionName = "rrf"
    k: int = RRF_K
    weights: Mapping[Recall, float] = field(default_factory=lambda: {"dense": 1.0, "lexical": 1.0})

    def __call__(self, recalls: Recalls) -> Fused:
        """Fuse the two rankings; their scores are ignored."""
        rankings: dict[Recall, Ranking] = {"dense": recalls.dense, "lexical": recalls.lexical}
        parts: dict[int, dict[Recall, float]] = {}
        for recall, ranking in rankings.items():
            for rank, hit in enumerate(ranking, start=1):
                parts.setdefault(hit.chunk_no, {})[recall] = self.weights[recall] / (self.k + rank)
        total = sum(self.weights.values())
        return _fused(parts, self.weights["dense"] / total if total else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedBlend:
    """Fuse by score: α · dense + (1 - α) · lexical, each divided by the best of its recall.

    A cosine and a BM25 score both have a natural zero, a chunk that is not about the query at all,
    so dividing by the best makes them comparable. Min-max scaling would make the blend depend on
    the length of the lists: the last of a hundred would count as 0, however similar it is.
    """

    name: FusionName = "weighted_blend"
    alpha: float = BLEND_ALPHA

    def __call__(self, recalls: Recalls) -> Fused:
        """Blend the completed scores of every chunk of either ranking."""
        return blend(recalls, self.alpha)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveFusion:
    """A weighted blend whose α is predicted from the query's signals.

    The dense recall weighs less for a lane that does not know the language, and less still if its
    model cannot read the script; also if the query's words are found together, or if the best
    lexical score stands out. If one recall is empty, the other is taken as it is.
    """

    name: FusionName = "adaptive"
    trust: TrustModel = field(default_factory=TrustModel)

    def __call__(self, recalls: Recalls) -> Fused:
        """Blend with the weight predicted for this query."""
        if not recalls.lexical or not recalls.dense:
            return blend(recalls, 1.0 if recalls.dense else 0.0)
        return blend(recalls, self.trust(recalls.signals))


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleRecall:
    """Take one recall as it is."""

    name: FusionName
    recall: Recall

    def __call__(self, recalls: Recalls) -> Fused:
        """The chosen recall's ranking."""
        ranking = recalls.dense if self.recall == "dense" else recalls.lexical
        return Fused(
            ranking=ranking,
            parts={hit.chunk_no: {self.recall: hit.score} for hit in ranking},
            dense_weight=float(self.recall == "dense"),
        )


def blend(recalls: Recalls, alpha: float) -> Fused:
    """α · cosine / best cosine + (1 - α) · BM25 / best BM25; a negative cosine counts as 0."""
    best_similarity = max(recalls.dense[0].score, 0.0) if recalls.dense else 0.0
    best_bm25 = recalls.lexical[0].score if recalls.lexical else 0.0
    numbers = dict.fromkeys(hit.chunk_no for hit in (*recalls.dense, *recalls.lexical))
    return _fused(
        {
            number: {
                "dense": alpha * _share(recalls.similarities.get(number, 0.0), best_similarity),
                "lexical": (1 - alpha) * _share(recalls.bm25.get(number, 0.0), best_bm25),
            }
            for number in numbers
        },
        alpha,
    )


def with_graph(fused: Fused, graph: Ranking, fusion: Fusion) -> Fused:
    """Add the recall by entities to a fused ranking.

    With reciprocal rank fusion its reciprocal ranks are added; otherwise it decides `GRAPH_SHARE`
    of a score, after division by its best one. Parts still add up to their score.
    """
    if not graph:
        return fused
    if isinstance(fusion, ReciprocalRankFusion):
        remaining_share = 1.0
        contributions = {
            hit.chunk_no: 1 / (fusion.k + rank) for rank, hit in enumerate(graph, start=1)
        }
    else:
        remaining_share, best = 1 - GRAPH_SHARE, fused.ranking[0].score if fused.ranking else 1.0
        contributions = {
            hit.chunk_no: GRAPH_SHARE * best * _share(hit.score, graph[0].score) for hit in graph
        }
    parts: dict[int, dict[Recall, float]] = {
        number: {recall: remaining_share * part for recall, part in recall_parts.items()}
        for number, recall_parts in fused.parts.items()
    }
    scores = {hit.chunk_no: remaining_share * hit.score for hit in fused.ranking}
    for number, part in contributions.items():
        parts.setdefault(number, {})["graph"] = part
        scores[number] = scores.get(number, 0.0) + part
    return Fused(ranking=rank_by_score(scores), parts=parts, dense_weight=fused.dense_weight)


def _share(score: float, best: float) -> float:
    return max(score, 0.0) / best if best > 0 else 0.0


def _fused(parts: Mapping[int, Mapping[Recall, float]], dense_weight: float) -> Fused:
    scores = {
        number: recall_parts.get("dense", 0.0) + recall_parts.get("lexical", 0.0)
        for number, recall_parts in parts.items()
    }
    return Fused(ranking=rank_by_score(scores), parts=parts, dense_weight=dense_weight)


def rank_by_score(scores: Mapping[int, float]) -> Ranking:
    """Rank chunks by falling score, ties by chunk number."""
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Hit(chunk_no=number, score=score) for number, score in ordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionChoices:
    """The parameters of all fusions."""

    rrf_k: int = RRF_K
    dense_weight: float = 1.0
    lexical_weight: float = 1.0
    alpha: float = BLEND_ALPHA

    def named(self, name: FusionName) -> Fusion:
        """The fusion of that name."""
        fusions: dict[FusionName, Fusion] = {
            "adaptive": AdaptiveFusion(),
            "rrf": ReciprocalRankFusion(
                k=self.rrf_k,
                weights={"dense": self.dense_weight, "lexical": self.lexical_weight},
            ),
            "weighted_blend": WeightedBlend(alpha=self.alpha),
            "dense_only": SingleRecall(name="dense_only", recall="dense"),
            "lexical_only": SingleRecall(name="lexical_only", recall="lexical"),
        }
        return fusions[name]
