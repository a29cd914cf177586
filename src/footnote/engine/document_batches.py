"""Change or delete several documents at once; a refused one does not stop the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from footnote.domain import MAX_TAGS, Document, DocumentOutcome, Right, Visibility
from footnote.engine.access import changed_access_names
from footnote.engine.documents import delete_document
from footnote.engine.services import WorkspaceAccess
from footnote.errors import (
    Conflict,
    FootnoteError,
    Forbidden,
    InvalidRequest,
    NotFound,
    UnderLegalHold,
)
from footnote.store import documents as stored
from footnote.store.access import change_access
from footnote.store.database import WorkspaceScope
from footnote.store.document_locks import wait_for_publications
from footnote.store.receiving import announce_change
from footnote.store.receiving import change_document as change_stored
from footnote.validation.constrained_types import Access, DocumentIds, MetadataChanges, Tags

_REFUSED = (Conflict, Forbidden, InvalidRequest, NotFound, UnderLegalHold)
"""Errors about one document; any other, such as an unavailable store, fails the whole batch."""


async def change_documents(
    workspace: WorkspaceAccess,
    document_ids: DocumentIds,
    *,
    add_tags: Tags = (),
    remove_tags: Tags = (),
    metadata: MetadataChanges | None = None,
    visibility: Visibility | None = None,
    shared_with: Access = (),
) -> tuple[DocumentOutcome, ...]:
    """Add tags to each document, remove others, merge metadata, and set who sees it.

    A tag that is both added and removed is removed. Each document is changed completely or not
    at all, as by `change_document` and `set_document_access`, in the order named. Raises
    InvalidRequest where nothing is to be changed, or for a list of people that has no effect.
    """
    if not (add_tags or remove_tags or metadata or visibility):
        raise InvalidRequest(
            "nothing is to be changed",
            hint="name add_tags, remove_tags, metadata or visibility",
        )
    if shared_with and visibility is None:
        raise InvalidRequest(
            "shared_with: it says with whom documents of some visibility are shared",
            hint="name the visibility too",
        )
    if shared_with and visibility is Visibility.WORKSPACE:
        raise InvalidRequest(
            "shared_with: documents that the workspace sees need no list",
            hint="leave the list out, or make the documents private",
        )
    changes = _Changes(
        add_tags=add_tags,
        remove_tags=remove_tags,
        metadata=metadata,
        visibility=visibility,
        shared_with=shared_with,
    )
    outcomes = []
    for document_id in document_ids:
        try:
            document = await _change(workspace, document_id, changes)
        except _REFUSED as error:
            outcomes.append(DocumentOutcome(document_id=document_id, refusal=_refusal(error)))
        else:
            outcomes.append(DocumentOutcome(document_id=document_id, document=document))
    return tuple(outcomes)


async def delete_documents(
    workspace: WorkspaceAccess, document_ids: DocumentIds
) -> tuple[DocumentOutcome, ...]:
    """Delete each with its attachments, as `delete_document` does, in the order named."""
    outcomes = []
    for document_id in document_ids:
        try:
            await delete_document(workspace, document_id)
        except _REFUSED as error:
            outcomes.append(DocumentOutcome(document_id=document_id, refusal=_refusal(error)))
        else:
            outcomes.append(DocumentOutcome(document_id=document_id))
    return tuple(outcomes)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changes:
    """The changes to make to every document."""

    add_tags: Tags
    remove_tags: Tags
    metadata: MetadataChanges | None
    visibility: Visibility | None
    shared_with: Access


async def _change(
    workspace: WorkspaceAccess, document_id: UUID, changes: _Changes
) -> Document | None:
    """Change one document in one transaction; None if the caller may no longer see it then."""
    if changes.visibility is None:
        async with workspace.scope() as scope:
            return await _change_labels(workspace, scope, document_id, changes)
    async with workspace.scope() as scope:
        names = await changed_access_names(
            workspace, scope, document_id, changes.visibility, changes.shared_with
        )
    # In the system scope: after the change the caller may no longer see the document.
    async with workspace.system_scope() as scope:
        await wait_for_publications(scope, document_id)
        await _change_labels(workspace, scope, document_id, changes)
        await change_access(scope, document_id, changes.visibility, names)
    async with workspace.scope() as scope:
        try:
            return await stored.get_document(scope, document_id)
        except NotFound:
            return None


async def _change_labels(
    workspace: WorkspaceAccess, scope: WorkspaceScope, document_id: UUID, changes: _Changes
) -> Document:
    """Change the tags and the metadata of a document."""
    # Serialise concurrent changes here, so that no tag is lost.
    await announce_change(scope)
    document = await stored.get_document(scope, document_id)
    workspace.require(Right.WRITE, document.collection)
    tags = None
    if changes.add_tags or changes.remove_tags:
        if document.parent_id is not None:
            raise InvalidRequest(
                f"{document_id} is an attachment, and has the tags of what it is attached to",
                hint=f"change {document.parent_id}",
            )
        tags = _tags(document, changes.add_tags, changes.remove_tags)
    return await change_stored(scope, document, tags=tags, metadata=changes.metadata or None)


def _tags(document: Document, added: Sequence[str], removed: Sequence[str]) -> tuple[str, ...]:
    """The tags after the change. Raises InvalidRequest for too many."""
    combined = dict.fromkeys((*document.tags, *added))
    tags = tuple(tag for tag in combined if tag not in removed)
    if len(tags) > MAX_TAGS:
        raise InvalidRequest(
            f"{document.document_id} would have {len(tags)} tags, and may have {MAX_TAGS}",
            hint="take others away in the same request",
        )
    return tags


def _refusal(error: FootnoteError) -> str:
    hint = error.hint if error.hint and error.hint not in str(error) else None
    return "; ".join(filter(None, (str(error), hint)))
