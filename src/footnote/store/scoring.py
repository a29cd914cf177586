"""Scores chunks by words, beside other work where that takes long."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from footnote.index.bm25 import LexicalResult, inverse_frequency, score
from footnote.index.ranges import ChunkRanges
from footnote.store.index_cache import IndexState, Posting

_POSTINGS_WORTH_A_THREAD = 200_000
"""Below about a millisecond of scoring, handing over to a thread costs more than it frees."""


async def scored(
    state: IndexState, visible: ChunkRanges, postings: Mapping[int, Posting], limit: int
) -> LexicalResult:
    """The best of the visible chunks by exact BM25."""

    def work() -> LexicalResult:
        return score(postings, state.corpus, state.dead, visible, limit)

    if sum(numbers.size for numbers, _ in postings.values()) < _POSTINGS_WORTH_A_THREAD:
        return work()
    return await asyncio.to_thread(work)


def rarity(state: IndexState, posting: Posting) -> float:
    """The idf of a term over the live chunks."""
    numbers, _ = posting
    live = numbers.size - state.dead.count_of_rising(numbers)
    return inverse_frequency(state.corpus.live_chunks, live)
