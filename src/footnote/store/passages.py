"""Reads published chunks with their provenance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from psycopg import AsyncCursor
from psycopg.rows import DictRow

from footnote.domain import BlockKind, Passage, PassageContext, SourceType
from footnote.domain.stretches import seconds_of
from footnote.errors import NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.spans import span_of_row
from footnote.store.statements import load_statements

_SQL = load_statements("recall")


async def ask_passages(scope: WorkspaceScope, chunk_numbers: Sequence[int]) -> AsyncCursor[DictRow]:
    """Send for the passages of these chunk numbers without waiting for them."""
    return await scope.connection.execute(
        _SQL["passages"],
        {"workspace_id": scope.workspace_id, "numbers": list(chunk_numbers)},
    )


async def read_passages(cursor: AsyncCursor[DictRow]) -> Mapping[int, Passage]:
    """Those that are published and visible, in no order; the scope may have ended."""
    return {row["chunk_no"]: _passage(row) for row in await cursor.fetchall()}


async def load_passages(
    scope: WorkspaceScope, chunk_numbers: Sequence[int]
) -> Mapping[int, Passage]:
    """The passages of these chunk numbers that are published and visible, in no order."""
    return await read_passages(await ask_passages(scope, chunk_numbers))


async def passage_context(scope: WorkspaceScope, chunk_id: str, window: int) -> PassageContext:
    """A passage with up to `window` neighbours on each side.

    Raises NotFound for an identifier that is absent, foreign, outdated or malformed alike.
    """
    document_id, version, ordinal = _read_chunk_id(chunk_id)
    cursor = await scope.connection.execute(
        _SQL["neighbours"],
        {
            "workspace_id": scope.workspace_id,
            "document_id": document_id,
            "version": version,
            "ordinal": ordinal,
            "window": window,
        },
    )
    passages = [_passage(row) for row in await cursor.fetchall()]
    found = [passage for passage in passages if passage.ordinal == ordinal]
    if not found:
        raise _no_such_chunk(chunk_id)
    return PassageContext(
        chunk=found[0],
        context_before=tuple(each for each in passages if each.ordinal < ordinal),
        context_after=tuple(each for each in passages if each.ordinal > ordinal),
    )


def _no_such_chunk(chunk_id: str) -> NotFound:
    return NotFound(f"there is no chunk {chunk_id}")


def _chunk_id(row: DictRow) -> str:
    return f"{row['document_id']}:{row['version']}:{row['ordinal']}"


def _read_chunk_id(chunk_id: str) -> tuple[UUID, int, int]:
    try:
        document_id, version, ordinal = chunk_id.split(":")
        numbers = int(version), int(ordinal)
        identity = UUID(document_id)
    except ValueError as error:
        raise _no_such_chunk(chunk_id) from error
    if not all(0 <= number < 2**31 for number in numbers):
        raise _no_such_chunk(chunk_id)
    return identity, *numbers


def _passage(row: DictRow) -> Passage:
    spans = tuple(map(span_of_row, row["spans"]))
    start_seconds, end_seconds = seconds_of(spans)
    return Passage(
        chunk_id=_chunk_id(row),
        chunk_no=row["chunk_no"],
        document_id=row["document_id"],
        version=row["version"],
        ordinal=row["ordinal"],
        kind=BlockKind(row["kind"]),
        text=row["text"],
        body_offset=row["body_offset"],
        char_start=row["char_start"],
        char_end=row["char_end"],
        spans=spans,
        heading_path=tuple(row["heading_path"]),
        page_start=row["page_start"],
        page_end=row["page_end"],
        paragraph_start=row["paragraph_start"],
        paragraph_end=row["paragraph_end"],
        document_title=row["document_title"],
        filename=row["filename"],
        collection=row["collection"],
        source_type=SourceType(row["source_type"]),
        language=row["language"],
        parent_id=row["parent_id"],
        parent_title=row["parent_title"],
        confidence=row["confidence"],
        start_seconds=start_seconds,
        end_seconds=end_seconds,
        suspicious=row["suspicious"],
    )
