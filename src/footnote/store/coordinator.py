"""Do on the coordinator of a Citus cluster what triggers do on a single server.

The directories are reference tables on all nodes, and the queue and the listeners are on the
coordinator: a trigger that runs on a shard reaches neither. Without Citus nothing is done here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from footnote.store.database import Connection, WorkspaceScope, execute_as_system
from footnote.store.statements import load_statements

CredentialKind = Literal["key", "session", "link"]

_SQL = load_statements("coordinator")


async def is_distributed(connection: Connection) -> bool:
    """Whether the tables are distributed over a Citus cluster."""
    for name in ("has_citus", "is_distributed"):
        row = await (await connection.execute(_SQL[name])).fetchone()
        if row is None or not row["found"]:
            return False
    return True


async def enter_credential(scope: WorkspaceScope, kind: CredentialKind, credential_id: str) -> None:
    """Add a credential to the directory of ids. Raises UniqueViolation for a known id."""
    if scope.distributed:
        parameters = {"kind": kind, "credential_id": credential_id}
        await scope.execute(_SQL["enter_credential"], parameters)


async def enter_login(
    scope: WorkspaceScope,
    credential_id: str,
    issuer: str,
    subject: str,
    provider_session: str | None,
) -> None:
    """Add a session to the directory by its issuer, subject and provider session."""
    if scope.distributed:
        await scope.execute(
            _SQL["enter_login"],
            {
                "credential_id": credential_id,
                "issuer": issuer,
                "subject": subject,
                "provider_session": provider_session,
            },
        )


async def leave_directories(
    scope: WorkspaceScope, kind: CredentialKind, credential_ids: Sequence[str]
) -> None:
    """Remove deleted credentials of the workspace from the directories."""
    if scope.distributed and credential_ids:
        parameters = {"kind": kind, "credential_ids": list(credential_ids)}
        await scope.execute(_SQL["leave_directories"], parameters)


async def announce_events(scope: WorkspaceScope, *document_ids: UUID) -> None:
    """Notify listeners of the latest event of each document, and queue webhook deliveries.

    Call it after the change, in the same transaction.
    """
    if not scope.distributed:
        return
    cursor = await execute_as_system(
        scope, _SQL["latest_events"], {"document_ids": list(document_ids)}
    )
    for row in await cursor.fetchall():
        await scope.execute(_SQL["announce_event"], row)
