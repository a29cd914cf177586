"""Lexical search: fetch posting lists, and score chunks by exact BM25."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from psycopg import AsyncCursor
from psycopg.rows import DictRow

from footnote.domain import Ranking
from footnote.index.blocks import block_numbers, contained_terms, counts_in, find_list, terms_in
from footnote.index.bm25 import (
    LexicalResult,
    Numbers,
    decode_posting,
    inverse_frequency,
    score,
    score_chunks,
)
from footnote.index.ranges import ChunkRanges
from footnote.index.segments import CHUNK_NUMBER, merge_postings
from footnote.ports import TermPostings
from footnote.store.database import WorkspaceScope
from footnote.store.index_cache import IndexCache, IndexState, Posting
from footnote.store.statements import Integers, load_statements

_SQL = load_statements("lexical")
_NOTHING_DEAD = ChunkRanges.empty()
_MANY_TERMS = 8
"""Above this many terms in a block, first test in one pass which of them it contains. So many terms
are spelling candidates, most of which do not occur."""
_POSTINGS_WORTH_A_THREAD = 200_000
"""Below about a millisecond of scoring, handing over to a thread costs more than it frees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingPostings:
    """The postings found in the cache, and the pending query for the missing terms."""

    known: Mapping[int, Posting]
    missing: tuple[int, ...]
    cursor: AsyncCursor[DictRow] | None


async def ask_postings(
    scope: WorkspaceScope, state: IndexState, cache: IndexCache, terms: Iterable[int]
) -> PendingPostings:
    """Send the query for the terms' posting lists without waiting for its result."""
    cached: dict[int, Posting] = {}
    missing = []
    for term in terms:
        posting = cache.posting(scope.workspace_id, term, state.segments)
        if posting is None:
            missing.append(term)
        else:
            cached[term] = posting
    cursor = await _ask_lists(scope, missing) if missing else None
    return PendingPostings(known=cached, missing=tuple(missing), cursor=cursor)


async def read_postings(
    scope: WorkspaceScope, state: IndexState, cache: IndexCache, pending: PendingPostings
) -> dict[int, Posting]:
    """Return each term's postings, merged over all segments, dead chunks included."""
    postings = dict(pending.known)
    if pending.cursor is None:
        return postings
    pieces = await _read_lists(pending.cursor, pending.missing)
    for term in pending.missing:
        posting = decode_posting(*merge_postings(pieces.get(term, ()), _NOTHING_DEAD))
        cache.keep_posting(scope.workspace_id, term, state.segments, posting)
        postings[term] = posting
    return postings


async def load_lists(
    scope: WorkspaceScope, terms: Collection[int]
) -> dict[int, list[tuple[bytes, bytes]]]:
    """Load the posting lists of each term, one per segment that has it, by ascending segment."""
    return await _read_lists(await _ask_lists(scope, terms), terms)


async def count_lists(scope: WorkspaceScope, terms: Collection[int]) -> Counter[int]:
    """Count the chunks that contain each term, dead ones included."""
    counts: Counter[int] = Counter()
    sorted_terms = sorted(set(terms))
    for row in await (await _ask_lists(scope, terms)).fetchall():
        if row["frequencies"] is not None:
            counts[row["block"]] += len(row["lists"]) // CHUNK_NUMBER.itemsize
            continue
        counts.update(counts_in(row["lists"], terms_in(row["block"], sorted_terms)))
    return counts


async def find_holders(
    scope: WorkspaceScope,
    state: IndexState,
    cache: IndexCache,
    terms: Sequence[int],
    *,
    allowed: ChunkRanges,
    limit: int,
) -> dict[int, TermPostings]:
    """Return, for each term, how many allowed chunks contain it, and the `limit` lowest numbers.

    Terms without such a chunk are left out. The fetched lists are not cached, since these terms are
    spelling candidates and most of them occur in no chunk.
    """
    lists: dict[int, list[Numbers]] = {}
    missing = []
    for term in terms:
        posting = cache.posting(scope.workspace_id, term, state.segments)
        if posting is None:
            missing.append(term)
        else:
            lists[term] = [posting[0]]
    if missing:
        for term, stored in (await load_lists(scope, missing)).items():
            lists[term] = [np.frombuffer(numbers, CHUNK_NUMBER) for numbers, _ in stored]
    holders: dict[int, TermPostings] = {}
    for term, pieces in lists.items():
        allowed_lists = [numbers[allowed.mask_of_rising(numbers)] for numbers in pieces]
        first = sorted(number for numbers in allowed_lists for number in numbers[:limit].tolist())[
            :limit
        ]
        if count := sum(numbers.size for numbers in allowed_lists):
            holders[term] = TermPostings(count=count, first=tuple(first))
    return holders


async def _ask_lists(scope: WorkspaceScope, terms: Collection[int]) -> AsyncCursor[DictRow]:
    parameters = {
        "blocks": Integers(block_numbers(terms)),
        "terms": Integers(np.array(list(terms))),
    }
    return await scope.execute(_SQL["postings"], parameters, binary=True)


async def _read_lists(
    cursor: AsyncCursor[DictRow], terms: Iterable[int]
) -> dict[int, list[tuple[bytes, bytes]]]:
    sorted_terms = sorted(set(terms))
    lists: defaultdict[int, list[tuple[bytes, bytes]]] = defaultdict(list)
    for row in await cursor.fetchall():
        if row["frequencies"] is not None:
            lists[row["block"]].append((row["lists"], row["frequencies"]))
            continue
        block_terms = terms_in(row["block"], sorted_terms)
        if len(block_terms) > _MANY_TERMS:
            block_terms = contained_terms(row["lists"], block_terms)
        for term in block_terms:
            if (stored := find_list(row["lists"], term)) is not None:
                lists[term].append(stored)
    return dict(lists)


async def rank_by_bm25(
    state: IndexState, visible: ChunkRanges, postings: Mapping[int, Posting], limit: int
) -> LexicalResult:
    """Rank the best of the visible chunks by exact BM25, in a thread where that takes long."""
    work = partial(score, postings, state.corpus, state.dead, visible, limit)
    if sum(numbers.size for numbers, _ in postings.values()) < _POSTINGS_WORTH_A_THREAD:
        return work()
    return await asyncio.to_thread(work)


def live_idf(state: IndexState, posting: Posting) -> float:
    """Compute the idf of a term over the live chunks."""
    numbers, _ = posting
    live = numbers.size - state.dead.count_of_rising(numbers)
    return inverse_frequency(state.corpus.live_chunks, live)


def complete_bm25(
    state: IndexState, postings: Mapping[int, Posting], dense: Ranking, lexical: Ranking
) -> Mapping[int, float]:
    """Score every chunk of either ranking that holds a term of the query, by chunk number."""
    lexical_scores = scores_of(lexical)
    missing = sorted(hit.chunk_no for hit in dense if hit.chunk_no not in lexical_scores)
    numbers = np.array(missing, dtype=np.int32)
    scores = score_chunks(postings, state.corpus, state.dead, numbers).tolist()
    return lexical_scores | {
        number: bm25 for number, bm25 in zip(missing, scores, strict=True) if bm25
    }


def scores_of(ranking: Ranking) -> dict[int, float]:
    """Give the scores of a ranking by chunk number."""
    return {hit.chunk_no: hit.score for hit in ranking}


def merge_rankings(ranking: Ranking, other: Ranking) -> Ranking:
    """Merge two rankings without duplicates; a hit has the same score in both."""
    hits = {hit.chunk_no: hit for hit in (*other, *ranking)}
    return tuple(sorted(hits.values(), key=lambda hit: (-hit.score, hit.chunk_no)))
