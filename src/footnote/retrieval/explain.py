"""Turns rankings into evidence that can say why it stands where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from footnote.domain import Evidence, Hit, Passage, Ranking, StageRecord
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
    stages = _Stages(
        dense=_places(recalled.dense),
        lexical=_places(recalled.lexical),
        matched_terms=recalled.matched_terms,
        fusion=fusion,
    )
    standing = [hit for hit in fused if hit.chunk_no in passages][:top_k]
    return tuple(
        _evidence(rank, hit, passages[hit.chunk_no], stages)
        for rank, hit in enumerate(standing, start=1)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stages:
    """What each stage said, by chunk number; a place is a rank and a score."""

    dense: Mapping[int, tuple[int, float]]
    lexical: Mapping[int, tuple[int, float]]
    matched_terms: Mapping[int, Mapping[str, float]]
    fusion: str


def _places(ranking: Sequence[Hit]) -> dict[int, tuple[int, float]]:
    return {hit.chunk_no: (rank, hit.score) for rank, hit in enumerate(ranking, start=1)}


def _evidence(rank: int, hit: Hit, passage: Passage, stages: _Stages) -> Evidence:
    terms = stages.matched_terms.get(hit.chunk_no, {})
    dense = stages.dense.get(hit.chunk_no)
    lexical = stages.lexical.get(hit.chunk_no)
    records = []
    if dense is not None:
        records.append(StageRecord(stage="dense", rank_after=dense[0], score_after=dense[1]))
    if lexical is not None:
        records.append(
            StageRecord(
                stage="lexical",
                rank_after=lexical[0],
                score_after=lexical[1],
                detail=dict(terms),
            )
        )
    records.append(StageRecord(stage=stages.fusion, rank_after=rank, score_after=hit.score))
    return Evidence(
        passage=passage,
        rank=rank,
        score=hit.score,
        similarity=None if dense is None else dense[1],
        matched_terms=tuple(sorted(terms, key=lambda term: (-terms[term], term))),
        explanation=tuple(records),
    )
