"""Takes files in so that none is lost, none is taken twice, and none when too many wait."""

from __future__ import annotations

import asyncio
import hashlib
import io
from dataclasses import replace
from pathlib import Path
from typing import Annotated, BinaryIO
from uuid import UUID

from pydantic import SkipValidation

from footnote.domain import Principal, Received, SourceType
from footnote.domain.identity import DEFAULT_COLLECTION
from footnote.engine.files import clean_name
from footnote.engine.scoping import WorkspaceAccess, scope_of
from footnote.engine.services import Services
from footnote.errors import InvalidRequest, QueueFull
from footnote.ingestion.pipeline import UNKNOWN_TYPE, failure_of
from footnote.ingestion.receive import examine
from footnote.store.blob_claims import claim_blob, give_up_unnamed, redeem
from footnote.store.database import SYSTEM, WorkspaceScope
from footnote.store.documents import get_document
from footnote.store.idempotency import Receipt, earlier, keep_receipt
from footnote.store.receiving import Incoming, QueueLimits, receive_document, require_room
from footnote.validation.arguments import checks
from footnote.validation.constrained_types import (
    Access,
    ExternalId,
    FileContent,
    IdempotencyKey,
    Metadata,
    Name,
    Tags,
)

NO_BLOB = ""
"""The key of bytes that were never taken in."""
_KEY_SECONDS = 86_400.0
"""How long a key is remembered: whoever repeats an upload does so within a day."""


async def receive(
    workspace: WorkspaceAccess,
    content: FileContent,
    filename: str,
    *,
    collection: Name | None = None,
    external_id: ExternalId | None = None,
    metadata: Metadata | None = None,
    tags: Tags = (),
    source_type: SourceType = SourceType.UPLOAD,
    access: Access | None = None,
    idempotency_key: IdempotencyKey | None = None,
) -> Received:
    """Accept a file: once this returns, it cannot be lost.

    A file that can be seen to be unreadable is kept as a failed document. The same bytes give the
    existing document; other bytes under a known external id a new version. A known document keeps
    its tags unless others are given. With a key, repeating the call does nothing and gives the
    same result. Raises InvalidRequest, QueueFull while too many documents wait, and Conflict for a
    key that was used for something else.
    """
    return await receive_stream(
        workspace,
        io.BytesIO(content),
        filename,
        collection=collection,
        external_id=external_id,
        metadata=metadata,
        tags=tags,
        source_type=source_type,
        access=access,
        idempotency_key=idempotency_key,
    )


async def receive_file(
    workspace: WorkspaceAccess,
    path: Path,
    *,
    collection: Name | None = None,
    tags: Tags = (),
) -> Received:
    """Accept a file from a disk, under its path as external id.

    One that is too large is kept as a failed document without its bytes. Raises InvalidRequest
    when it cannot be opened.
    """
    try:
        location = await asyncio.to_thread(path.resolve)
        content = await asyncio.to_thread(path.open, "rb")
    except OSError as error:
        raise InvalidRequest(
            f"{path} cannot be read: {error.strerror}", hint="check the path and its rights"
        ) from error
    with content:
        return await receive_stream(
            workspace,
            content,
            path.name,
            collection=collection,
            external_id=str(location),
            tags=tags,
            keep_too_large=False,
        )


@checks
async def receive_stream(
    workspace: WorkspaceAccess,
    content: Annotated[BinaryIO, SkipValidation],
    filename: str,
    *,
    collection: Name | None = None,
    external_id: ExternalId | None = None,
    metadata: Metadata | None = None,
    tags: Tags = (),
    source_type: SourceType = SourceType.UPLOAD,
    access: Access | None = None,
    idempotency_key: IdempotencyKey | None = None,
    keep_too_large: bool = True,
) -> Received:
    """Accept a file that can be read twice: measured and hashed first, then stored, in pieces.

    No more than a few pieces of it are in memory at once. It is not closed. Raises what `receive`
    raises.
    """
    workspace.require_open()
    engine, workspace_id = workspace.engine, workspace.workspace.workspace_id
    settings = engine.settings
    incoming = Incoming(
        filename=clean_name(filename),
        media_type=UNKNOWN_TYPE,
        byte_size=0,
        content_sha256="",
        blob_key=NO_BLOB,
        collection=collection or DEFAULT_COLLECTION,
        external_id=external_id,
        metadata=metadata or {},
        tags=tuple(tags),
        source_type=source_type,
        access=None if access is None else tuple(access),
    )
    limit = settings.max_file_bytes
    examined = await asyncio.to_thread(examine, content, incoming.filename, limit)
    incoming = replace(
        incoming,
        media_type=examined.media_type or UNKNOWN_TYPE,
        byte_size=examined.byte_size,
        content_sha256=examined.content_sha256,
        failure=None if examined.refusal is None else failure_of(examined.refusal),
    )
    if examined.byte_size > limit and not keep_too_large:
        async with scope_of(workspace) as scope:
            return await receive_document(scope, incoming)
    receipt = _receipt(workspace.principal, incoming, idempotency_key)
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        if receipt is not None and (known := await _repeated(scope, receipt)) is not None:
            return known
        if incoming.failure is None:
            await require_room(scope, queue_limits(engine))
        claim = await claim_blob(scope, incoming.content_sha256)
    await engine.blobs.put(claim.blob_key, content)
    async with scope_of(workspace) as scope:
        if receipt is not None and (known := await _repeated(scope, receipt)) is not None:
            # The same request was faster, and these are its bytes.
            await redeem(scope, claim)
            await give_up_unnamed(scope, claim)
            return known
        received = await receive_document(
            scope, replace(incoming, blob_key=claim.blob_key, claim=claim)
        )
        if receipt is not None:
            await keep_receipt(scope, receipt, received)
        return received


async def has_room(engine: Services, workspace_id: UUID) -> bool:
    """Whether a file would be accepted now."""
    async with engine.database.workspace(workspace_id, SYSTEM) as scope:
        try:
            await require_room(scope, queue_limits(engine))
        except QueueFull:
            return False
    return True


def queue_limits(engine: Services) -> QueueLimits:
    """How many documents may wait."""
    return QueueLimits(
        workspace=engine.settings.max_queued_documents,
        overall=engine.settings.max_queued_documents_overall,
    )


async def _repeated(scope: WorkspaceScope, receipt: Receipt) -> Received | None:
    """What became of the same request before, with its document as it stands now."""
    known = await earlier(scope, receipt)
    if known is None:
        return None
    return Received(
        document=await get_document(scope, known.document_id),
        duplicate=known.duplicate,
        new_version=known.new_version,
    )


def _receipt(principal: Principal, incoming: Incoming, key: str | None) -> Receipt | None:
    if key is None:
        return None
    told = [incoming.content_sha256, incoming.collection, incoming.external_id or ""]
    return Receipt(
        principal_id=principal.principal_id,
        key=key,
        fingerprint=hashlib.sha256("\0".join(told).encode()).digest(),
        lifetime_seconds=_KEY_SECONDS,
    )
