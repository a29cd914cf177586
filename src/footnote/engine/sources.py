"""What a workspace remembers of its sources, and what follows when they change."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.domain import Received
from footnote.domain.identity import DEFAULT_COLLECTION
from footnote.domain.sources import KnownEntry, Offered
from footnote.engine.files import clean_name
from footnote.engine.scoping import scope_of
from footnote.engine.workspace import WorkspaceEngine
from footnote.store.sources import (
    forget_entry,
    known_entries,
    move_document,
    other_places,
    remember_entry,
)
from footnote.validation.arguments import checks
from footnote.validation.constrained_types import Name


@checks
async def known_of(
    workspace: WorkspaceEngine, collection: Name | None, places: Sequence[str]
) -> tuple[KnownEntry, ...]:
    """What is remembered of the places and of what lies below them. Raises InvalidRequest."""
    async with scope_of(workspace) as scope:
        return await known_entries(scope, collection or DEFAULT_COLLECTION, places)


async def remember(
    workspace: WorkspaceEngine, collection: str | None, offered: Offered, received: Received
) -> None:
    """Remember that this is what was offered, so that it is not read again."""
    async with scope_of(workspace) as scope:
        await remember_entry(
            scope,
            collection=collection or DEFAULT_COLLECTION,
            external_id=offered.external_id,
            mark=offered.mark,
            content_sha256=received.document.content_sha256,
            document_id=received.document.document_id,
        )


async def rename(
    workspace: WorkspaceEngine, collection: str | None, gone: KnownEntry, external_id: str
) -> bool:
    """Let the document of something that is gone go by the id under which its bytes are now."""
    async with scope_of(workspace) as scope:
        moved = await move_document(
            scope, gone.document_id, gone.external_id, external_id, clean_name(external_id)
        )
        await forget_entry(scope, collection or DEFAULT_COLLECTION, gone.external_id)
    return moved


async def remove(workspace: WorkspaceEngine, collection: str | None, gone: KnownEntry) -> bool:
    """Delete the document of something that is gone; False when it is somebody else's too.

    A document whose bytes lie elsewhere in a source stays, under that id; one that was handed in
    under another id, or under none, stays as it is.
    """
    async with scope_of(workspace) as scope:
        await forget_entry(scope, collection or DEFAULT_COLLECTION, gone.external_id)
        owner, others = await other_places(scope, gone.document_id)
        if owner != gone.external_id:
            return False
        if others:
            await move_document(
                scope, gone.document_id, gone.external_id, others[0], clean_name(others[0])
            )
            return False
    await workspace.delete_document(gone.document_id)
    return True
