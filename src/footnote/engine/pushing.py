"""Accept pushes of other systems: a URL that a worker fetches, or content, each with an id."""

from __future__ import annotations

import hashlib
import io
import json
from uuid import UUID, uuid5

from footnote.domain import Right, Visibility
from footnote.domain.events import PushedDocument, PushStatus
from footnote.domain.identity import DEFAULT_COLLECTION
from footnote.engine.receiving import check_visibility, clean_name, receive_stream
from footnote.engine.services import WorkspaceAccess
from footnote.errors import NotFound
from footnote.ingestion.sources.reach import checked_url, require_public_if_numeric
from footnote.store import pushes
from footnote.store.database import WorkspaceScope
from footnote.store.documents import get_document
from footnote.validation.constrained_types import (
    Access,
    ExternalId,
    FileContent,
    FileName,
    IdempotencyKey,
    Metadata,
    Name,
    Tags,
)


async def push_url(
    workspace: WorkspaceAccess,
    url: str,
    *,
    filename: str | None = None,
    collection: Name | None = None,
    external_id: ExternalId | None = None,
    metadata: Metadata | None = None,
    tags: Tags = (),
    visibility: Visibility | None = None,
    shared_with: Access | None = None,
    idempotency_key: IdempotencyKey | None = None,
) -> PushStatus:
    """Enqueue a URL for a worker to fetch; poll `push_status`. Raises InvalidRequest.

    It is fetched for the caller, as their credential says and with what the workspace grants then.
    Without an external id, the URL is the document's. Visibility is as in `receive`. Idempotent
    with a key, which raises Conflict with other arguments.
    """
    workspace.require(Right.WRITE, collection or DEFAULT_COLLECTION)
    check_visibility(visibility, shared_with)
    host = checked_url(url).hostname or ""
    require_public_if_numeric(host, allow_private=workspace.engine.settings.allow_private_urls)
    pushed = PushedDocument(
        url=url,
        collection=collection or DEFAULT_COLLECTION,
        external_id=external_id or url,
        filename=None if filename is None else clean_name(filename),
        metadata=metadata or {},
        tags=tuple(tags),
        visibility=visibility,
        shared_with=None if shared_with is None else tuple(shared_with),
    )
    push_id = _push_id_for(workspace, idempotency_key)
    async with workspace.scope() as scope:
        ingest_id = await pushes.accept_url(scope, pushed, workspace.proved_identity, push_id)
        return await _push_status(scope, ingest_id)


async def push_content(
    workspace: WorkspaceAccess,
    content: FileContent,
    filename: FileName,
    *,
    collection: Name | None = None,
    external_id: ExternalId | None = None,
    metadata: Metadata | None = None,
    tags: Tags = (),
    visibility: Visibility | None = None,
    shared_with: Access | None = None,
    idempotency_key: IdempotencyKey | None = None,
) -> PushStatus:
    """Accept content as `receive` does, and return an id to poll `push_status` with.

    Idempotent with a key, which raises Conflict with other arguments.
    """
    workspace.require(Right.WRITE, collection or DEFAULT_COLLECTION)
    check_visibility(visibility, shared_with)
    push_id = _push_id_for(workspace, idempotency_key)
    if push_id is not None:
        arguments = (collection, external_id, filename, metadata, tags, visibility, shared_with)
        fingerprinted = [hashlib.sha256(content).hexdigest(), *arguments]
        fingerprint = hashlib.sha256(json.dumps(fingerprinted, default=list).encode()).hexdigest()
        async with workspace.scope() as scope:
            if not await pushes.claim_content(scope, push_id, fingerprint):
                return await _push_status(scope, push_id)
    received = await receive_stream(
        workspace,
        io.BytesIO(content),
        filename,
        collection=collection,
        external_id=external_id,
        metadata=metadata,
        tags=tags,
        visibility=visibility,
        shared_with=shared_with,
        announced_as=push_id,
    )
    async with workspace.scope() as scope:
        if push_id is None:
            push_id = await pushes.accept_received(scope, received.document.document_id)
        return await _push_status(scope, push_id)


def _push_id_for(workspace: WorkspaceAccess, key: IdempotencyKey | None) -> UUID | None:
    """Derive the id of a push from the principal and the idempotency key; None without one."""
    name = f"{workspace.principal.principal_id}\0{key}"
    return None if key is None else uuid5(workspace.workspace_id, name)


async def push_status(workspace: WorkspaceAccess, ingest_id: UUID) -> PushStatus:
    """How far a push has come. Raises NotFound."""
    async with workspace.scope() as scope:
        return await _push_status(scope, ingest_id)


async def _push_status(scope: WorkspaceScope, ingest_id: UUID) -> PushStatus:
    push = await pushes.get_push(scope, ingest_id)
    document, changed_at = None, None
    if push.document_id is not None:
        changed_at = await pushes.document_changed_at(scope, push.document_id)
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
