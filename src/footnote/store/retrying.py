"""Puts failed documents back on the queue."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from footnote.domain import Document
from footnote.errors import NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.document_rows import document_of
from footnote.store.queue import enqueue_ingestion
from footnote.store.statements import load_statements

_SQL = load_statements("retrying")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A document and where the bytes of its latest version lie."""

    document: Document
    blob_key: str
    """Empty when they were never taken in."""


async def look(scope: WorkspaceScope, document_id: UUID) -> Known:
    """The document as it stands. Raises NotFound for an absent, foreign or hidden one alike."""
    row = await (
        await scope.connection.execute(
            _SQL["look"], {"workspace_id": scope.workspace_id, "document_id": document_id}
        )
    ).fetchone()
    if row is None:
        raise NotFound(f"there is no document {document_id}")
    return Known(document=document_of(row), blob_key=row["blob_key"])


async def requeue(
    scope: WorkspaceScope, document: Document, media_type: str | None = None
) -> Document:
    """Have the failed version ingested once more, its attempts counted anew.

    Returns the document as it stands if it is not failed any more.
    """
    parameters = {
        "workspace_id": scope.workspace_id,
        "document_id": document.document_id,
        "version": document.version,
        "media_type": media_type,
    }
    # Before the change: publications and deletions lock in this order too.
    await scope.connection.execute(_SQL["announce"], parameters)
    row = await (await scope.connection.execute(_SQL["requeue"], parameters)).fetchone()
    if row is None:
        return (await look(scope, document.document_id)).document
    await enqueue_ingestion(scope, document.document_id, document.version)
    return document_of(row)
