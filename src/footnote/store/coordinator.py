"""Does on the coordinator of a cluster what triggers do on one server and cannot do on a node.

Directories lie on all nodes, the queue and who listens on the coordinator: a trigger that runs on
the shard of a row reaches neither. Where the tables are not distributed nothing is done here.
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
    """Whether the tables lie on the nodes of a Citus cluster."""
    for name in ("has_citus", "is_distributed"):
        row = await (await connection.execute(_SQL[name])).fetchone()
        if row is None or not row["found"]:
            return False
    return True


async def enter_credential(scope: WorkspaceScope, kind: CredentialKind, credential_id: str) -> None:
    """Let a new credential be found by its id. Raises UniqueViolation for one that is known."""
    if scope.distributed:
        given = {"kind": kind, "credential_id": credential_id}
        await scope.execute(_SQL["enter_credential"], given)


async def enter_login(
    scope: WorkspaceScope,
    credential_id: str,
    issuer: str,
    subject: str,
    provider_session: str | None,
) -> None:
    """Let a new session be found by what its provider calls it."""
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
    """Forget credentials of the workspace that were deleted."""
    if scope.distributed and credential_ids:
        given = {"kind": kind, "credential_ids": list(credential_ids)}
        await scope.execute(_SQL["leave_directories"], given)


async def announce_events(scope: WorkspaceScope, *document_ids: UUID) -> None:
    """Wake who follows the change of each document, and have endpoints told of it.

    After the change, in its transaction.
    """
    if not scope.distributed:
        return
    cursor = await execute_as_system(
        scope, _SQL["latest_events"], {"document_ids": list(document_ids)}
    )
    for row in await cursor.fetchall():
        await scope.execute(_SQL["announce_event"], row)
