"""Read the state of a workspace's index, and the chunks that a principal may see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from psycopg import AsyncCursor, sql
from psycopg.rows import DictRow
from psycopg.types.range import Range

from footnote.domain import Lane, SearchFilters
from footnote.errors import StoreUnavailable
from footnote.index.bm25 import corpus_lengths
from footnote.index.ranges import ChunkRanges
from footnote.index.segments import SEGMENT_FORMAT
from footnote.ports import ConfigurationChanged
from footnote.store.conditions import admitted
from footnote.store.database import WorkspaceScope, execute_as_system, workspace_gone
from footnote.store.index_cache import IndexState, View
from footnote.store.sealed_titles import titles_for
from footnote.store.statements import load_statements
from footnote.store.workspaces import existing_lane

_SQL = load_statements("index_state")
_WRITTEN_SCOPES = 64


async def load_state(scope: WorkspaceScope, lane: Lane) -> IndexState:
    """Read the index state as of this transaction.

    Raises NotFound, and LaneMismatch as `existing_lane` does.
    """
    states = await scope.execute(_SQL["state"])
    segments = await scope.execute(_SQL["segments"])
    lane_id = await existing_lane(scope, lane)
    row = await states.fetchone()
    if row is None:
        raise workspace_gone()
    rows = await segments.fetchall()
    newest = max((segment["format"] for segment in rows), default=SEGMENT_FORMAT)
    if newest > SEGMENT_FORMAT:
        raise StoreUnavailable(
            f"the index of this workspace was written by a newer Footnote, in form {newest}, and "
            f"this one reads forms up to {SEGMENT_FORMAT}",
            hint="upgrade this server",
        )
    dead = ranges_of([piece for segment in rows for piece in segment["dead"]])
    return IndexState(
        generation=row["generation"],
        lane_id=lane_id,
        hnsw=lane_id is not None and row["hnsw_lane"] == lane_id,
        lexical_key=scope.sealing.lexical_key(bytes(row["lexical_key"])),
        segments=tuple(segment["segment_id"] for segment in rows),
        corpus=corpus_lengths(
            [(bytes(segment["chunk_numbers"]), bytes(segment["lengths"])) for segment in rows], dead
        ),
        dead=dead,
        lane=lane.fingerprint,
    )


async def ask_generation(scope: WorkspaceScope) -> AsyncCursor[DictRow]:
    """Send the query for the index generation, which rises with every change searches may see."""
    return await scope.execute(_SQL["generation"])


async def read_generation(cursor: AsyncCursor[DictRow], configuration: int | None = None) -> int:
    """Read the index generation, even after the scope has ended. Raises NotFound.

    Raises ConfigurationChanged if `configuration` is not the last change of settings.
    """
    row = await cursor.fetchone()
    if row is None:
        raise workspace_gone()
    if configuration is not None and row["configuration"] != configuration:
        raise ConfigurationChanged
    generation: int = row["generation"]
    return generation


async def load_view(scope: WorkspaceScope, filters: SearchFilters) -> View:
    """Read what the principal may see under the filters.

    Raises InvalidRequest as `load_scope` does.
    """
    cursor = await scope.execute(_SQL["languages"])
    ranges = await load_scope(scope, filters)
    languages = tuple(row["language"] for row in await cursor.fetchall())
    return View(ranges=ranges, languages=languages)


async def load_scope(scope: WorkspaceScope, filters: SearchFilters) -> ChunkRanges:
    """Return the chunks that the principal may see and the filters match.

    Raises InvalidRequest for an invalid condition.
    """
    documents = admitted(filters, await titles_for(scope, filters.where))
    statement = sql.SQL(_SQL["visible"]).format(documents=documents.text)
    visible = _ranges_read(await scope.one(statement, documents.parameters))
    if not filters.evidence_types or visible.is_empty:
        return visible
    # Access is already checked; repeating row-level security per chunk takes six times as long.
    cursor = await execute_as_system(
        scope,
        _SQL["of_kinds"],
        {
            "visible": multirange_of(visible),
            "kinds": [kind.value for kind in filters.evidence_types],
        },
    )
    row = await cursor.fetchone()
    numbers = np.frombuffer((row and row["numbers"]) or b"", dtype=">i4")
    return ChunkRanges.from_rising(np.sort(numbers.astype(np.int32)))


async def load_in_languages(scope: WorkspaceScope, languages: Sequence[str]) -> ChunkRanges:
    """Return the visible chunks of documents whose stated language is one of these."""
    return _ranges_read(await scope.one(_SQL["in_languages"], {"languages": list(languages)}))


def _ranges_read(row: DictRow | None) -> ChunkRanges:
    bounds = np.frombuffer((row and row["bounds"]) or b"", dtype=">i4")
    return ChunkRanges.from_pairs(zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True))


def ranges_of(pieces: Iterable[Range[int]]) -> ChunkRanges:
    """Convert ranges of Postgres, which are half-open."""
    return ChunkRanges.from_pairs(
        (piece.lower or 0, piece.upper or 0) for piece in pieces if not piece.isempty
    )


@lru_cache(maxsize=_WRITTEN_SCOPES)
def multirange_of(ranges: ChunkRanges) -> str:
    """Write ranges as a Postgres multirange; cached, as searches reuse the same large ones."""
    return "{" + ",".join(f"[{start},{stop})" for start, stop in ranges.pairs) + "}"
