"""Takes in what systems push: content at once, an address through the queue."""

from __future__ import annotations

from uuid import UUID

from footnote.domain.events import PushedDocument, PushStatus
from footnote.domain.identity import DEFAULT_COLLECTION
from footnote.engine.files import clean_name
from footnote.engine.scoping import scope_of
from footnote.engine.workspace import WorkspaceEngine
from footnote.errors import NotFound
from footnote.ingestion.sources.reach import checked_url
from footnote.store.database import WorkspaceScope
from footnote.store.documents import get_document
from footnote.store.pushes import (
    StoredPush,
    accept_received,
    accept_url,
    document_changed_at,
    get_push,
)
from footnote.validation.arguments import checks
from footnote.validation.constrained_types import ExternalId, Metadata, Name, Tags


@checks
async def push_url(
    workspace: WorkspaceEngine,
    url: str,
    *,
    filename: str | None = None,
    collection: Name | None = None,
    external_id: ExternalId | None = None,
    metadata: Metadata | None = None,
    tags: Tags = (),
) -> PushStatus:
    """Have a worker fetch an address; ask for its status until it rests. Raises InvalidRequest.

    Without an external id the address is the document's.
    """
    checked_url(url)
    pushed = PushedDocument(
        url=url,
        collection=collection or DEFAULT_COLLECTION,
        external_id=external_id or url,
        filename=None if filename is None else clean_name(filename),
        metadata=metadata or {},
        tags=tuple(tags),
    )
    workspace.require_open()
    async with scope_of(workspace) as scope:
        ingest_id = await accept_url(scope, pushed)
        return await _status(scope, await get_push(scope, ingest_id))


async def push_content(
    workspace: WorkspaceEngine,
    content: bytes,
    filename: str,
    *,
    collection: Name | None = None,
    external_id: ExternalId | None = None,
    metadata: Metadata | None = None,
    tags: Tags = (),
) -> PushStatus:
    """Accept content as `WorkspaceEngine.receive` does, and give it a number to ask by."""
    received = await workspace.receive(
        content,
        filename,
        collection=collection,
        external_id=external_id,
        metadata=metadata,
        tags=tags,
    )
    async with scope_of(workspace) as scope:
        ingest_id = await accept_received(scope, received.document.document_id)
        return await _status(scope, await get_push(scope, ingest_id))


async def push_status(workspace: WorkspaceEngine, ingest_id: UUID) -> PushStatus:
    """How far it has come. Raises NotFound."""
    async with scope_of(workspace) as scope:
        return await _status(scope, await get_push(scope, ingest_id))


async def _status(scope: WorkspaceScope, push: StoredPush) -> PushStatus:
    document, changed_at = None, None
    if push.document_id is not None:
        changed_at = await document_changed_at(scope, push.document_id)
        try:
            document = await get_document(scope, push.document_id)
        except NotFound:
            document = None
        if changed_at is None and document is not None:
            changed_at = document.updated_at
    return PushStatus(
        ingest_id=push.ingest_id,
        state=push.state,
        url=push.url,
        failure=push.failure,
        document_id=push.document_id,
        document=document,
        created_at=push.created_at,
        updated_at=max(push.updated_at, changed_at or push.updated_at),
    )
