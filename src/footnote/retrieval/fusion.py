"""Fuses the dense and the lexical ranking into one, and a third one where a plan wants it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from footnote.domain import FusionName, Hit, Ranking, Recall
from footnote.retrieval.trust import Signals, TrustModel

RRF_K = 60  # Cormack et al. 2009; insensitive between 20 and 100.
GRAPH_SHARE = 0.1
"""Of a score, what the recall by entities decides. Measured with `bench/entity_recall.py`."""
BLEND_ALPHA = 0.7  # The share of the dense recall where nothing is known of the query.


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalls:
    """Both recalls of one query, completed."""

    dense: Ranking
    lexical: Ranking
    similarities: Mapping[int, float]
    """Cosine of every chunk of either ranking, as far as it has a vector."""
    bm25: Mapping[int, float]
    """BM25 of every chunk of either ranking; 0 where no term matches."""
    signals: Signals


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """One ranking, and what each recall gave to each of its scores."""

    ranking: Ranking
    parts: Mapping[int, Mapping[Recall, float]]
    """For each chunk, parts that add up to its score."""
    dense_weight: float
    """The share of the dense recall, 0…1."""


class Fusion(Protocol):
    """From two rankings to one."""

    @property
    def name(self) -> FusionName:
        """What settings and explanations call it."""
        ...

    def __call__(self, recalls: Recalls) -> Fused:
        """Every hit of a recall it trusts, by falling score, ties by chunk number."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ReciprocalRankFusion:
    """Fuse by position alone (Cormack, Clarke and Büttcher, SIGIR 2009).

    score(c) = Σ_recalls weight / (k + rank(c)); a recall that lacks c contributes nothing.
    """

    name: FusionName = "rrf"
    k: int = RRF_K
    weights: Mapping[Recall, float] = field(default_factory=lambda: {"dense": 1.0, "lexical": 1.0})

    def __call__(self, recalls: Recalls) -> Fused:
        """Fuse the two rankings; their scores are not looked at."""
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

    A cosine and a BM25 both have a natural zero, a chunk that is not about the query at all, so
    dividing by the best is enough to compare them. Stretching each list between its worst and
    its best instead would make the blend depend on how long the lists are: what is last of a
    hundred would count as nothing, however near it is.
    """

    name: FusionName = "weighted_blend"
    alpha: float = BLEND_ALPHA

    def __call__(self, recalls: Recalls) -> Fused:
        """Blend the completed scores of every chunk of either ranking."""
        return blend(recalls, self.alpha)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveFusion:
    """The weighted blend whose α is what this query's signals say the dense recall deserves.

    A lane that does not know the language gets less, and less still where its model cannot even
    read the script; so does any lane when the words of the query are found together, or stand
    out where they are found. With one recall empty, the other is taken as it is.
    """

    name: FusionName = "adaptive"
    trust: TrustModel = field(default_factory=TrustModel)

    def __call__(self, recalls: Recalls) -> Fused:
        """Blend with the trust that was estimated for this query."""
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
    """The ranking with a third recall, which adds what neither of the others found.

    Reciprocal ranks are added where fusion adds them; else the new recall decides `GRAPH_SHARE` of
    a score, divided by the best of it. Parts still add up to their score.
    """
    if not graph:
        return fused
    if isinstance(fusion, ReciprocalRankFusion):
        left = 1.0
        gained = {hit.chunk_no: 1 / (fusion.k + rank) for rank, hit in enumerate(graph, start=1)}
    else:
        left, best = 1 - GRAPH_SHARE, fused.ranking[0].score if fused.ranking else 1.0
        gained = {
            hit.chunk_no: GRAPH_SHARE * best * _share(hit.score, graph[0].score) for hit in graph
        }
    parts: dict[int, dict[Recall, float]] = {
        number: {recall: left * part for recall, part in each.items()}
        for number, each in fused.parts.items()
    }
    scores = {hit.chunk_no: left * hit.score for hit in fused.ranking}
    for number, part in gained.items():
        parts.setdefault(number, {})["graph"] = part
        scores[number] = scores.get(number, 0.0) + part
    return Fused(ranking=rank_by_score(scores), parts=parts, dense_weight=fused.dense_weight)


def _share(score: float, best: float) -> float:
    return max(score, 0.0) / best if best > 0 else 0.0


def _fused(parts: Mapping[int, Mapping[Recall, float]], dense_weight: float) -> Fused:
    scores = {
        number: each.get("dense", 0.0) + each.get("lexical", 0.0) for number, each in parts.items()
    }
    return Fused(ranking=rank_by_score(scores), parts=parts, dense_weight=dense_weight)


def rank_by_score(scores: Mapping[int, float]) -> Ranking:
    """A ranking from scores, ties by chunk number."""
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Hit(chunk_no=number, score=score) for number, score in ordered)


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionChoices:
    """The knobs of every fusion."""

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
