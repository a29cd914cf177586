"""Write segments of the lexical index, and merge small ones into larger without dead chunks."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from uuid import UUID

import numpy as np
from psycopg import Rollback
from psycopg.rows import DictRow

from footnote.domain.backfill import IndexFormat
from footnote.index.blocks import block_spans, pack_blocks, unpack_block
from footnote.index.ranges import ChunkRanges
from footnote.index.segments import (
    CHUNK_NUMBER,
    COUNT,
    SEGMENT_FORMAT,
    TERM,
    Postings,
    merge_lengths,
    merge_terms,
    term_parts,
)
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.index_state import multirange_of, ranges_of
from footnote.store.statements import Integers, load_statements, record_of

_SQL = load_statements("merging")

_CHUNKS_PER_SLICE = 20_000
"""Postings are merged in slices of the term space, each of at most about this many chunks' lists,
so that memory does not grow with the segment."""
_DEAD_SHARE = 0.3  # A segment is rewritten alone once this share of it is dead.


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentSize:
    """The number of chunks of a segment, and how many of them are dead."""

    segment_id: int
    chunk_count: int
    dead_count: int


def choose_merge(segments: Sequence[SegmentSize], fan_in: int) -> tuple[int, ...]:
    """Return the segments to merge next, or none.

    A segment with too large a share of dead chunks is rewritten alone. Otherwise, size classes grow
    by the factor `fan_in`, and the smallest class that has `fan_in` segments is merged whole. A
    chunk is thus rewritten at most once per class, and a workspace of n documents keeps O(fan_in ·
    log n) segments (log-structured merge: O'Neil et al., Acta Informatica 1996).
    """
    for segment in segments:
        if segment.dead_count > _DEAD_SHARE * segment.chunk_count:
            return (segment.segment_id,)
    classes: defaultdict[int, list[int]] = defaultdict(list)
    for segment in segments:
        # The size class is the logarithm of the chunk count to the base `fan_in`, rounded down.
        size, limit = 0, fan_in
        while segment.chunk_count >= limit:
            size, limit = size + 1, limit * fan_in
        classes[size].append(segment.segment_id)
    for size in sorted(classes):
        if len(classes[size]) >= fan_in:
            return tuple(classes[size])
    return ()


async def segment_formats(scope: WorkspaceScope) -> IndexFormat:
    """Count the segments of the workspace, and those stored in this version's format."""
    return record_of(IndexFormat, await scope.single(_SQL["formats"], {"format": SEGMENT_FORMAT}))


async def due_merge(scope: WorkspaceScope, fan_in: int) -> tuple[int, ...]:
    """The segments of the workspace to merge next, or none."""
    sizes = [
        record_of(SegmentSize, row, dead_count=ranges_of(row["dead"]).count)
        for row in await scope.all(_SQL["sizes"])
    ]
    return choose_merge(sizes, fan_in)


async def merge_once(database: Database, workspace_id: UUID, fan_in: int) -> bool:
    """Do one merge if one is due; return False if none was.

    Readers use the old segments until the transaction commits. Chunks deleted meanwhile stay dead
    in the new segment. If a source segment disappears meanwhile, the merge is rolled back, and the
    next call chooses again.
    """
    async with database.workspace(workspace_id, SYSTEM) as scope:
        await scope.execute(_SQL["forget_staged"])
        chosen = await due_merge(scope, fan_in)
        if not chosen:
            return False
        reserved = await scope.single(_SQL["reserve_segment"])
    async with database.workspace(workspace_id, SYSTEM) as scope:
        await _merge(scope, reserved["segment_id"], chosen)
    return True


async def purge_dead(database: Database, workspace_id: UUID) -> int:
    """Rewrite every segment that has dead chunks without them; return the number of rewrites.

    A segment that another process rewrites meanwhile is checked again.
    """
    return await _rewrite_all(database, workspace_id, "any_dead")


async def rewrite_older_formats(database: Database, workspace_id: UUID) -> int:
    """Rewrite every segment that is stored in an older format; return the number of rewrites.

    Each rewrite commits by itself, so an interrupted run resumes with the next segment.
    """
    return await _rewrite_all(database, workspace_id, "of_older_format")


async def _rewrite_all(database: Database, workspace_id: UUID, statement: str) -> int:
    for rewritten in count():
        async with database.workspace(workspace_id, SYSTEM) as scope:
            row = await scope.one(_SQL[statement], {"format": SEGMENT_FORMAT})
            if row is None:
                return rewritten
            reserved = await scope.single(_SQL["reserve_segment"])
        async with database.workspace(workspace_id, SYSTEM) as scope:
            await _merge(scope, reserved["segment_id"], [row["segment_id"]])
    raise AssertionError("counting does not end")


async def _merge(scope: WorkspaceScope, segment_id: int, chosen: Sequence[int]) -> None:
    """Write the chosen segments as one without their dead chunks, and delete them."""
    parameters: dict[str, object] = {"segments": list(chosen), "segment_id": segment_id}
    sources = await scope.all(_SQL["sources"], parameters)
    purged = ranges_of(piece for row in sources for piece in row["dead"])
    numbers, lengths = merge_lengths(
        [(bytes(row["chunk_numbers"]), bytes(row["lengths"])) for row in sources], purged
    )
    for part in term_slices(sum(row["chunk_count"] for row in sources)):
        await insert_postings(scope, segment_id, await load_postings(scope, chosen, part, purged))
    # From here on publications and deletions wait, so the set of dead chunks is stable.
    await scope.execute(_SQL["new_generation"])
    latest = await scope.all(_SQL["sources"], parameters)
    if len(latest) != len(sources):
        raise Rollback
    dead = ranges_of(piece for row in latest for piece in row["dead"])
    if numbers:
        await scope.execute(
            _SQL["insert_merged"],
            parameters
            | {
                "chunk_count": len(numbers) // CHUNK_NUMBER.itemsize,
                "chunk_numbers": numbers,
                "lengths": lengths,
                "dead": multirange_of(dead.difference(purged)),
                "format": SEGMENT_FORMAT,
            },
        )
    for step in ("move_documents", "delete_postings", "delete_segments"):
        await scope.execute(_SQL[step], parameters)


async def insert_postings(scope: WorkspaceScope, segment_id: int, postings: Postings) -> None:
    """Insert the posting lists of a segment; COPY is faster but not allowed under row-level
    security.
    """
    packed = await asyncio.to_thread(lambda: list(pack_blocks(postings)))
    sizes = np.array([len(block) for _, block in packed], dtype=np.int64)
    await scope.execute(
        _SQL["insert_blocks"],
        {
            "segment_id": segment_id,
            "blocks": Integers(np.array([number for number, _ in packed])),
            "starts": Integers(np.cumsum(sizes) - sizes),
            "sizes": Integers(sizes),
            "bytes": b"".join(block for _, block in packed),
        },
    )


async def load_postings(
    scope: WorkspaceScope, segments: Sequence[int], part: range, dead: ChunkRanges
) -> Postings:
    """Read the postings of the terms in `part` from these segments, merged, without dead chunks."""
    firsts, lasts = zip(*block_spans(part), strict=True)
    parameters = {
        "segments": list(segments),
        "firsts": list(firsts),
        "lasts": list(lasts),
        "low": part.start,
        "last": part[-1],
    }
    rows = await scope.all(_SQL["postings_slice"], parameters, binary=True)
    return await asyncio.to_thread(
        lambda: merge_terms([_postings_of(row) for row in rows], dead, part)
    )


def term_slices(chunk_count: int) -> list[range]:
    """Divide the term ids into ranges whose postings fit in memory."""
    starts = term_parts(chunk_count, _CHUNKS_PER_SLICE)
    return [range(low, low + starts.step) for low in starts]


def _postings_of(row: DictRow) -> Postings:
    """Decode a row: a block of posting lists, or one list in the first format."""
    if row["frequencies"] is None:
        return unpack_block(row["lists"])
    count = len(row["lists"]) // CHUNK_NUMBER.itemsize
    return Postings(
        terms=np.array([row["block"]], TERM).tobytes(),
        counts=np.array([count], COUNT).tobytes(),
        chunk_numbers=row["lists"],
        frequencies=row["frequencies"],
    )
