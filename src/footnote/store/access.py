"""Store the roles granted in a workspace, and the access lists of documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.rows import DictRow

from footnote.domain import Grant, Principal, Role, Visibility
from footnote.domain.identity import ADMINISTRATORS, MEMBERS, SYSTEM_NAME
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.document_locks import lock_family, wait_for_publications
from footnote.store.documents import no_such_document
from footnote.store.receiving import announce_change
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("access")
_PASSED_ON_AT_ONCE = 20
"""Documents per transaction, so that each transaction is short."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAccess:
    """The stored access control of a document."""

    collection: str
    created_by: str
    parent_id: UUID | None
    visibility: Visibility
    access: tuple[str, ...] | None
    """Access names that may read it; None admits every role in the workspace or in the
    collection."""

    @property
    def shared_with(self) -> tuple[str, ...]:
        """The names it is shared with individually, without those that its visibility implies."""
        implied = {self.created_by, f"collection:{self.collection}", ADMINISTRATORS, SYSTEM_NAME}
        return tuple(name for name in self.access or () if name not in implied)

    @property
    def admits(self) -> tuple[str, ...]:
        """Every access name that the row-level security policy on `documents` admits."""
        return self.access or (MEMBERS, f"collection:{self.collection}")


async def list_grants(scope: WorkspaceScope) -> tuple[Grant, ...]:
    """List every grant of the workspace, by subject and collection."""
    return tuple(map(_grant_of, await scope.all(_SQL["grants"])))


async def grants_of(scope: WorkspaceScope, principal: Principal) -> tuple[Grant, ...]:
    """List what was granted to a principal or to one of its groups."""
    subjects = [principal.principal_id, *(f"group:{name}" for name in principal.groups)]
    return tuple(map(_grant_of, await scope.all(_SQL["grants_of"], {"subjects": subjects})))


def _grant_of(row: DictRow) -> Grant:
    return record_of(Grant, row, role=Role(row["role"]), collection=row["collection"] or None)


async def grant_role(
    scope: WorkspaceScope, subject: str, role: Role, collection: str | None
) -> Grant:
    """Grant a role, replacing an earlier one of the subject in the same place."""
    row = await scope.single(
        _SQL["grant"], {"subject": subject, "role": role, "collection": collection or ""}
    )
    return _grant_of(row)


async def revoke_role(scope: WorkspaceScope, subject: str, collection: str | None) -> bool:
    """Revoke a role; return whether there was one."""
    parameters = {"subject": subject, "collection": collection or ""}
    return bool(await scope.change(_SQL["revoke"], parameters))


async def stored_access(scope: WorkspaceScope, document_id: UUID) -> StoredAccess:
    """Read who sees a document. Raises NotFound for one that is absent or hidden."""
    row = await scope.one(_SQL["document_access"], {"document_id": document_id})
    if row is None:
        raise no_such_document(document_id)
    return record_of(StoredAccess, row, visibility=Visibility(row["visibility"]))


async def pass_readers_on(database: Database, workspace_id: UUID) -> int:
    """Copy the access lists of documents to rows written before those had them; count documents.

    Works in small batches, each committed. A document that is in use is left for another run.
    """
    passed_on = 0
    while True:
        async with database.workspace(workspace_id, SYSTEM) as scope:
            row = await scope.single(_SQL["pass_readers_on"], {"most": _PASSED_ON_AT_ONCE})
        if not row["documents"]:
            return passed_on
        passed_on += row["documents"]


async def change_access(
    scope: WorkspaceScope,
    document_id: UUID,
    visibility: Visibility,
    access: Sequence[str] | None,
) -> None:
    """Change who sees a document and its attachments, which invalidates cached searches.

    Waits for publications in progress of them, so that their rows get the same readers.
    """
    await wait_for_publications(scope, document_id)
    await announce_change(scope)
    await lock_family(scope, document_id)
    await scope.execute(
        _SQL["change_access"],
        {
            "document_id": document_id,
            "visibility": visibility,
            "access": None if access is None else list(access),
        },
    )
