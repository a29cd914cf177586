"""The audit log of a workspace: read, exported and verified; only acts add to it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from uuid import UUID

from pydantic import AwareDatetime

from footnote.domain.audit import Act, AuditEntry, AuditHead, AuditPage, AuditVerification
from footnote.engine.services import WorkspaceAccess
from footnote.security.audit import Verifier
from footnote.store.audit import AuditFilter, all_entries, list_entries
from footnote.validation.constrained_types import Name, PageLimit


async def audit_entries(
    workspace: WorkspaceAccess,
    *,
    principal_id: Name | None = None,
    act: Act | None = None,
    document_id: UUID | None = None,
    since: AwareDatetime | None = None,
    until: AwareDatetime | None = None,
    limit: PageLimit = 50,
    cursor: str | None = None,
) -> AuditPage:
    """List the audit entries that match all given filters, newest first.

    For administrators of the whole workspace. Raises InvalidRequest, and Forbidden.
    """
    criteria = AuditFilter(
        principal=principal_id, act=act, document_id=document_id, since=since, until=until
    )
    async with workspace.scope() as scope:
        return await list_entries(scope, criteria, limit=limit, cursor=cursor)


async def export_audit(workspace: WorkspaceAccess) -> AsyncGenerator[AuditEntry]:
    """Yield every audit entry, oldest first, with what is needed to verify it elsewhere.

    For administrators of the whole workspace. Raises Forbidden.
    """
    entries = all_entries(workspace.engine.database, workspace.workspace_id, workspace.principal)
    async with aclosing(entries):
        async for entry in entries:
            yield entry


async def verify_audit(
    workspace: WorkspaceAccess, kept: Sequence[AuditHead] = ()
) -> AuditVerification:
    """Verify the hash chain of the audit log.

    Heads that were kept elsewhere also reveal truncation or rewriting. For administrators of the
    whole workspace. Raises Forbidden.
    """
    verifier = Verifier(workspace.workspace_id, kept)
    entries = all_entries(workspace.engine.database, workspace.workspace_id, workspace.principal)
    async with aclosing(entries):
        async for entry in entries:
            verifier.look_at(entry)
    verifier.finish()
    return AuditVerification(
        intact=not verifier.faults,
        entries=verifier.entries,
        head=verifier.head,
        faults=tuple(verifier.faults),
    )
