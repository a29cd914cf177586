"""Documents of a workspace: look up, read, change, delete and retry."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import BinaryIO
from uuid import UUID

from footnote.domain import (
    Document,
    DocumentStatus,
    Passage,
    Retried,
    Right,
    Stage,
    WorkspaceStats,
)
from footnote.engine.lanes import lane_of_workspace
from footnote.engine.listing import documents
from footnote.engine.services import WorkspaceAccess
from footnote.errors import (
    BlobDamaged,
    Conflict,
    DocumentUnreadable,
    Forbidden,
    InvalidRequest,
    NotFound,
    UnderLegalHold,
)
from footnote.ingestion.receive import examine
from footnote.store import documents as stored
from footnote.store import publishing
from footnote.store.blob_claims import remove_unused
from footnote.store.database import LIFT_A_HOLD, WorkspaceScope
from footnote.store.documents import DocumentText
from footnote.store.legal_holds import document_is_held
from footnote.store.passages import passages_in_order
from footnote.store.receiving import change_document as change_stored
from footnote.store.receiving import requeue_failed
from footnote.store.workspaces import workspace_stats
from footnote.validation.constrained_types import (
    MAX_PAGE,
    MetadataChanges,
    MostPassages,
    Name,
    Tags,
    TextLength,
)

_CANDIDATES_SHOWN = 8
_BEGINNING_OF_ID = re.compile(r"[0-9a-f]{1,32}")


# --- look up --------------------------------------------------------------------------------------


async def document(workspace: WorkspaceAccess, document_id: UUID) -> Document:
    """One document. Raises NotFound."""
    async with workspace.scope() as scope:
        return await stored.get_document(scope, document_id)


async def children(workspace: WorkspaceAccess, document_id: UUID) -> tuple[Document, ...]:
    """The attachments of a document, at any depth. Raises NotFound."""
    async with workspace.scope() as scope:
        await stored.get_document(scope, document_id)
        family = await stored.documents_and_attachments(scope, [document_id])
    return tuple(document for document in family if document.document_id != document_id)


async def statuses(
    workspace: WorkspaceAccess, document_ids: Sequence[UUID]
) -> Mapping[UUID, Document]:
    """The documents of these ids and of their attachments, as far as they exist."""
    async with workspace.scope() as scope:
        family = await stored.documents_and_attachments(scope, document_ids)
    return {document.document_id: document for document in family}


async def stats(workspace: WorkspaceAccess) -> WorkspaceStats:
    """Return counts of what the principal may see in the workspace, and cache statistics."""
    engine, workspace_id = workspace.engine, workspace.workspace_id
    lane = await lane_of_workspace(engine, workspace_id)
    async with workspace.scope() as scope:
        counts = await workspace_stats(scope, lane or engine.lane)
    return replace(
        counts,
        search_cache=engine.search_stages.cache.stats(workspace_id),
        answer_cache=engine.answer_cache.stats(workspace_id),
    )


# --- resolve names ----------------------------------------------------------------------------


async def document_called(workspace: WorkspaceAccess, called: str) -> UUID:
    """Resolve a document id, a prefix of an id, or a file name to a document id.

    A complete id is returned without a lookup. Raises NotFound, also for hidden and foreign
    documents, and InvalidRequest with the candidates where several match.
    """
    try:
        return UUID(called)
    except ValueError:
        digits = called.lower().replace("-", "")
    id_range: tuple[UUID, UUID] | None = None
    if _BEGINNING_OF_ID.fullmatch(digits) and not called.startswith("-"):
        id_range = UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f"))
    async with workspace.scope() as scope:
        matches = await stored.documents_called(
            scope, called, id_range, limit=_CANDIDATES_SHOWN + 1
        )
    if not matches:
        raise NotFound(
            f"there is no document {called!r}",
            hint="`footnote documents list` or `GET /v1/documents` shows ids and file names; a "
            "file name is given whole",
        )
    if len(matches) > 1:
        listed = [
            f"{match.document_id} ({match.filename}, "
            + (match.external_id or f"of {match.created_at:%Y-%m-%d %H:%M:%S} UTC")
            + ")"
            for match in matches[:_CANDIDATES_SHOWN]
        ]
        candidates = ", ".join([*listed, "…"] if len(matches) > _CANDIDATES_SHOWN else listed)
        raise InvalidRequest(
            f"several documents are called {called!r}: {candidates}",
            hint="give the whole id of one of them, or more of its beginning",
        )
    return matches[0].document_id


async def unknown_collections(
    workspace: WorkspaceAccess, names: Sequence[str]
) -> tuple[tuple[str, str | None], ...]:
    """Return the names that no collection with documents has, each with the closest known one."""
    async with workspace.scope() as scope:
        existing = await stored.names_of_collections(scope)
    return tuple(
        (name, next(iter(get_close_matches(name, existing, n=1)), None))
        for name in dict.fromkeys(names)
        if name not in existing
    )


# --- read -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A file as it was handed in."""

    filename: str
    media_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginalFile:
    """A file as it was handed in, opened."""

    filename: str
    media_type: str
    byte_size: int
    content: BinaryIO = field(repr=False)
    """Positioned at the start; the caller closes it."""


async def original(workspace: WorkspaceAccess, document_id: UUID) -> Original:
    """The file of the published version, or of the newest before one is published.

    Raises NotFound, also for a file that was too large to be kept, BlobDamaged where the bytes
    are not those that came in, and BlobsUnavailable.
    """
    opened = await original_file(workspace, document_id)
    with opened.content:
        return Original(
            filename=opened.filename,
            media_type=opened.media_type,
            content=await asyncio.to_thread(opened.content.read),
        )


async def original_file(workspace: WorkspaceAccess, document_id: UUID) -> OriginalFile:
    """The same file, opened so that it can be read in pieces."""
    async with workspace.scope() as scope:
        version = await stored.citable_version(scope, document_id)
    if not version.blob_key:
        raise NotFound(
            f"the file of {document_id} was not kept", hint="hand it in once more to have it kept"
        )
    content = await workspace.engine.blobs.open(version.blob_key)
    byte_size = content.seek(0, os.SEEK_END)
    content.seek(0)
    return OriginalFile(
        filename=version.filename,
        media_type=version.media_type,
        byte_size=byte_size,
        content=content,
    )


async def text(
    workspace: WorkspaceAccess, document_id: UUID, *, most_characters: TextLength = 500_000
) -> DocumentText | None:
    """The extracted text of a document, from its start; None while nothing is published.

    Raises NotFound.
    """
    async with workspace.scope() as scope:
        await stored.get_document(scope, document_id)
        return await stored.published_text(scope, document_id, most_characters)


async def passages(
    workspace: WorkspaceAccess, document_id: UUID, *, limit: MostPassages = 100
) -> tuple[Passage, ...]:
    """The first passages of a document, in its order. Raises NotFound."""
    async with workspace.scope() as scope:
        await stored.get_document(scope, document_id)
        return await passages_in_order(scope, document_id, limit)


# --- change -----------------------------------------------------------------------------------


async def change_document(
    workspace: WorkspaceAccess,
    document_id: UUID,
    *,
    tags: Tags | None = None,
    metadata: MetadataChanges | None = None,
) -> Document:
    """Replace the tags of a document and its attachments, or merge metadata; None skips either.

    Metadata is merged with the existing; a key whose value is None is removed. It takes effect from
    the next search on, in the same version. Raises NotFound, Forbidden, and InvalidRequest for tags
    of an attachment.
    """
    async with workspace.scope() as scope:
        document = await stored.get_document(scope, document_id)
        workspace.require(Right.WRITE, document.collection)
        if tags is not None and document.parent_id is not None:
            raise InvalidRequest(
                f"{document_id} is an attachment, and has the tags of what it is attached to",
                hint=f"change {document.parent_id}",
            )
        return await change_stored(
            scope, document, tags=None if tags is None else tuple(tags), metadata=metadata
        )


# --- delete -----------------------------------------------------------------------------------


async def delete_document(workspace: WorkspaceAccess, document_id: UUID) -> None:
    """Remove a document, its attachments and everything derived from them.

    Raises NotFound, and UnderLegalHold.
    """
    engine = workspace.engine
    async with workspace.scope() as scope:
        document = await stored.get_document(scope, document_id)
        workspace.require(Right.WRITE, document.collection)
        await refuse_under_hold(scope, document_id)
        blobs = await publishing.delete_document(scope, document_id, engine.maintenance_limits)
    await remove_unused(engine.database, engine.blobs, workspace.workspace_id, blobs)


async def refuse_under_hold(scope: WorkspaceScope, document_id: UUID) -> None:
    """Raise UnderLegalHold for a document that may not be deleted; triggers enforce it too."""
    if await document_is_held(scope, document_id):
        raise UnderLegalHold(
            f"the document {document_id} is not deleted: it, what it is attached to, an attachment "
            "of it, or a conversation that quotes it is under legal hold",
            hint=LIFT_A_HOLD,
        )


# --- retry ------------------------------------------------------------------------------------


async def retry(workspace: WorkspaceAccess, document_id: UUID) -> Document:
    """Requeue a failed document, with its attempts reset.

    One that is queued or processing is returned unchanged. Raises NotFound, Conflict for an indexed
    document, and DocumentUnreadable for bytes that would be refused at once.
    """
    async with workspace.scope() as scope:
        document, blob_key = await stored.document_with_blob(scope, document_id)
    workspace.require(Right.WRITE, document.collection)
    media_type = None
    if document.status is DocumentStatus.INDEXED:
        raise Conflict(
            f"the document {document_id} is indexed; there is nothing to try again",
            hint="hand in other bytes under its external id to replace it",
        )
    if document.status is not DocumentStatus.FAILED:
        return document
    if document.failure is not None and document.failure.stage is Stage.RECEIVE:
        # Limits and known types may have changed since its bytes were refused.
        if not blob_key:
            raise DocumentUnreadable(
                stage=Stage.RECEIVE,
                cause=f"the bytes of “{document.filename}” were never taken in",
                advice=f"{document.failure.advice}; then hand the file in once more",
            )
        limit = workspace.engine.settings.limits.bytes
        with await workspace.engine.blobs.open(blob_key) as content:
            examined = await asyncio.to_thread(examine, content, document.filename, limit)
        if examined.refusal is not None:
            raise examined.refusal
        media_type = examined.media_type
    async with workspace.scope() as scope:
        return await requeue_failed(scope, document, media_type)


async def retry_all(
    workspace: WorkspaceAccess, document_ids: Sequence[UUID]
) -> tuple[Retried, ...]:
    """Retry each document; a refused one does not stop the others."""
    retried = []
    for document_id in document_ids:
        try:
            document = await retry(workspace, document_id)
        except (Conflict, DocumentUnreadable, Forbidden, NotFound, BlobDamaged) as error:
            message = str(error)
            hint = error.hint if error.hint and error.hint not in message else None
            refusal = "; ".join(filter(None, (message, hint)))
            retried.append(Retried(document_id=document_id, refusal=refusal))
        else:
            retried.append(Retried(document_id=document_id, document=document))
    return tuple(retried)


async def retry_failed(
    workspace: WorkspaceAccess, *, collection: Name | None = None
) -> tuple[Retried, ...]:
    """Retry every failed document."""
    failed: list[UUID] = []
    cursor: str | None = None
    while True:
        page = await documents(
            workspace,
            collection=collection,
            status=DocumentStatus.FAILED,
            limit=MAX_PAGE,
            cursor=cursor,
        )
        failed += [document.document_id for document in page.documents]
        cursor = page.next_cursor
        if cursor is None:
            return await retry_all(workspace, failed)
