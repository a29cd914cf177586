"""Fetches the posting lists of a query's terms, those that are not in memory already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from psycopg import AsyncCursor
from psycopg.rows import DictRow

from footnote.index.bm25 import Numbers, decode_posting
from footnote.index.ranges import ChunkRanges
from footnote.index.segments import CHUNK_NUMBER, merge_postings
from footnote.ports import Holders
from footnote.store.database import WorkspaceScope
from footnote.store.index_cache import IndexCache, IndexState, Posting
from footnote.store.statements import load_statements

_SQL = load_statements("recall") | load_statements("narrowing")
_NOTHING_DEAD = ChunkRanges.empty()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPostings:
    """What was in memory, and the question about the rest."""

    known: Mapping[int, Posting]
    missing: tuple[int, ...]
    cursor: AsyncCursor[DictRow] | None


async def ask_postings(
    scope: WorkspaceScope, state: IndexState, cache: IndexCache, terms: Iterable[int]
) -> AskedPostings:
    """Send for the terms' posting lists without waiting for them."""
    known: dict[int, Posting] = {}
    missing = []
    for term in terms:
        posting = cache.posting(scope.workspace_id, term, state.segments)
        if posting is None:
            missing.append(term)
        else:
            known[term] = posting
    cursor = None
    if missing:
        cursor = await scope.connection.execute(
            _SQL["postings"], {"workspace_id": scope.workspace_id, "terms": missing}, binary=True
        )
    return AskedPostings(known=known, missing=tuple(missing), cursor=cursor)


async def read_postings(
    scope: WorkspaceScope, state: IndexState, cache: IndexCache, asked: AskedPostings
) -> dict[int, Posting]:
    """The terms' postings over all segments, dead chunks included."""
    postings = dict(asked.known)
    if asked.cursor is None:
        return postings
    pieces = defaultdict(list)
    for row in await asked.cursor.fetchall():
        pieces[row["term"]].append((row["chunk_numbers"], row["frequencies"]))
    for term in asked.missing:
        posting = decode_posting(*merge_postings(pieces[term], _NOTHING_DEAD))
        cache.keep_posting(scope.workspace_id, term, state.segments, posting)
        postings[term] = posting
    return postings


async def find_holders(
    scope: WorkspaceScope,
    state: IndexState,
    cache: IndexCache,
    terms: Sequence[int],
    *,
    allowed: ChunkRanges,
    shown: int,
) -> dict[int, Holders]:
    """The allowed chunks that hold each term, the lowest `shown` of them by number.

    What is fetched is not kept: these are guesses, and most of them are in no chunk.
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
        cursor = await scope.connection.execute(
            _SQL["holders"],
            # As text, since the driver takes a millisecond to write a thousand numbers.
            {"workspace_id": scope.workspace_id, "terms": f"{{{','.join(map(str, missing))}}}"},
            binary=True,
        )
        for row in await cursor.fetchall():
            lists.setdefault(row["term"], []).append(
                np.frombuffer(row["chunk_numbers"], CHUNK_NUMBER)
            )
    found = {term: _holders(pieces, allowed, shown) for term, pieces in lists.items()}
    return {term: holders for term, holders in found.items() if holders.count}


def _holders(lists: Sequence[Numbers], allowed: ChunkRanges, shown: int) -> Holders:
    kept = [numbers[allowed.mask_of_rising(numbers)] for numbers in lists]
    first = sorted(number for numbers in kept for number in numbers[:shown].tolist())[:shown]
    return Holders(count=sum(numbers.size for numbers in kept), first=tuple(first))
