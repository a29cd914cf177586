"""Turns rankings into evidence that can say why it stands where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from footnote.domain import Evidence, Hit, Passage, Ranking, Recall, StageRecord
from footnote.ports import Recalled


def evidence_from(
    fused: Ranking,
    fusion: str,
    recalled: Recalled,
    passages: Mapping[int, Passage],
    top_k: int,
) -> tuple[Evidence, ...]:
    """The best `top_k` hits that still have a passage, each with its record of every stage.

    A hit without one was deleted between recall and now.
    """
    places: dict[Recall, dict[int, tuple[int, float]]] = {
        "dense": _places(recalled.dense),
        "lexical": _places(recalled.lexical),
    }
    standing = [hit for hit in fused if hit.chunk_no in passages][:top_k]
    return tuple(
        _evidence(rank, hit, fusion, recalled, places, passages[hit.chunk_no])
        for rank, hit in enumerate(standing, start=1)
    )


def _places(ranking: Sequence[Hit]) -> dict[int, tuple[int, float]]:
    return {hit.chunk_no: (rank, hit.score) for rank, hit in enumerate(ranking, start=1)}


def _evidence(
    rank: int,
    hit: Hit,
    fusion: str,
    recalled: Recalled,
    places: Mapping[Recall, Mapping[int, tuple[int, float]]],
    passage: Passage,
) -> Evidence:
    terms = recalled.matched_terms.get(hit.chunk_no, {})
    records = []
    if hit.chunk_no in places["dense"]:
        dense_rank, similarity = places["dense"][hit.chunk_no]
        records.append(
            StageRecord(stage="dense", rank_after=dense_rank, score_after=similarity)
        )
    if hit.chunk_no in places["lexical"]:
        lexical_rank, bm25 = places["lexical"][hit.chunk_no]
        records.append(
            StageRecord(
                stage="lexical", rank_after=lexical_rank, score_after=bm25, detail=dict(terms)
            )
        )
    records.append(StageRecord(stage=fusion, rank_after=rank, score_after=hit.score))
    return Evidence(
        passage=passage,
        rank=rank,
        score=hit.score,
        similarity=places["dense"].get(hit.chunk_no, (0, None))[1],
        matched_terms=tuple(sorted(terms, key=lambda term: (-terms[term], term))),
        explanation=tuple(records),
    )
