"""Merges small segments into larger ones and leaves out what is dead."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from uuid import UUID

from psycopg import Rollback
from psycopg.rows import DictRow

from footnote.index.ranges import ChunkRanges
from footnote.index.segments import CHUNK_NUMBER, merge_lengths, merge_terms
from footnote.index.terms import TERM_ID_LIMIT
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.index_state import multirange_of, ranges_of
from footnote.store.merge_policy import due_merge
from footnote.store.publishing import insert_postings
from footnote.store.statements import load_statements

_SQL = load_statements("merging")

_CHUNKS_PER_SLICE = 20_000
"""Postings are merged in slices of the term space, each of about this many chunks' lists, so
that memory does not grow with the segment."""


async def merge_once(database: Database, workspace_id: UUID, fan_in: int) -> bool:
    """Do one merge if one is due; False when there was nothing to do.

    Readers go on with the old segments until the transaction commits. Chunks that die
    meanwhile stay dead in the new segment; a source that disappears meanwhile undoes the
    merge, and the next call chooses again.
    """
    parameters: dict[str, object] = {"workspace_id": workspace_id}
    async with database.workspace(workspace_id, SYSTEM) as scope:
        await scope.connection.execute(_SQL["forget_staged"], parameters)
        chosen = await due_merge(scope, fan_in)
        if not chosen:
            return False
        reserved = await (
            await scope.connection.execute(_SQL["reserve_segment"], parameters)
        ).fetchone()
        assert reserved is not None, "a workspace with segments has an index row"
    segment_id: int = reserved["segment_id"]
    parameters |= {"segments": list(chosen), "segment_id": segment_id}
    async with database.workspace(workspace_id, SYSTEM) as scope:
        rows = await (await scope.connection.execute(_SQL["sources"], parameters)).fetchall()
        await _merge(scope, segment_id, parameters, rows)
    return True


async def purge_dead(database: Database, workspace_id: UUID) -> int:
    """Rewrite every segment that holds dead chunks without them; how many were rewritten.

    One that another process rewrites meanwhile is looked at again.
    """
    parameters: dict[str, object] = {"workspace_id": workspace_id}
    for rewritten in count():
        async with database.workspace(workspace_id, SYSTEM) as scope:
            row = await (await scope.connection.execute(_SQL["any_dead"], parameters)).fetchone()
            if row is None:
                return rewritten
            reserved = await (
                await scope.connection.execute(_SQL["reserve_segment"], parameters)
            ).fetchone()
            assert reserved is not None, "a workspace with segments has an index row"
        segment_id: int = reserved["segment_id"]
        chosen = parameters | {"segments": [row["segment_id"]], "segment_id": segment_id}
        async with database.workspace(workspace_id, SYSTEM) as scope:
            rows = await (await scope.connection.execute(_SQL["sources"], chosen)).fetchall()
            await _merge(scope, segment_id, chosen, rows)
    raise AssertionError("counting does not end")


async def _merge(
    scope: WorkspaceScope,
    segment_id: int,
    parameters: dict[str, object],
    sources: Sequence[DictRow],
) -> None:
    purged = ranges_of(piece for row in sources for piece in row["dead"])
    numbers, lengths = merge_lengths(
        [(bytes(row["chunk_numbers"]), bytes(row["lengths"])) for row in sources], purged
    )
    for low, high in term_slices(sum(row["chunk_count"] for row in sources)):
        await _merge_slice(scope, segment_id, parameters | {"low": low, "high": high}, purged)
    # From here on publications and deletions wait, so what is dead stands still.
    await scope.connection.execute(_SQL["new_generation"], parameters)
    latest = await (await scope.connection.execute(_SQL["sources"], parameters)).fetchall()
    if len(latest) != len(sources):
        raise Rollback
    dead = ranges_of(piece for row in latest for piece in row["dead"])
    if numbers:
        await scope.connection.execute(
            _SQL["insert_merged"],
            parameters
            | {
                "chunk_count": len(numbers) // CHUNK_NUMBER.itemsize,
                "chunk_numbers": numbers,
                "lengths": lengths,
                "dead": multirange_of(dead.difference(purged)),
            },
        )
    for step in ("move_documents", "delete_postings", "delete_segments"):
        await scope.connection.execute(_SQL[step], parameters)


async def _merge_slice(
    scope: WorkspaceScope, segment_id: int, parameters: dict[str, object], dead: ChunkRanges
) -> None:
    cursor = await scope.connection.execute(_SQL["postings_slice"], parameters, binary=True)
    rows = await cursor.fetchall()
    merged = await asyncio.to_thread(
        merge_terms,
        [row["term"] for row in rows],
        [(row["chunk_numbers"], row["frequencies"]) for row in rows],
        dead,
    )
    await insert_postings(scope, segment_id, merged)


def term_slices(chunk_count: int) -> Iterator[tuple[int, int]]:
    """Half-open runs of the term space; term numbers are hashes, so they hold alike much."""
    slices = chunk_count // _CHUNKS_PER_SLICE + 1
    bounds = [TERM_ID_LIMIT * step // slices for step in range(slices + 1)]
    return pairwise(bounds)
