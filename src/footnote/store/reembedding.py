"""Fill a lane from the texts of another, batch by batch, and delete retired lanes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Literal
from uuid import UUID

from pgvector import HalfVector
from psycopg.rows import DictRow

from footnote.domain import Lane
from footnote.ports import Vectors
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.hnsw import drop_index, index_name
from footnote.store.lanes import current_lane, require_vectors_of
from footnote.store.sealing import (
    CHUNK_TEXT,
    CONTEXT,
    HEADINGS,
    KEYWORDS,
    SUMMARY,
    TITLE,
    Sealing,
)
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("lanes")

_PURGED_TOGETHER = 20_000

Kind = Literal["chunks", "documents"]
_MISSING = {"chunks": "missing_chunks", "documents": "missing_documents"}
_COPY = {"chunks": "copy_known", "documents": "copy_known_documents"}
_INSERT = {"chunks": "insert_vector", "documents": "insert_document_vector"}
_NUMBER = {"chunks": "chunk_no", "documents": "first_chunk"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """A lane that is being filled, and the one it is filled from."""

    workspace_id: UUID
    lane_id: int
    lane: Lane
    current: int
    """Number of the lane that searches use meanwhile."""

    @property
    def parameters(self) -> dict[str, object]:
        """Parameters that all statements about it share."""
        return {"lane_id": self.lane_id, "current": self.current}


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingText:
    """A text that lacks a vector: of a chunk, or of a document, numbered by its first chunk."""

    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Usage of one batch."""

    texts_embedded: int = 0
    texts_reused: int = 0
    tokens: int = 0
    cost_usd: Decimal = Decimal(0)


async def claim_filling(
    database: Database, workspace_id: UUID, lane_id: int
) -> tuple[Filling, float | None] | None:
    """Return what to fill, and the limit of texts per second; None when it has ended."""
    async with database.workspace(workspace_id, SYSTEM) as scope:
        parameters: dict[str, object] = {"lane_id": lane_id}
        progress = await scope.one(_SQL["go_on"], parameters | asdict(Spent()))
        row = await scope.one(_SQL["lane_in_work"], parameters)
        if progress is None or row is None:
            return None
        lane = record_of(Lane, row)
        current = await current_lane(scope, lane.name)
    assert current is not None, "what is filled is filled from another"
    filling = Filling(workspace_id=workspace_id, lane_id=lane_id, lane=lane, current=current[0])
    return filling, progress["texts_per_second"]


async def reuse_or_list(
    database: Database, filling: Filling, kind: Kind, after: int, limit: int
) -> tuple[Sequence[MissingText], int | None]:
    """Return the next distinct texts without a vector, and the last number that was examined.

    Those whose text has a vector in the lane already get a copy of it. The number is None when
    there was nothing left after `after`.
    """
    parameters = filling.parameters | {"after": after, "limit": limit}
    async with database.workspace(filling.workspace_id, SYSTEM) as scope:
        rows = await scope.all(_SQL[_MISSING[kind]], parameters)
        if not rows:
            return (), None
        numbers = [int(row[_NUMBER[kind]]) for row in rows]
        await scope.execute(_SQL["lock_index"], filling.parameters)
        copied_rows = await scope.all(_SQL[_COPY[kind]], filling.parameters | {"numbers": numbers})
        reused = {int(row[_NUMBER[kind]]) for row in copied_rows}
        if reused:
            await _record_progress(scope, filling, Spent(texts_reused=len(reused)))
    distinct: dict[object, MissingText] = {}
    for number, row in zip(numbers, rows, strict=True):
        if number not in reused:
            text_of = _chunk_text if kind == "chunks" else _document_text
            text = text_of(scope.sealing, row)
            distinct.setdefault(row["text_hash"] or number, MissingText(number=number, text=text))
    return tuple(distinct.values()), numbers[-1]


async def store_batch(
    database: Database,
    filling: Filling,
    kind: Kind,
    embedded: tuple[Sequence[MissingText], Vectors],
    spent: Spent,
) -> bool:
    """Store a batch of vectors in one transaction; return False when cancelled meanwhile.

    Chunks that were deleted meanwhile get no vector. Raises LaneMismatch for vectors of other
    dimensions.
    """
    texts, vectors = embedded
    require_vectors_of(filling.lane, vectors, len(texts))
    async with database.workspace(filling.workspace_id, SYSTEM) as scope:
        vectors = await asyncio.to_thread(scope.sealing.vectors, vectors)
        # Deletions wait, so that no vector outlives its chunk.
        await scope.execute(_SQL["lock_index"], filling.parameters)
        await scope.execute_many(
            _SQL[_INSERT[kind]],
            (
                filling.parameters | {"chunk_no": text.number, "embedding": HalfVector(vector)}
                for text, vector in zip(texts, vectors, strict=True)
            ),
        )
        return await _record_progress(scope, filling, spent)


async def purge_lanes(
    database: Database, owner_url: str, workspace_id: UUID, wait: timedelta
) -> tuple[int, ...]:
    """Delete the vectors and indexes of lanes retired for longer than `wait`; return their numbers.

    Remains of an interrupted call are deleted as well.
    """
    parameters: dict[str, object] = {"wait": wait}
    purged: list[int] = []
    async with database.workspace(workspace_id, SYSTEM) as scope:
        await scope.execute(_SQL["lock_index"], parameters)
        rows = await scope.all(_SQL["purgeable"], parameters)
        for row in rows:
            lane_parameters = parameters | {"lane_id": row["lane_id"]}
            if await scope.one(_SQL["mark_purged"], lane_parameters) is not None:
                purged.append(row["lane_id"])
        prefix = index_name(workspace_id, 0).removesuffix("0")
        remaining = [
            int(row["lane_id"])
            for row in await scope.all(_SQL["purged"], parameters | {"prefix": prefix})
        ]
    for lane_id in dict.fromkeys((*purged, *remaining)):
        await drop_index(owner_url, index_name(workspace_id, lane_id))
        await _remove_vectors(database, workspace_id, lane_id)
    return tuple(purged)


async def _record_progress(scope: WorkspaceScope, filling: Filling, spent: Spent) -> bool:
    return await scope.one(_SQL["go_on"], filling.parameters | asdict(spent)) is not None


def _chunk_text(sealing: Sealing, row: DictRow) -> str:
    """Return the text that was embedded; for older rows, title, headings and text."""
    number, context = row["chunk_no"], row["context"]
    text = sealing.plain_text(CHUNK_TEXT.of(number), row["text"])
    if context is None:
        headings = sealing.plain_words(HEADINGS.of(number), row["heading_path"])
        title = sealing.plain_text(TITLE.of(row["document_id"]), row["title"])
        return "\n".join((title, *headings, text))
    context = sealing.plain_text(CONTEXT.of(number), context)
    return f"{context}\n{text}" if context else text


def _document_text(sealing: Sealing, row: DictRow) -> str:
    """Return the text that is embedded for a whole document, as ingestion writes it."""
    document_id = row["document_id"]
    parts = (
        sealing.plain_text(TITLE.of(document_id), row["title"]),
        sealing.plain_text(SUMMARY.of(document_id), row["summary"]),
        ", ".join(sealing.plain_words(KEYWORDS.of(document_id), row["keywords"])),
    )
    return "\n".join(part for part in parts if part)


async def _remove_vectors(database: Database, workspace_id: UUID, lane_id: int) -> None:
    parameters = {"lane_id": lane_id, "limit": _PURGED_TOGETHER}
    removed = _PURGED_TOGETHER
    while removed == _PURGED_TOGETHER:
        async with database.workspace(workspace_id, SYSTEM) as scope:
            removed = await scope.change(_SQL["purge_vectors"], parameters)
    async with database.workspace(workspace_id, SYSTEM) as scope:
        for step in ("purge_document_vectors", "purge_staged_vectors"):
            await scope.execute(_SQL[step], parameters)
