"""Sessions of logged-in users: found by their cookie, ended by the user or the provider."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from footnote.domain import Role, Workspace
from footnote.store.coordinator import enter_credential, enter_login, leave_directories
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("sessions")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSession:
    """A stored session and its workspace."""

    credential_id: str
    workspace: Workspace
    secret_hash: bytes
    principal: str
    groups: tuple[str, ...]
    role: Role | None
    issuer: str
    valid: bool
    """Neither expired nor unused for too long."""
    touch: bool
    """Whether its last use was recorded more than a minute ago."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    """A login, with the identifiers of the identity provider."""

    credential_id: str
    secret_hash: bytes
    principal: str
    groups: Sequence[str]
    role: Role | None
    issuer: str
    subject: str
    provider_session: str | None
    lifetime: timedelta


async def find_session(
    database: Database, credential_id: str, idle: timedelta
) -> StoredSession | None:
    """Return the session with that id, from any workspace; None if there is none."""
    async with database.outside() as connection:
        workspace_row = await (
            await connection.execute(_SQL["find"], {"credential_id": credential_id})
        ).fetchone()
    if workspace_row is None:
        return None
    workspace = record_of(Workspace, workspace_row)
    async with database.workspace(workspace.workspace_id, SYSTEM) as scope:
        row = await scope.one(_SQL["get"], {"credential_id": credential_id, "idle": idle})
    if row is None:
        return None
    role = None if row["role"] is None else Role(row["role"])
    return record_of(
        StoredSession, row, workspace=workspace, role=role, secret_hash=bytes(row["secret_hash"])
    )


async def touch_session(database: Database, session: StoredSession) -> None:
    """Record that a session is used, so that it does not expire as idle."""
    async with database.workspace(session.workspace.workspace_id, SYSTEM) as scope:
        await scope.execute(_SQL["touch"], {"credential_id": session.credential_id})


async def add_session(scope: WorkspaceScope, session: NewSession) -> None:
    """Store a session, and delete expired ones."""
    await _delete(scope, "forget_old")
    await enter_credential(scope, "session", session.credential_id)
    await enter_login(
        scope, session.credential_id, session.issuer, session.subject, session.provider_session
    )
    await scope.execute(
        _SQL["add"],
        {
            "credential_id": session.credential_id,
            "secret_hash": session.secret_hash,
            "who": session.principal,
            "groups": list(session.groups),
            "role": session.role,
            "issuer": session.issuer,
            "subject": session.subject,
            "provider_session": session.provider_session,
            "lifetime": session.lifetime,
        },
    )


async def end_session(scope: WorkspaceScope, credential_id: str) -> None:
    """End one session."""
    await _delete(scope, "end", {"credential_id": credential_id})


async def end_sessions_of(scope: WorkspaceScope, principal: str) -> None:
    """End every session of a person in the workspace."""
    await _delete(scope, "end_of_principal", {"who": principal})


async def _delete(
    scope: WorkspaceScope, statement: str, parameters: Mapping[str, object] | None = None
) -> None:
    rows = await scope.all(_SQL[statement], parameters)
    await leave_directories(scope, "session", [row["credential_id"] for row in rows])


async def end_logins(
    database: Database, issuer: str, subject: str | None, provider_session: str | None
) -> int:
    """End the sessions that a provider reports as ended, in every workspace; return how many."""
    parameters = {"issuer": issuer, "subject": subject, "provider_session": provider_session}
    async with database.outside() as connection:
        rows = await (await connection.execute(_SQL["logins"], parameters)).fetchall()
    for row in rows:
        async with database.workspace(row["workspace_id"], SYSTEM) as scope:
            await end_session(scope, row["credential_id"])
    return len(rows)
