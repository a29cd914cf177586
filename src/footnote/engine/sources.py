"""Remember the entries of sources, and update documents when an entry changes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

from footnote.domain import Received, Right
from footnote.domain.identity import DEFAULT_COLLECTION
from footnote.domain.sources import KnownEntry, Offered
from footnote.engine.documents import delete_document, refuse_under_hold
from footnote.engine.receiving import clean_name
from footnote.engine.services import WorkspaceAccess
from footnote.errors import NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.documents import get_document
from footnote.store.sources import (
    forget_entry,
    move_document,
    other_references,
    registered_entries,
    remember_entry,
)
from footnote.validation.constrained_types import Name


async def source_entries(
    workspace: WorkspaceAccess, collection: Name | None, places: Sequence[str]
) -> tuple[KnownEntry, ...]:
    """List the remembered entries at and below the places. Raises InvalidRequest."""
    workspace.require(Right.WRITE, collection or DEFAULT_COLLECTION)
    async with workspace.scope() as scope:
        return await registered_entries(scope, collection or DEFAULT_COLLECTION, places)


async def remember_source_entry(
    workspace: WorkspaceAccess, collection: str | None, offered: Offered, received: Received
) -> None:
    """Remember an entry with its mark and document, so that it is not read again."""
    workspace.require(Right.WRITE, collection or DEFAULT_COLLECTION)
    async with workspace.scope() as scope:
        await remember_entry(
            scope,
            collection=collection or DEFAULT_COLLECTION,
            external_id=offered.external_id,
            mark=offered.mark,
            content_sha256=received.document.content_sha256,
            document_id=received.document.document_id,
        )


async def rename_source_entry(
    workspace: WorkspaceAccess, collection: str | None, gone: KnownEntry, external_id: str
) -> bool:
    """Rename a vanished entry's document to the external id where its bytes are now.

    Raises Forbidden unless the caller may write in the collections of entry and document.
    """
    workspace.require(Right.WRITE, collection or DEFAULT_COLLECTION)
    async with workspace.scope() as scope:
        await _require_document(workspace, scope, gone.document_id)
        moved = await move_document(
            scope, gone.document_id, gone.external_id, external_id, clean_name(external_id)
        )
        await forget_entry(scope, collection or DEFAULT_COLLECTION, gone.external_id)
    return moved


async def remove_source_entry(
    workspace: WorkspaceAccess, collection: str | None, gone: KnownEntry
) -> bool:
    """Delete the document of a vanished entry; return False if it is kept.

    If another entry has the same bytes, the document is kept under that entry's external id. A
    document received under another external id, or under none, is unchanged. The entry is
    remembered until the document is deleted. Raises Forbidden unless the caller may write in the
    collections of entry and document, NotFound and UnderLegalHold.
    """
    workspace.require(Right.WRITE, collection or DEFAULT_COLLECTION)
    async with workspace.scope() as scope:
        await _require_document(workspace, scope, gone.document_id)
        # Checked first: the entry stays, so the next scan after the hold is lifted deletes it.
        await refuse_under_hold(scope, gone.document_id)
        owner, places = await other_references(scope, gone.document_id)
        remaining = [place for place in places if place != gone.external_id]
        retained = owner != gone.external_id or bool(remaining)
        if retained:
            await forget_entry(scope, collection or DEFAULT_COLLECTION, gone.external_id)
        if owner == gone.external_id and remaining:
            await move_document(
                scope, gone.document_id, gone.external_id, remaining[0], clean_name(remaining[0])
            )
    if not retained:
        # The entry goes with its document, so a deletion that fails is repeated by the next scan.
        await delete_document(workspace, gone.document_id)
    return not retained


async def _require_document(
    workspace: WorkspaceAccess, scope: WorkspaceScope, document_id: UUID
) -> None:
    """Require that the caller may write in the document's collection; pass one that is gone."""
    with suppress(NotFound):
        document = await get_document(scope, document_id)
        workspace.require(Right.WRITE, document.collection)
