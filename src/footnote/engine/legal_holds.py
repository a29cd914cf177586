"""Legal holds: data that cannot be deleted until an administrator lifts the hold."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, Field

from footnote.domain.retention import LegalHold
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest
from footnote.store import legal_holds as stored
from footnote.validation.constrained_types import Name, PrincipalId, storable

Reason = Annotated[str, Field(min_length=1, max_length=1000), AfterValidator(storable)]


async def legal_holds(workspace: WorkspaceAccess, *, lifted: bool = False) -> tuple[LegalHold, ...]:
    """The holds in force, oldest first, and with `lifted` those that were lifted.

    Of documents, those that the caller may see. For administrators of the whole workspace. Raises
    Forbidden.
    """
    async with workspace.scope() as scope:
        return await stored.list_holds(scope, lifted=lifted)


async def set_legal_hold(
    workspace: WorkspaceAccess,
    reason: Reason,
    *,
    document_id: UUID | None = None,
    collection: Name | None = None,
    principal_id: PrincipalId | None = None,
) -> LegalHold:
    """Place one document, a collection, or all data of a principal under legal hold.

    A collection or a principal need not have anything yet. For administrators of the whole
    workspace. Raises InvalidRequest unless one of the three is named, NotFound for a document, and
    Forbidden.
    """
    if sum(subject is not None for subject in (document_id, collection, principal_id)) != 1:
        raise InvalidRequest(
            "a legal hold is on one thing",
            hint="name a document, a collection or a principal",
        )
    async with workspace.scope() as scope:
        return await stored.set_hold(
            scope,
            reason,
            document_id=document_id,
            collection=collection,
            principal_id=principal_id,
        )


async def lift_legal_hold(workspace: WorkspaceAccess, hold_id: UUID, reason: Reason) -> LegalHold:
    """Lift a legal hold. Raises NotFound where it is not in force, and Forbidden.

    Another hold on the same goes on. For administrators of the whole workspace.
    """
    async with workspace.scope() as scope:
        return await stored.lift_hold(scope, hold_id, reason)
