"""Reorder evidence for diversity, within a bound on the loss of score.

Every strategy chooses under the same bound: at each step it may take only a candidate whose score
is no more than a margin below the best one left. The margin is a share of the spread between the
best score and that of the candidate at twice the number wanted, the neighbourhood of the cut. A
bound of this kind means the same for scores of any scale and origin (RRF sums around 0.02,
cosines, blends, rerankers' logits), and does not move when recall brings a longer tail.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol
from uuid import UUID

import numpy as np

from footnote.domain import Evidence, MetadataValue, StageRecord
from footnote.ports import Vector

MARGIN = 0.15
"""Measured on XQuAD with its articles as documents, over RRF and over a blend: at this margin
turns cost 0.2 points of nDCG@10 and bring a tenth to a quarter more articles into the ten best;
without a bound they cost 2 to 3 points."""

CANDIDATES_PER_RESULT = 2  # The spread is measured over so many candidates per result.

_Detail = dict[str, MetadataValue]
_Prefer = Callable[[Sequence[int]], tuple[int, _Detail]]
"""Chooses the next of the eligible candidates' indices, with the details for its record."""


class Diversify(Protocol):
    """Selects and reorders evidence.

    Law: with `bound = score_bound(scores, top_k, margin)`, evidence whose score is more than the
    bound above another's stands before it, and is not left out in its favour.

    The score of evidence that others went past falls to theirs, its `penalty`, which is never
    larger than the bound (but for rounding): the scores that are handed out give the order.
    """

    @property
    def name(self) -> str:
        """Its name in settings and explanations."""
        ...

    @property
    def needs_vectors(self) -> bool:
        """Whether it uses the vectors."""
        ...

    def __call__(
        self, evidence: Sequence[Evidence], top_k: int, vectors: Mapping[int, Vector], /
    ) -> tuple[Evidence, ...]:
        """At most `top_k` evidence, given scores of one scale and vectors by chunk number."""
        ...


def score_bound(scores: Sequence[float], top_k: int, margin: float) -> float:
    """Return how far a score may be below the best remaining one and still be taken before it.

    `margin` is a share, 0…∞, of the spread of the best `2 * top_k` of the falling scores.
    """
    if math.isinf(margin):
        return math.inf
    best_scores = scores[: CANDIDATES_PER_RESULT * max(top_k, 1)]
    return margin * (best_scores[0] - best_scores[-1]) if best_scores else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDiversity:
    """Keep the order by score."""

    name: ClassVar[str] = "none"
    needs_vectors: ClassVar[bool] = False

    def __call__(
        self, evidence: Sequence[Evidence], top_k: int, _: Mapping[int, Vector], /
    ) -> tuple[Evidence, ...]:
        """Return the best `top_k`; no record is added, since nothing was reordered."""
        best = _by_score(evidence)[:top_k]
        return tuple(replace(item, rank=rank) for rank, item in enumerate(best, start=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin:
    """Alternate between documents, in the order of their best passages.

    A document's first `min_per_document` passages may use the whole margin, and its n-th passage
    beyond them `min_per_document / n` of it. With an infinite margin the documents alternate
    whatever the scores, and the minimum has no effect.
    """

    min_per_document: int = 2
    margin: float = MARGIN

    name: ClassVar[str] = "round_robin"
    needs_vectors: ClassVar[bool] = False

    def __call__(
        self, evidence: Sequence[Evidence], top_k: int, _: Mapping[int, Vector], /
    ) -> tuple[Evidence, ...]:
        """Return at most `top_k` evidence, alternating between documents within the bound."""
        candidates = _by_score(evidence)
        turns, document_ranks = _turns(candidates)
        bound = score_bound([item.score for item in candidates], top_k, self.margin)
        bounds = [bound * min(1.0, self.min_per_document / turn) for turn in turns]

        def prefer(eligible: Sequence[int]) -> tuple[int, _Detail]:
            chosen = min(eligible, key=lambda index: (turns[index], document_ranks[index]))
            return chosen, {"document_turn": turns[chosen]}

        return _select_greedily(candidates, bounds, top_k, prefer, self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class MaximalMarginalRelevance:
    """Prefer what is relevant and unlike what was selected (Carbonell and Goldstein, SIGIR 1998).

    marginal(c) = (1 - diversity) · relevance(c) - diversity · max over the taken of cosine(c, t);
    their λ is `1 - diversity`. Relevance is the score with the spread that the bound is measured
    by as its unit, so that it and a cosine are of one size. A passage without a vector, and one
    at an obtuse angle, resembles nothing.
    """

    diversity: float = 0.3
    margin: float = MARGIN

    name: ClassVar[str] = "mmr"
    needs_vectors: ClassVar[bool] = True

    def __call__(
        self, evidence: Sequence[Evidence], top_k: int, vectors: Mapping[int, Vector], /
    ) -> tuple[Evidence, ...]:
        """Return at most `top_k` evidence, each dissimilar to the previous ones within the
        bound."""
        candidates = _by_score(evidence)
        scores = [item.score for item in candidates]
        bound = score_bound(scores, top_k, self.margin)
        # Scores relative to the last candidate within the spread, in units of the spread.
        spread = score_bound(scores, top_k, 1.0)
        if spread == 0:
            relevance = np.zeros(len(scores))
        else:
            relevance = (np.asarray(scores, dtype=np.float64) - scores[0]) / spread + 1.0
        # The candidates' vectors, shape (n, dimensions); zeros where there is none.
        dimensions = next((vector.size for vector in vectors.values()), 0)
        rows = np.zeros((len(candidates), dimensions), dtype=np.float32)
        for index, item in enumerate(candidates):
            if item.passage.chunk_no in vectors:
                rows[index] = vectors[item.passage.chunk_no]
        redundancy = np.zeros(len(candidates))

        def prefer(eligible: Sequence[int]) -> tuple[int, _Detail]:
            marginal = (1 - self.diversity) * relevance - self.diversity * redundancy
            chosen = eligible[int(np.argmax(marginal[eligible]))]
            detail: _Detail = {
                "relevance": float(relevance[chosen]),
                "redundancy": float(redundancy[chosen]),
                "marginal_relevance": float(marginal[chosen]),
            }
            np.maximum(redundancy, rows @ rows[chosen], out=redundancy)
            return chosen, detail

        return _select_greedily(candidates, [bound] * len(candidates), top_k, prefer, self.name)


def diversity_by_name(
    name: str, *, min_per_document: int, diversity: float, margin: float
) -> Diversify:
    """Return the strategy of this name. Raises KeyError for an unknown name."""
    strategies: dict[str, Diversify] = {
        "round_robin": RoundRobin(min_per_document=min_per_document, margin=margin),
        "mmr": MaximalMarginalRelevance(diversity=diversity, margin=margin),
        "none": NoDiversity(),
    }
    return strategies[name]


def _by_score(evidence: Sequence[Evidence]) -> list[Evidence]:
    return sorted(evidence, key=lambda item: (-item.score, item.passage.chunk_no))


def _turns(candidates: Sequence[Evidence]) -> tuple[list[int], list[int]]:
    """Return each candidate's ordinal within its document, from 1, and its document's ordinal."""
    counts: Counter[UUID] = Counter()
    turns = []
    for item in candidates:
        counts[item.passage.document_id] += 1
        turns.append(counts[item.passage.document_id])
    document_ranks = {document: rank for rank, document in enumerate(counts)}
    return turns, [document_ranks[item.passage.document_id] for item in candidates]


def _select_greedily(
    candidates: Sequence[Evidence],
    bounds: Sequence[float],
    top_k: int,
    prefer: _Prefer,
    stage: str,
) -> tuple[Evidence, ...]:
    """Take the preferred candidate repeatedly, among those within their bound of the best
    remaining."""
    remaining = list(range(len(candidates)))
    arranged: list[Evidence] = []
    while remaining and len(arranged) < top_k:
        best = candidates[remaining[0]].score
        eligible = [index for index in remaining if best - candidates[index].score <= bounds[index]]
        chosen, detail = prefer(eligible)
        remaining.remove(chosen)
        if math.isfinite(bounds[chosen]):
            detail["bound"] = bounds[chosen]
        previous = arranged[-1] if arranged else None
        arranged.append(_placed(candidates[chosen], previous, stage, detail))
    return tuple(arranged)


def _placed(item: Evidence, previous: Evidence | None, stage: str, detail: _Detail) -> Evidence:
    """Append the evidence to the order, its score lowered where that requires it."""
    rank, score = 1, item.score
    if previous is not None:
        rank, score = previous.rank + 1, min(score, previous.score)
        if score == previous.score and item.passage.chunk_no < previous.passage.chunk_no:
            score = math.nextafter(score, -math.inf)  # Equal scores stand by chunk number.
    record = StageRecord(
        stage=stage,
        rank_before=item.rank,
        rank_after=rank,
        score_before=item.score,
        score_after=score,
        detail={**detail, "penalty": item.score - score},
    )
    return replace(item, rank=rank, score=score, explanation=(*item.explanation, record))
