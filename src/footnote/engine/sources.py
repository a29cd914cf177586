"""What a workspace remembers of its sources, and what follows when they change."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.domain import Received, Right
from footnote.domain.identity import DEFAULT_COLLECTION
from footnote.domain.sources import KnownEntry, Offered
from footnote.engine.documents import delete_document, refuse_what_is_held
from footnote.engine.receiving import clean_name
from footnote.engine.services import WorkspaceAccess
from footnote.store.sources import (
    forget_entry,
    known_entries,
    move_document,
    other_places,
    remember_entry,
)
from footnote.validation.constrained_types import Name


async def source_entries(
    workspace: WorkspaceAccess, collection: Name | None, places: Sequence[str]
) -> tuple[KnownEntry, ...]:
    """What is remembered of the places and of what lies below them. Raises InvalidRequest."""
    workspace.require(Right.WRITE, collection or DEFAULT_COLLECTION)
    async with workspace.scope() as scope:
        return await known_entries(scope, collection or DEFAULT_COLLECTION, places)


async def remember_source_entry(
    workspace: WorkspaceAccess, collection: str | None, offered: Offered, received: Received
) -> None:
    """Remember that this is what was offered, so that it is not read again."""
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
    """Let the document of something that is gone go by the id under which its bytes are now."""
    workspace.require(Right.WRITE, collection or DEFAULT_COLLECTION)
    async with workspace.scope() as scope:
        moved = await move_document(
            scope, gone.document_id, gone.external_id, external_id, clean_name(external_id)
        )
        await forget_entry(scope, collection or DEFAULT_COLLECTION, gone.external_id)
    return moved


async def remove_source_entry(
    workspace: WorkspaceAccess, collection: str | None, gone: KnownEntry
) -> bool:
    """Delete the document of something that is gone; False when it is somebody else's too.

    A document whose bytes lie elsewhere in a source stays, under that id; one that was handed in
    under another id, or under none, stays as it is. Raises NotFound, and UnderLegalHold.
    """
    async with workspace.scope() as scope:
        # Before it is forgotten, so that it goes with the next look after the hold is lifted.
        await refuse_what_is_held(scope, gone.document_id)
        await forget_entry(scope, collection or DEFAULT_COLLECTION, gone.external_id)
        owner, others = await other_places(scope, gone.document_id)
        if owner != gone.external_id:
            return False
        if others:
            await move_document(
                scope, gone.document_id, gone.external_id, others[0], clean_name(others[0])
            )
            return False
    await delete_document(workspace, gone.document_id)
    return True
