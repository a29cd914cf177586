"""Gives failed documents another try, or says why that cannot help."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from footnote.domain import Document, DocumentStatus, Principal, Retried, Stage
from footnote.engine.services import Services
from footnote.errors import BlobDamaged, Conflict, DocumentUnreadable, NotFound
from footnote.ingestion.receive import check_received
from footnote.store.documents import document_with_blob
from footnote.store.receiving import requeue_failed


async def try_again(
    engine: Services, workspace_id: UUID, principal: Principal, document_id: UUID
) -> Document:
    """Queue the failed version once more, with all its attempts before it.

    One that waits or is worked on is returned as it is. Raises NotFound, Conflict for an indexed
    document, and DocumentUnreadable for bytes that would not even be accepted.
    """
    async with engine.database.workspace(workspace_id, principal) as scope:
        document, blob_key = await document_with_blob(scope, document_id)
    if document.status is DocumentStatus.INDEXED:
        raise Conflict(
            f"the document {document_id} is indexed; there is nothing to try again",
            hint="hand in other bytes under its external id to replace it",
        )
    if document.status is not DocumentStatus.FAILED:
        return document
    media_type = None
    if document.failure is not None and document.failure.stage is Stage.RECEIVE:
        media_type = await _examined_again(engine, document, blob_key)
    async with engine.database.workspace(workspace_id, principal) as scope:
        return await requeue_failed(scope, document, media_type)


async def try_each_again(
    engine: Services, workspace_id: UUID, principal: Principal, document_ids: Iterable[UUID]
) -> tuple[Retried, ...]:
    """What became of each; one that is refused does not keep the others from being tried."""
    retried = []
    for document_id in document_ids:
        try:
            document = await try_again(engine, workspace_id, principal, document_id)
        except (Conflict, DocumentUnreadable, NotFound, BlobDamaged) as error:
            told = str(error)
            hint = error.hint if error.hint and error.hint not in told else None
            refusal = "; ".join(filter(None, (told, hint)))
            retried.append(Retried(document_id=document_id, refusal=refusal))
        else:
            retried.append(Retried(document_id=document_id, document=document))
    return tuple(retried)


async def _examined_again(engine: Services, document: Document, blob_key: str) -> str:
    """The type of bytes that were refused before; limits and known types may have changed."""
    if not blob_key:
        advice = document.failure.advice if document.failure else "make it smaller"
        raise DocumentUnreadable(
            stage=Stage.RECEIVE,
            cause=f"the bytes of “{document.filename}” were never taken in",
            advice=f"{advice}; then hand the file in once more",
        )
    content = await engine.blobs.get(blob_key)
    return check_received(content, document.filename, engine.settings.max_file_bytes)
