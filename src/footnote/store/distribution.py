"""Distribute the tables over a Citus cluster, and move workspaces within it.

Every table with a `workspace_id` is distributed by it and colocated by workspace.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import psycopg
from psycopg.rows import dict_row

from footnote.domain.distribution import (
    ClusterMove,
    ClusterNode,
    ClusterPlan,
    ClusterStatus,
    TableKind,
    WorkspacePlacement,
)
from footnote.errors import Conflict, InvalidRequest, NoSuchWorkspace, StoreUnavailable
from footnote.store.addresses import DatabaseUrls
from footnote.store.distribution_plan import (
    ROOT,
    Connection,
    citus_version,
    kinds_placed,
    plan_of,
    spelled,
)
from footnote.store.statements import load_statements

_LOCK = 0x63697475  # "citu": any number no other program of the operator uses
_SQL = load_statements("citus")
_INSTALL = (
    "install it on every server, add it to shared_preload_libraries, and run CREATE EXTENSION citus"
)


def plan_distribution(urls: DatabaseUrls, shards: int) -> ClusterPlan:
    """Plan the distribution from the catalogue, without changing anything. Blocks.

    Raises StoreUnavailable when the server cannot be reached.
    """
    with _connected(urls.owner) as connection:
        return plan_of(connection, _login_of(urls), shards)


def distribute(urls: DatabaseUrls, shards: int, report: Callable[[str], None]) -> ClusterPlan:
    """Run the remaining statements of the plan one at a time; completed ones are skipped.

    Blocks, and blocks writers too: Citus copies a table's rows under a lock. Raises Conflict with
    the obstacles, StoreUnavailable without Citus or without a node for shards.
    """
    login = _login_of(urls)
    with _connected(urls.owner) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        plan = plan_of(connection, login, shards)
        _require_citus(plan.citus)
        if plan.obstacles:
            obstacle = plan.obstacles[0]
            raise Conflict(
                f"{len(plan.obstacles)} things stand in the way of distributing the tables, the "
                f"first of them {obstacle.name} of {obstacle.table}: {obstacle.why}",
                hint="footnote cluster plan lists them; docs/cluster.md says what each takes",
            )
        if not any(node.active and node.takes_shards for node in _nodes(connection)):
            raise StoreUnavailable(
                "no node of the cluster takes shards",
                hint="add one on the coordinator: SELECT citus_add_node('HOST', 5432)",
            )
        connection.execute(_SQL["allow_triggers"])
        for statement in plan.statements:
            report(statement)
            _run(connection, statement)
        remaining = plan_of(connection, login, shards)
    return ClusterPlan(
        citus=remaining.citus,
        tables=remaining.tables,
        obstacles=(),
        statements=plan.statements,
        ran=True,
    )


def distribution_status(urls: DatabaseUrls, workspace: str | None) -> ClusterStatus:
    """Return the distribution of the tables, and the placement of a workspace. Blocks.

    Raises StoreUnavailable without Citus, and NoSuchWorkspace.
    """
    with _connected(urls.owner) as connection:
        plan = plan_of(connection, "", 1)
        citus = _require_citus(plan.citus)
        tables = [table for table in plan.tables if table.kind is not TableKind.LOCAL]
        rebalancing = connection.execute(_SQL["rebalancing"]).fetchone()
        return ClusterStatus(
            citus=citus,
            nodes=_nodes(connection),
            distributed=sum(table.done for table in tables),
            left=tuple(table.name for table in tables if not table.done),
            placement=None if workspace is None else _placement(connection, workspace),
            rebalancing=None if rebalancing is None else rebalancing["state"],
        )


def isolate_workspace(urls: DatabaseUrls, workspace: str, *, run: bool) -> ClusterMove:
    """Isolate a workspace in a shard of its own; nothing is done if it has one."""
    with _connected(urls.owner) as connection:
        placement = _placement(connection, workspace)
        statement = spelled(
            "SELECT isolate_tenant_to_new_shard({}, {}::uuid, 'CASCADE')",
            f"footnote.{ROOT}",
            str(placement.workspace_id),
        )
        return _moved(connection, [] if placement.isolated else [statement], run=run)


def move_workspace(urls: DatabaseUrls, workspace: str, to: str, *, run: bool) -> ClusterMove:
    """Move the shard of a workspace and colocated ones to a node, if they are elsewhere.

    Raises InvalidRequest when `to` is not a node that takes shards.
    """
    with _connected(urls.owner) as connection:
        placement = _placement(connection, workspace)
        nodes = [node.address for node in _nodes(connection) if node.active and node.takes_shards]
        if to not in nodes:
            raise InvalidRequest(
                f"{to} is no node of the cluster that takes shards",
                hint=f"choose one of {', '.join(nodes)}",
            )
        arguments = [part for address in (placement.address, to) for part in _parts(address)]
        statement = spelled(
            "SELECT citus_move_shard_placement({}, {}, {}, {}, {})", placement.shard_id, *arguments
        )
        return _moved(connection, [] if placement.address == to else [statement], run=run)


def rebalance(urls: DatabaseUrls, *, run: bool) -> ClusterMove:
    """Start Citus' background rebalancing of shards over the nodes."""
    with _connected(urls.owner) as connection:
        _require_citus(citus_version(connection))
        return _moved(connection, ["SELECT citus_rebalance_start()"], run=run)


def _placement(connection: Connection, workspace: str) -> WorkspacePlacement:
    _require_citus(citus_version(connection))
    row = connection.execute(_SQL["workspace"], {"name": workspace}).fetchone()
    if row is None:
        raise NoSuchWorkspace(workspace)
    if kinds_placed(connection).get(ROOT) != TableKind.DISTRIBUTED:
        raise Conflict(
            "the tables are not distributed yet", hint="run footnote cluster apply first"
        )
    placement = connection.execute(
        _SQL["placement"], {"workspace_id": row["workspace_id"]}
    ).fetchone()
    assert placement is not None, "every value has a shard"
    return WorkspacePlacement(
        workspace=workspace,
        workspace_id=row["workspace_id"],
        shard_id=placement["shard_id"],
        address=f"{placement['host']}:{placement['port']}",
        isolated=placement["isolated"],
    )


def _nodes(connection: Connection) -> tuple[ClusterNode, ...]:
    return tuple(
        ClusterNode(
            address=f"{row['host']}:{row['port']}",
            active=row["active"],
            takes_shards=row["takes_shards"],
            shards=row["shards"],
            size_bytes=row["size_bytes"],
        )
        for row in connection.execute(_SQL["nodes"])
    )


def _require_citus(version: str | None) -> str:
    if version is None:
        raise StoreUnavailable("the database has no Citus", hint=_INSTALL)
    return version


def _moved(connection: Connection, statements: Sequence[str], *, run: bool) -> ClusterMove:
    for statement in statements if run else ():
        _run(connection, statement)
    return ClusterMove(statements=tuple(statements), ran=run)


def _run(connection: Connection, statement: str) -> None:
    """Run a statement made by `spelled`, which has quoted its values."""
    try:
        connection.execute(statement)
    except psycopg.Error as error:
        raise StoreUnavailable(
            f"{statement} failed: {str(error).strip()}",
            hint="what ran before it stays; put right what it says and run the command again",
        ) from error


def _parts(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    return host, int(port)


def _login_of(urls: DatabaseUrls) -> str:
    with _connected(urls.application) as connection:
        row = connection.execute("SELECT session_user AS login").fetchone()
    assert row is not None, "a session has a user"
    login: str = row["login"]
    return login


def _connected(url: str) -> Connection:
    try:
        connection = psycopg.connect(url, autocommit=True, row_factory=dict_row)
    except psycopg.OperationalError as error:
        raise StoreUnavailable(
            f"the database cannot be reached: {str(error).strip()}",
            hint="check FOOTNOTE_DATABASE_URL and that the server runs",
        ) from error
    connection.execute("SET search_path = footnote, public, extensions")
    return connection
