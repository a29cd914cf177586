"""Routes of access: roles, and who sees a document."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import Field

from footnote.domain import AccessExplanation, DocumentAccess, Grant, Role, Visibility
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import GrantList
from footnote.validation.constrained_types import (
    MAX_SHARED,
    AnyPrincipalId,
    AnySubject,
    Name,
    Subject,
)

router = workspace_router("access")


class GrantRole(Request):
    """A role for somebody, in the workspace or in a collection."""

    subject: Subject = Field(description="A principal, or `group:` and a group's name.")
    role: Role
    collection: Name | None = Field(None, description="Where; the whole workspace if null.")


class SetDocumentAccess(Request):
    """Who is to see a document."""

    visibility: Visibility
    shared_with: tuple[Subject, ...] = Field((), max_length=MAX_SHARED)


@router.get("/v1/grants")
async def list_grants(workspace: TheWorkspace) -> GrantList:
    """List the roles that were granted where you may administer."""
    return GrantList(grants=await workspace.grants())


@router.put("/v1/grants")
async def grant_role(workspace: TheWorkspace, grant: GrantRole) -> Grant:
    """Grant a role, in the place of one granted there before."""
    return await workspace.grant_role(grant.subject, grant.role, collection=grant.collection)


@router.delete("/v1/grants", status_code=204)
async def revoke_role(
    workspace: TheWorkspace,
    subject: Annotated[AnySubject, Query(description="As it was granted.")],
    collection: Annotated[
        Name | None, Query(description="Where; the whole workspace without it.")
    ] = None,
) -> None:
    """Revoke a role."""
    await workspace.revoke_role(subject, collection=collection)


@router.get("/v1/documents/{document_id}/access")
async def get_document_access(workspace: TheWorkspace, document_id: UUID) -> DocumentAccess:
    """Show who sees a document."""
    return await workspace.document_access(document_id)


@router.put("/v1/documents/{document_id}/access")
async def set_document_access(
    workspace: TheWorkspace, document_id: UUID, access: SetDocumentAccess
) -> DocumentAccess:
    """Change who sees a document and its attachments, from the next search on."""
    return await workspace.set_document_access(
        document_id, access.visibility, shared_with=access.shared_with
    )


@router.get("/v1/documents/{document_id}/access/explanation")
async def explain_access(
    *,
    workspace: TheWorkspace,
    document_id: UUID,
    principal: Annotated[AnyPrincipalId, Query(description="Who it is about.")],
    group: Annotated[
        list[Name] | None, Query(description="A group of theirs; may be repeated.")
    ] = None,
    role: Annotated[
        Role | None, Query(description="What their credential says of the whole workspace.")
    ] = None,
) -> AccessExplanation:
    """Explain why somebody sees a document, or does not."""
    return await workspace.explain_access(document_id, principal, groups=group or (), role=role)
