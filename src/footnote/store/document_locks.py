"""Locks that publications, deletions and changes of a document take, in an order without deadlocks.

First the turn of the document and of its attachments, then the workspace's index, then rows.
"""

from __future__ import annotations

from uuid import UUID

from psycopg.rows import DictRow

from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements

_SQL = load_statements("document_locks")


async def lock_document(scope: WorkspaceScope, document_id: UUID) -> None:
    """Block publications and deletions of a document; call it before locking the index."""
    await scope.execute(_SQL["take_turns"], {"document_ids": [document_id]})


async def wait_for_publications(scope: WorkspaceScope, document_id: UUID) -> None:
    """Block publications of a document and of its attachments until the transaction ends.

    Call it before locking the index and the rows, which a publication locks last.
    """
    locked: set[UUID] = set()
    # Repeat until no attachment was added while this waited.
    while family := {
        row["document_id"] for row in await scope.all(_SQL["family"], {"document_id": document_id})
    }:
        if family <= locked:
            break
        await scope.execute(_SQL["take_turns"], {"document_ids": list(family)})
        locked |= family


async def lock_family(scope: WorkspaceScope, document_id: UUID) -> list[DictRow]:
    """Lock a document and its attachments, also against inserts of rows that refer to them."""
    return await scope.all(_SQL["lock_family"], {"document_id": document_id})
