"""Decides which segments of a workspace to merge next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.rows import DictRow

from footnote.store.database import WorkspaceScope
from footnote.store.index_state import ranges_of
from footnote.store.statements import load_statements

_SQL = load_statements("merging")

_DEAD_SHARE = 0.3  # A segment is rewritten alone once this share of it is dead.


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentSize:
    """How large a segment is, and how much of it is dead."""

    segment_id: int
    chunk_count: int
    dead_count: int


def choose_merge(segments: Sequence[SegmentSize], fan_in: int) -> tuple[int, ...]:
    """The segments to merge next, or none.

    Size classes grow by the factor `fan_in`; the smallest class that holds `fan_in`
    segments is merged whole. A chunk is thus rewritten at most once a class, and a
    workspace of n documents keeps O(fan_in · log n) segments (log-structured merge:
    O'Neil et al., Acta Informatica 1996).
    """
    for segment in segments:
        if segment.dead_count > _DEAD_SHARE * segment.chunk_count:
            return (segment.segment_id,)
    classes: defaultdict[int, list[int]] = defaultdict(list)
    for segment in segments:
        classes[_size_class(segment.chunk_count, fan_in)].append(segment.segment_id)
    for size in sorted(classes):
        if len(classes[size]) >= fan_in:
            return tuple(classes[size])
    return ()


async def due_merge(scope: WorkspaceScope, fan_in: int) -> tuple[int, ...]:
    """The segments of the workspace to merge next, or none."""
    cursor = await scope.connection.execute(_SQL["sizes"], {"workspace_id": scope.workspace_id})
    return choose_merge([_size(row) for row in await cursor.fetchall()], fan_in)


def _size(row: DictRow) -> SegmentSize:
    return SegmentSize(
        segment_id=row["segment_id"],
        chunk_count=row["chunk_count"],
        dead_count=ranges_of(row["dead"]).count,
    )


def _size_class(chunk_count: int, fan_in: int) -> int:
    """How many times over `fan_in` smallest segments would have to be merged to be this large."""
    size, reach = 0, fan_in
    while chunk_count >= reach:
        size, reach = size + 1, reach * fan_in
    return size
