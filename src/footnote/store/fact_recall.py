"""Recall facts by vector, and by exact BM25 over their own posting lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from pgvector import HalfVector

from footnote.index.bm25 import CorpusLengths, decode_posting, score
from footnote.index.ranges import ChunkRanges
from footnote.index.segments import LENGTH
from footnote.index.terms import fresh_term_ids
from footnote.ports import Vector
from footnote.store.database import WorkspaceScope
from footnote.store.lanes import current_lane
from footnote.store.statements import load_statements
from footnote.store.workspaces import lexical_key

_SQL = load_statements("facts")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedFact:
    """A fact with its score in one ranking."""

    fact_id: UUID
    group_id: UUID
    score: float


async def nearest_facts(
    scope: WorkspaceScope, lane_name: str, vector: Vector, document_id: UUID | None, limit: int
) -> tuple[RankedFact, ...]:
    """Return the nearest facts by descending cosine similarity; none without a lane."""
    lane = await current_lane(scope, lane_name)
    if lane is None:
        return ()
    rows = await scope.all(
        _SQL["nearest"],
        {
            "lane_id": lane[0],
            "vector": HalfVector(scope.sealing.vectors(vector)),
            "document_id": document_id,
            "limit": limit,
        },
    )
    return tuple(
        RankedFact(fact_id=row["fact_id"], group_id=row["group_id"], score=float(row["similarity"]))
        for row in rows
    )


async def facts_with_words(
    scope: WorkspaceScope, terms: Sequence[str], document_id: UUID | None, limit: int
) -> tuple[RankedFact, ...]:
    """Return the facts that contain any of the terms, by descending BM25 score.

    Number and average length of facts are those of the whole workspace; the number of facts that
    contain a term counts visible ones only.
    """
    ids = fresh_term_ids(await lexical_key(scope), list(dict.fromkeys(terms)))
    if not ids:
        return ()
    rows = await scope.all(
        _SQL["postings"], {"terms": list(ids), "document_id": document_id}, binary=True
    )
    if not rows:
        return ()
    documents = sorted({row["document_id"] for row in rows})
    totals = await scope.single(_SQL["totals"])
    lengths = await scope.all(_SQL["lengths"], {"document_ids": documents}, binary=True)
    # Number the facts in one range per document, as chunks are.
    offsets: dict[UUID, int] = {}
    arrays: list[np.ndarray[tuple[int], np.dtype[np.int32]]] = []
    rejected: list[tuple[int, int]] = []
    end = 0
    for row in lengths:
        document_lengths = np.frombuffer(row["lengths"], LENGTH)
        offsets[row["document_id"]] = end
        rejected += [(end + ordinal, end + ordinal + 1) for ordinal in sorted(row["rejected"])]
        arrays.append(document_lengths)
        end += document_lengths.size
    length_of = np.concatenate(arrays) if arrays else np.zeros(0, np.int32)
    corpus = CorpusLengths(
        chunk_numbers=np.arange(end, dtype=np.int32),
        lengths=length_of,
        length_of=length_of,
        live_chunks=max(int(totals["facts"]), end),
        average_length=totals["length"] / max(1, totals["facts"]),
    )
    lists_by_term: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
    for row in sorted(rows, key=lambda row: offsets[row["document_id"]]):
        ordinals, frequencies = decode_posting(row["ordinals"], row["frequencies"])
        lists_by_term.setdefault(row["term"], []).append(
            (ordinals + offsets[row["document_id"]], frequencies)
        )
    postings = {
        term: (
            np.concatenate([numbers for numbers, _ in lists]).astype(np.int32),
            np.concatenate([frequencies for _, frequencies in lists]),
        )
        for term, lists in lists_by_term.items()
    }
    dead = ChunkRanges.from_pairs(rejected)
    ranking = score(postings, corpus, dead, None, limit).ranking
    starts = np.array([offsets[row["document_id"]] for row in lengths])
    owners = [row["document_id"] for row in lengths]
    positions = [int(np.searchsorted(starts, hit.chunk_no, side="right")) - 1 for hit in ranking]
    fact_rows = await scope.all(
        _SQL["by_ordinals"],
        {
            "document_ids": [owners[position] for position in positions],
            "ordinals": [
                hit.chunk_no - int(starts[position])
                for hit, position in zip(ranking, positions, strict=True)
            ],
        },
    )
    row_by_position = {(row["document_id"], row["ordinal"]): row for row in fact_rows}
    ranked = []
    for hit, position in zip(ranking, positions, strict=True):
        fact = row_by_position.get((owners[position], hit.chunk_no - int(starts[position])))
        if fact is not None:
            ranked.append(
                RankedFact(fact_id=fact["fact_id"], group_id=fact["group_id"], score=hit.score)
            )
    return tuple(ranked)
