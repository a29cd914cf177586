"""Completes two rankings: what each recall would have said of what only the other brought."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from pgvector import HalfVector

from footnote.domain import Ranking
from footnote.index.bm25 import score_chunks
from footnote.ports import Vector
from footnote.store.database import WorkspaceScope
from footnote.store.index_cache import IndexState, Posting
from footnote.store.statements import load_statements
from footnote.store.vector_cache import HeldVectors

_SQL = load_statements("completion")


async def complete_similarities(
    scope: WorkspaceScope,
    state: IndexState,
    vector: Vector,
    dense: Ranking,
    lexical: Ranking,
    *,
    held: HeldVectors | None = None,
) -> Mapping[int, float]:
    """Cosines of every chunk of either ranking that has a vector, by chunk number."""
    known = scores_of(dense)
    missing = [hit.chunk_no for hit in lexical if hit.chunk_no not in known]
    if held is not None:
        known |= held.similarities(vector, missing)
        missing = [number for number in missing if number not in known]
    if not missing or state.lane_id is None:
        return known
    cursor = await scope.connection.execute(
        _SQL["similarities"],
        {
            "workspace_id": scope.workspace_id,
            "lane_id": state.lane_id,
            "vector": HalfVector(vector),
            "numbers": missing,
        },
        binary=True,
    )
    return known | {row["chunk_no"]: row["similarity"] for row in await cursor.fetchall()}


def complete_bm25(
    state: IndexState, postings: Mapping[int, Posting], dense: Ranking, lexical: Ranking
) -> Mapping[int, float]:
    """BM25 of every chunk of either ranking that holds a term of the query, by chunk number."""
    known = scores_of(lexical)
    missing = sorted(hit.chunk_no for hit in dense if hit.chunk_no not in known)
    numbers = np.array(missing, dtype=np.int32)
    scores = score_chunks(postings, state.corpus, state.dead, numbers).tolist()
    return known | {number: bm25 for number, bm25 in zip(missing, scores, strict=True) if bm25}


def scores_of(ranking: Ranking) -> dict[int, float]:
    """The scores of a ranking by chunk number."""
    return {hit.chunk_no: hit.score for hit in ranking}
