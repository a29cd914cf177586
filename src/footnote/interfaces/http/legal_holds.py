"""Routes of legal holds: what may not be deleted until an administrator lifts the hold."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import Field

from footnote.domain.retention import LegalHold
from footnote.engine.legal_holds import Reason
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import LegalHoldList
from footnote.validation.constrained_types import Name, PrincipalId

router = workspace_router("privacy")


class SetLegalHold(Request):
    """What is held, and why; exactly one of the three is given beside the reason."""

    reason: Reason
    document_id: UUID | None = Field(
        None, description="With what it is attached to, and its attachments."
    )
    collection: Name | None = Field(None, description="All documents in it, also those to come.")
    principal_id: PrincipalId | None = Field(
        None, description="Its conversations, what it asked, and documents that it handed in."
    )


class LiftLegalHold(Request):
    """Why a hold is lifted."""

    reason: Reason


@router.get("/v1/legal-holds")
async def list_legal_holds(
    workspace: TheWorkspace,
    lifted: Annotated[bool, Query(description="Also those that were lifted.")] = False,
) -> LegalHoldList:
    """List the legal holds in force, oldest first."""
    return LegalHoldList(legal_holds=await workspace.legal_holds(lifted=lifted))


@router.post("/v1/legal-holds", status_code=201)
async def set_legal_hold(workspace: TheWorkspace, hold: SetLegalHold) -> LegalHold:
    """Keep one document, a collection, or all of a principal from being deleted by anything."""
    return await workspace.set_legal_hold(
        hold.reason,
        document_id=hold.document_id,
        collection=hold.collection,
        principal_id=hold.principal_id,
    )


@router.post("/v1/legal-holds/{hold_id}/lift")
async def lift_legal_hold(workspace: TheWorkspace, hold_id: UUID, body: LiftLegalHold) -> LegalHold:
    """Let what was held be deleted again; another hold on the same goes on."""
    return await workspace.lift_legal_hold(hold_id, body.reason)
