"""Routes that change, delete or try several documents again in one request."""

from __future__ import annotations

from pydantic import Field

from footnote.domain import MAX_TAGS, Visibility
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import DocumentOutcomes, RetryReport
from footnote.validation.constrained_types import (
    MAX_CHANGES,
    MAX_SHARED,
    DocumentIds,
    MetadataValue,
    Name,
    Subject,
    Tags,
)

router = workspace_router("documents")


class SeveralDocuments(Request):
    """Which documents are meant."""

    document_ids: DocumentIds = Field(description="Up to 500 of them; each counts once.")


class SeveralChanges(SeveralDocuments):
    """What is to be changed of each; what is not named stays."""

    add_tags: Tags = Field((), max_length=MAX_TAGS, description="Beside those that it has.")
    remove_tags: Tags = Field((), max_length=MAX_TAGS, description="Those of them that it has.")
    metadata: dict[Name, MetadataValue | None] | None = Field(
        None,
        max_length=MAX_CHANGES,
        description="Merged with what there is; a member that is null is removed.",
        examples=[{"year": 2025, "draft": None}],
    )
    visibility: Visibility | None = Field(None, description="Who sees it from now on.")
    shared_with: tuple[Subject, ...] = Field(
        (), max_length=MAX_SHARED, description="Beside that, with its `visibility`."
    )


@router.post("/v1/documents/changes")
async def change_documents(workspace: TheWorkspace, changes: SeveralChanges) -> DocumentOutcomes:
    """Change tags, metadata and access of several documents.

    Each one is changed or refused by itself, and the answer says which.
    """
    return DocumentOutcomes(
        documents=await workspace.change_documents(
            changes.document_ids,
            add_tags=changes.add_tags,
            remove_tags=changes.remove_tags,
            metadata=changes.metadata,
            visibility=changes.visibility,
            shared_with=changes.shared_with,
        )
    )


@router.post("/v1/documents/deletions")
async def delete_documents(
    workspace: TheWorkspace, selection: SeveralDocuments
) -> DocumentOutcomes:
    """Delete several documents, their attachments and everything made from them.

    Each one is deleted or refused by itself, and the answer says which.
    """
    return DocumentOutcomes(documents=await workspace.delete_documents(selection.document_ids))


@router.post("/v1/documents/retries", status_code=202)
async def retry_documents(workspace: TheWorkspace, selection: SeveralDocuments) -> RetryReport:
    """Queue several failed documents once more; the answer says which were refused, and why."""
    return RetryReport(documents=await workspace.retry_all(selection.document_ids))
