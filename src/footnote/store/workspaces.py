"""Workspaces and their lanes: create, find by name, list for the operator."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from uuid import uuid4

import psycopg
from psycopg.rows import dict_row

from footnote.domain import Lane, Workspace, WorkspaceStats
from footnote.errors import Conflict, InvalidRequest, LaneMismatch, NoSuchWorkspace
from footnote.store.database import Database, WorkspaceScope, workspace_gone
from footnote.store.statements import load_statements, record_of
from footnote.validation.text import is_storable

_SQL = load_statements("workspaces")


async def create_workspace(database: Database, name: str, *, encrypted: bool = False) -> Workspace:
    """Create a workspace; whether its content is encrypted cannot be changed later.

    Raises Conflict when the name is taken, InvalidRequest when it is invalid, and KeyUnavailable.
    """
    if not is_storable(name):
        raise _invalid_name(name)
    parameters: dict[str, object] = {"name": name, "id": (workspace_id := uuid4())}
    statement = _SQL["create_encrypted" if encrypted else "create"]
    try:
        async with database.outside() as connection:
            if encrypted:
                parameters |= asdict(await database.keys.new_keys(workspace_id, connection))
            else:
                parameters["key"] = secrets.token_bytes(32)
            row = await (await connection.execute(statement, parameters)).fetchone()
    except psycopg.errors.CheckViolation as error:
        raise _invalid_name(name) from error
    if row is None:
        raise Conflict(
            f"there is a workspace {name!r} already",
            hint="work in it, or choose another name than footnote workspace list shows",
        )
    return record_of(Workspace, row)


async def find_workspace(database: Database, name: str) -> Workspace:
    """The workspace of this name. Raises NoSuchWorkspace."""
    if not is_storable(name):
        raise NoSuchWorkspace(name)
    async with database.outside() as connection:
        row = await (await connection.execute(_SQL["find"], {"name": name})).fetchone()
    if row is None:
        raise NoSuchWorkspace(name)
    return record_of(Workspace, row)


async def list_workspaces(owner_url: str) -> tuple[Workspace, ...]:
    """Every workspace by name; an operator's view, through the owner's login."""
    connection = await psycopg.AsyncConnection.connect(owner_url, row_factory=dict_row)
    async with connection:
        rows = await (await connection.execute(_SQL["list"])).fetchall()
    return tuple(record_of(Workspace, row) for row in rows)


async def lexical_key(scope: WorkspaceScope) -> bytes:
    """Return the key of the workspace's term ids, 32 bytes."""
    row = await scope.one(_SQL["lexical_key"])
    if row is None:
        raise workspace_gone()
    return scope.sealing.lexical_key(bytes(row["lexical_key"]))


async def existing_lane(scope: WorkspaceScope, lane: Lane) -> int | None:
    """The number of the workspace's lane of that name; None while it has none.

    Raises LaneMismatch when the workspace was embedded by another model: vectors of two
    lanes cannot be compared, so searching on would silently return nonsense.
    """
    row = await scope.one(_SQL["active_lane"], {"name": lane.name})
    if row is None:
        return None
    assert_same_lane(record_of(Lane, row), lane)
    return int(row["lane_id"])


async def adopt_lane(scope: WorkspaceScope, lane: Lane) -> int:
    """Return the number of the workspace's lane of that name; without one, adopt the one at hand.

    Raises LaneMismatch as `existing_lane` does.
    """
    lane_id = await existing_lane(scope, lane)
    if lane_id is not None:
        return lane_id
    await scope.execute(_SQL["adopt_lane"], lane_parameters(lane))
    lane_id = await existing_lane(scope, lane)
    assert lane_id is not None, "somebody has just adopted a lane"
    return lane_id


def lane_parameters(lane: Lane) -> dict[str, object]:
    """Give the parameters that describe a lane to a statement."""
    return asdict(lane) | {"languages": list(lane.languages)}


def assert_same_lane(stored: Lane, current: Lane) -> None:
    """Raise LaneMismatch unless vectors of the two can be compared."""
    if stored.fingerprint != current.fingerprint:
        raise LaneMismatch(
            f"the workspace's vectors are of lane {stored.fingerprint}, the model at hand is "
            f"{current.fingerprint}",
            hint="start Footnote with the settings the workspace was embedded with",
        )


def _invalid_name(name: str) -> InvalidRequest:
    return InvalidRequest(
        f"{name!r} cannot name a workspace",
        hint="use 1 to 63 lower-case letters, digits, '-', '_' or '.', beginning with a "
        "letter or digit",
    )


async def workspace_stats(scope: WorkspaceScope, lane: Lane) -> WorkspaceStats:
    """Count what the principal may see.

    Segments belong to the whole workspace; a principal with roles in single collections only gets
    0.
    """
    by_status = await scope.all(_SQL["count_documents"])
    segments = 0
    if scope.principal.role is not None:
        segments = (await scope.single(_SQL["count_segments"]))["segments"]
    return WorkspaceStats(
        documents=sum(row["documents"] for row in by_status),
        chunks=sum(row["chunks"] for row in by_status),
        documents_by_status={row["status"]: row["documents"] for row in by_status},
        segments=segments,
        lane=lane,
    )
