"""Reads whole documents: their bytes' place, their text, their passages; and selects documents."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from psycopg import sql
from psycopg.rows import DictRow

from footnote.domain import Condition, DocumentPage, DocumentStatus, Passage
from footnote.errors import NotFound
from footnote.store.conditions import compile_condition
from footnote.store.database import WorkspaceScope
from footnote.store.document_rows import document_of, read_cursor, write_cursor
from footnote.store.passages import read_passages
from footnote.store.statements import load_statements

_SQL = load_statements("contents")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBytes:
    """Where the bytes lie that a document was read from."""

    filename: str
    media_type: str
    blob_key: str
    """Empty for a file that was too large to be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeText:
    """The canonical text of a published document, or its beginning."""

    text: str
    characters: int
    """Of the whole of it."""


async def stored_bytes(scope: WorkspaceScope, document_id: UUID) -> StoredBytes:
    """The bytes of the published version, or of the newest before one is. Raises NotFound."""
    row = await _one(scope, "contents", document_id, 1)
    if row is None:
        raise NotFound(f"there is no document {document_id}")
    return StoredBytes(
        filename=row["filename"], media_type=row["media_type"], blob_key=row["blob_key"]
    )


async def whole_text(
    scope: WorkspaceScope, document_id: UUID, most_characters: int
) -> WholeText | None:
    """The published text, at most so much of it; None before there is one or for no document."""
    row = await _one(scope, "text", document_id, most_characters)
    if row is None or row["text"] is None:
        return None
    return WholeText(text=row["text"], characters=row["characters"])


async def passages_in_order(
    scope: WorkspaceScope, document_id: UUID, limit: int
) -> tuple[Passage, ...]:
    """The first passages of a published document in its order; none for one that has none."""
    cursor = await scope.connection.execute(
        _SQL["passages_in_order"], _parameters(scope, document_id, limit)
    )
    found = await read_passages(cursor)
    return tuple(sorted(found.values(), key=lambda each: each.ordinal))


async def select_documents(
    scope: WorkspaceScope,
    condition: Condition,
    *,
    status: DocumentStatus | None,
    limit: int,
    cursor: str | None,
) -> DocumentPage:
    """A page of the documents that meet the condition, newest first, published or not.

    Raises InvalidRequest for a cursor we did not give and a condition that makes no sense.
    """
    before, before_id = read_cursor(cursor)
    where = compile_condition(condition)
    statement = sql.SQL(_SQL["selected"]).format(condition=where.text)
    parameters = {
        "workspace_id": scope.workspace_id,
        "status": status,
        "before": before,
        "before_id": before_id,
        "limit": limit + 1,
        **where.parameters,
    }
    rows = await (await scope.connection.execute(statement, parameters)).fetchall()
    documents = tuple(document_of(row) for row in rows[:limit])
    more = len(rows) > limit
    return DocumentPage(
        documents=documents, next_cursor=write_cursor(documents[-1]) if more else None
    )


async def _one(scope: WorkspaceScope, name: str, document_id: UUID, limit: int) -> DictRow | None:
    cursor = await scope.connection.execute(_SQL[name], _parameters(scope, document_id, limit))
    return await cursor.fetchone()


def _parameters(scope: WorkspaceScope, document_id: UUID, limit: int) -> dict[str, object]:
    return {"workspace_id": scope.workspace_id, "document_id": document_id, "limit": limit}
