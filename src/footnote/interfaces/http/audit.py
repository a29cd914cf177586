"""Routes of the audit log: who did what, which documents they were shown, and whether it holds."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import AwareDatetime, Field

from footnote.domain.audit import Act, AuditHead, AuditPage, AuditVerification
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.validation.constrained_types import Name, PageLimit

router = workspace_router("audit")

MAX_HEADS = 1000


class KeptHead(Request):
    """The last entry of the log at some time, as it was kept elsewhere."""

    entry_no: int = Field(ge=1)
    entry_hash: str = Field(pattern="^[0-9a-f]{64}$")


class Verify(Request):
    """What the log is held against."""

    kept: tuple[KeptHead, ...] = Field(
        (), max_length=MAX_HEADS, description="Heads of earlier verifications, kept elsewhere."
    )


@router.get("/v1/audit")
async def list_audit_entries(
    workspace: TheWorkspace,
    *,
    principal_id: Annotated[Name | None, Query(description="Of this principal alone.")] = None,
    act: Annotated[Act | None, Query(description="Of this kind alone.")] = None,
    document_id: Annotated[
        UUID | None, Query(description="That showed or changed this document.")
    ] = None,
    since: Annotated[AwareDatetime | None, Query(description="From this time on.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Before this time.")] = None,
    limit: Annotated[PageLimit, Query(description="The most entries of a page.")] = 50,
    cursor: Annotated[
        str | None, Query(max_length=20, description="`next_cursor` of the page before.")
    ] = None,
) -> AuditPage:
    """List what was done in the workspace, newest first."""
    return await workspace.audit_entries(
        principal_id=principal_id,
        act=act,
        document_id=document_id,
        since=since,
        until=until,
        limit=limit,
        cursor=cursor,
    )


@router.post("/v1/audit/verify")
async def verify_audit(workspace: TheWorkspace, body: Verify) -> AuditVerification:
    """Verify that no entry of the log was changed, removed or put in between.

    Keep the head of the answer elsewhere: given with a later request, it also shows whether the
    log was cut off or written anew.
    """
    heads = [AuditHead(entry_no=head.entry_no, entry_hash=head.entry_hash) for head in body.kept]
    return await workspace.verify_audit(heads)
