"""Verbs that read whole documents: their files, their text, their passages, and lists of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID

from footnote.domain import AllOf, Condition, DocumentPage, DocumentStatus, Passage
from footnote.engine.scoping import scope_of
from footnote.engine.workspace import WorkspaceEngine
from footnote.errors import NotFound
from footnote.store import documents as stored
from footnote.store.documents import WholeText, get_document
from footnote.validation.arguments import checks
from footnote.validation.constrained_types import PageLimit

__all__ = ["Original", "WholeText", "original", "passages", "select_documents", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Original:
    """A file as it was handed in."""

    filename: str
    media_type: str
    content: bytes = field(repr=False)


@checks
async def original(workspace: WorkspaceEngine, document_id: UUID) -> Original:
    """The file of the published version, or of the newest before one is published.

    Raises NotFound, also for a file that was too large to be kept, BlobDamaged where the bytes
    are not those that came in, and BlobsUnavailable.
    """
    async with scope_of(workspace) as scope:
        shown = await stored.shown_version(scope, document_id)
    if not shown.blob_key:
        raise NotFound(f"the file of {document_id} was not kept")
    return Original(
        filename=shown.filename,
        media_type=shown.media_type,
        content=await workspace.engine.blobs.get(shown.blob_key),
    )


@checks
async def text(
    workspace: WorkspaceEngine, document_id: UUID, *, most_characters: int
) -> WholeText | None:
    """What was read of a document, from its beginning; None while nothing is published.

    Raises NotFound.
    """
    async with scope_of(workspace) as scope:
        await get_document(scope, document_id)
        return await stored.whole_text(scope, document_id, most_characters)


@checks
async def passages(
    workspace: WorkspaceEngine, document_id: UUID, *, limit: int
) -> tuple[Passage, ...]:
    """The first passages of a document, in its order. Raises NotFound."""
    async with scope_of(workspace) as scope:
        await get_document(scope, document_id)
        return await stored.passages_in_order(scope, document_id, limit)


@checks
async def select_documents(
    workspace: WorkspaceEngine,
    condition: Condition | None = None,
    *,
    status: DocumentStatus | None = None,
    limit: PageLimit = 50,
    cursor: str | None = None,
) -> DocumentPage:
    """A page of the documents that meet a condition, newest first. Raises InvalidRequest."""
    async with scope_of(workspace) as scope:
        return await stored.select_documents(
            scope, condition or AllOf(conditions=()), status=status, limit=limit, cursor=cursor
        )
