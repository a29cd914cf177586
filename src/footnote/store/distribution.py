"""Plans how the tables lie on a Citus cluster from what the catalogue says, and has them lie so.

Every table with a `workspace_id` is distributed by it, beside all others of its workspace.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from graphlib import TopologicalSorter
from typing import LiteralString

import psycopg
from psycopg import sql
from psycopg.rows import DictRow, dict_row

from footnote.domain.distribution import (
    ClusterMove,
    ClusterNode,
    ClusterPlan,
    ClusterStatus,
    Obstacle,
    PlannedTable,
    TableKind,
    WorkspacePlacement,
)
from footnote.errors import Conflict, InvalidRequest, NoSuchWorkspace, StoreUnavailable
from footnote.store.addresses import DatabaseUrls
from footnote.store.statements import load_statements

Connection = psycopg.Connection[DictRow]

ROOT = "workspaces"
"""The table beside whose shards all others lie."""
COLUMN = "workspace_id"
REFERENCE = {
    "workspace_directory": "asked for a name before the workspace is known",
    "credential_directory": "asked for a credential before its workspace is known",
    "login_directory": "asked for a person's logins in all workspaces",
}
LOCAL = {
    "migrations": "read when a process starts",
    "failed_credentials": "counts failures of sources that belong to no workspace",
    "spans": "traces for the operator, without anything of a customer",
}
_QUEUE = "procrastinate_"
_OF_QUEUE = "the job queue: small, and its jobs are taken in one place"
_UNSAID = (TableKind.LOCAL, "has no workspace, and nobody has said where it lies")
_LOCK = 0x63697475  # "citu": any number no other program of the operator uses
_SQL = load_statements("citus")
_ASKS_TABLE = "asks another table who may see a row"
_ASKS_ACCESS = "reads the access list, once for all rows instead of for each"
_OF_TRIGGERS = {
    "list": "it writes a reference table, which a statement on a shard may not",
    "tell": "what it notifies there reaches nobody who listens on the coordinator",
    "ask": "with citus.enable_unsafe_triggers on every node it may ask tables beside it, if each "
    "of its statements names the workspace by a value; this was not tried",
}
_INSTALL = (
    "install it on every server, add it to shared_preload_libraries, and run CREATE EXTENSION citus"
)


def plan_distribution(urls: DatabaseUrls, shards: int) -> ClusterPlan:
    """What distributing takes, from the catalogue; changes nothing. Blocks.

    Raises StoreUnavailable when the server cannot be reached.
    """
    with _connected(urls.owner) as connection:
        return _plan(connection, _login_of(urls), shards)


def distribute(urls: DatabaseUrls, shards: int, tell: Callable[[str], None]) -> ClusterPlan:
    """Run what is left of the plan, a statement at a time; what was run before is not run again.

    Blocks, also writers: Citus copies a table's rows under a lock. Raises Conflict with the
    obstacles, StoreUnavailable without Citus or without a node for shards.
    """
    login = _login_of(urls)
    with _connected(urls.owner) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        plan = _plan(connection, login, shards)
        _require_citus(plan.citus)
        if plan.obstacles:
            first = plan.obstacles[0]
            raise Conflict(
                f"{len(plan.obstacles)} things stand in the way of distributing the tables, the "
                f"first of them {first.name} of {first.table}: {first.why}",
                hint="footnote cluster plan lists them; docs/cluster.md says what each takes",
            )
        if not any(node.active and node.takes_shards for node in _nodes(connection)):
            raise StoreUnavailable(
                "no node of the cluster takes shards",
                hint="add one on the coordinator: SELECT citus_add_node('HOST', 5432)",
            )
        for statement in plan.statements:
            tell(statement)
            _run(connection, statement)
        left = _plan(connection, login, shards)
    return ClusterPlan(
        citus=left.citus,
        tables=left.tables,
        obstacles=(),
        statements=plan.statements,
        ran=True,
    )


def distribution_status(urls: DatabaseUrls, workspace: str | None) -> ClusterStatus:
    """How the tables lie now, and where the named workspace does. Blocks.

    Raises StoreUnavailable without Citus, and NoSuchWorkspace.
    """
    with _connected(urls.owner) as connection:
        plan = _plan(connection, "", 1)
        citus = _require_citus(plan.citus)
        wanted = [table for table in plan.tables if table.kind is not TableKind.LOCAL]
        rebalancing = connection.execute(_SQL["rebalancing"]).fetchone()
        return ClusterStatus(
            citus=citus,
            nodes=_nodes(connection),
            distributed=sum(table.done for table in wanted),
            left=tuple(table.name for table in wanted if not table.done),
            placement=None if workspace is None else _placement(connection, workspace),
            rebalancing=None if rebalancing is None else rebalancing["state"],
        )


def isolate_workspace(urls: DatabaseUrls, workspace: str, *, run: bool) -> ClusterMove:
    """Give a workspace a shard that it shares with no other; nothing where it has one."""
    with _connected(urls.owner) as connection:
        found = _placement(connection, workspace)
        statement = _text(
            "SELECT isolate_tenant_to_new_shard({}, {}::uuid, 'CASCADE')",
            f"footnote.{ROOT}",
            str(found.workspace_id),
        )
        return _moved(connection, [] if found.isolated else [statement], run=run)


def move_workspace(urls: DatabaseUrls, workspace: str, to: str, *, run: bool) -> ClusterMove:
    """Move the shard of a workspace, and what lies beside it, to a node; nothing where it is there.

    Raises InvalidRequest when `to` is no node that takes shards.
    """
    with _connected(urls.owner) as connection:
        found = _placement(connection, workspace)
        nodes = [node.address for node in _nodes(connection) if node.active and node.takes_shards]
        if to not in nodes:
            raise InvalidRequest(
                f"{to} is no node of the cluster that takes shards",
                hint=f"choose one of {', '.join(nodes)}",
            )
        places = [part for address in (found.address, to) for part in _parts(address)]
        statement = _text(
            "SELECT citus_move_shard_placement({}, {}, {}, {}, {})", found.shard_id, *places
        )
        return _moved(connection, [] if found.address == to else [statement], run=run)


def rebalance(urls: DatabaseUrls, *, run: bool) -> ClusterMove:
    """Have Citus spread the shards over its nodes in the background."""
    with _connected(urls.owner) as connection:
        _require_citus(_version(connection))
        return _moved(connection, ["SELECT citus_rebalance_start()"], run=run)


def _plan(connection: Connection, login: str, shards: int) -> ClusterPlan:
    citus = _version(connection)
    placed = {} if citus is None else _placed(connection)
    rows = {row["name"]: row for row in connection.execute(_SQL["tables"])}
    kinds = {name: _kind_of(name, row) for name, row in rows.items()}
    foreign = connection.execute(_SQL["foreign_keys"]).fetchall()
    tables = tuple(
        PlannedTable(
            name=name,
            kind=kinds[name][0],
            reason=kinds[name][1],
            size_bytes=rows[name]["size_bytes"],
            done=kinds[name][0] is TableKind.LOCAL or placed.get(name) == kinds[name][0],
        )
        for name in _order(kinds, foreign)
    )
    return ClusterPlan(
        citus=citus,
        tables=tables,
        obstacles=tuple(_obstacles(connection, rows, kinds, foreign)),
        statements=tuple(_statements(connection, tables, login, shards)),
        ran=False,
    )


def _kind_of(name: str, row: DictRow) -> tuple[TableKind, str]:
    if name in REFERENCE:
        return TableKind.REFERENCE, REFERENCE[name]
    if name in LOCAL or name.startswith(_QUEUE):
        return TableKind.LOCAL, LOCAL.get(name, _OF_QUEUE)
    if row["tenant_type"] is None:
        return _UNSAID
    return TableKind.DISTRIBUTED, ""


def _order(kinds: dict[str, tuple[TableKind, str]], foreign: Sequence[DictRow]) -> Iterator[str]:
    """Reference tables, distributed ones with the root first, local ones; targets before others."""
    targets: defaultdict[str, set[str]] = defaultdict(set)
    for key in foreign:
        if key["target"] != key["table_name"]:
            targets[key["table_name"]].add(key["target"])
    graph = {name: sorted(targets[name]) for name in sorted(kinds, key=lambda name: name != ROOT)}
    order = list(TopologicalSorter(graph).static_order())
    for kind in (TableKind.REFERENCE, TableKind.DISTRIBUTED, TableKind.LOCAL):
        ofkind = [name for name in order if kinds[name][0] is kind]
        yield from sorted(ofkind, key=lambda name: name != ROOT)


def _obstacles(
    connection: Connection,
    rows: dict[str, DictRow],
    kinds: dict[str, tuple[TableKind, str]],
    foreign: Sequence[DictRow],
) -> Iterator[Obstacle]:
    distributed = {name for name, (kind, _) in kinds.items() if kind is TableKind.DISTRIBUTED}
    keys = connection.execute(_SQL["unique_keys"]).fetchall()
    keyed = {key["table_name"] for key in keys}
    for name, row in rows.items():
        yield from _table_obstacles(row, kinds[name], keyed=name in keyed)
    for key in keys:
        if key["table_name"] in distributed and key["columns"][:1] != [COLUMN]:
            yield _obstacle(key, f"a key of a distributed table must begin with {COLUMN}")
    for key in foreign:
        yield from _foreign_obstacles(key, kinds)
    for policy in connection.execute(_SQL["policies"]):
        if policy["table_name"] in distributed:
            asked = _ASKS_TABLE if policy["asks_table"] else _ASKS_ACCESS
            yield _obstacle(policy, f"Citus takes no policy with a subquery, and this one {asked}")
    for trigger in connection.execute(_SQL["triggers"]):
        if trigger["table_name"] in distributed:
            why = _OF_TRIGGERS[trigger["does"]]
            yield _obstacle(trigger, f"{trigger['function']} runs on the node of a shard: {why}")


def _table_obstacles(
    row: DictRow, kind: tuple[TableKind, str], *, keyed: bool
) -> Iterator[Obstacle]:
    name = row["name"]
    if kind == _UNSAID:
        yield Obstacle(table=name, name=name, why=kind[1])
    if kind[0] is not TableKind.DISTRIBUTED:
        return
    if row["tenant_type"] != "uuid" or not row["tenant_set"]:
        why = f"{COLUMN} must be a uuid that is never null, as in every table beside it"
        yield Obstacle(table=name, name=COLUMN, why=why)
    if not keyed:
        yield Obstacle(table=name, name=name, why="a table without a key cannot be moved online")


def _foreign_obstacles(key: DictRow, kinds: dict[str, tuple[TableKind, str]]) -> Iterator[Obstacle]:
    own, target = kinds[key["table_name"]][0], kinds[key["target"]][0]
    if own is TableKind.DISTRIBUTED and target is TableKind.LOCAL:
        yield _obstacle(key, f"refers to {key['target']}, which is not on the nodes")
    elif own is not TableKind.DISTRIBUTED and target is TableKind.DISTRIBUTED:
        yield _obstacle(key, f"refers to {key['target']}, whose rows are on other nodes")
    elif own is TableKind.DISTRIBUTED is target and not key["within_workspace"]:
        yield _obstacle(key, f"may refer to another workspace's row of {key['target']}")
    elif own is TableKind.DISTRIBUTED and key["sets_columns"]:
        yield _obstacle(key, f"would set {COLUMN} to nothing, which Citus refuses")


def _obstacle(row: DictRow, why: str) -> Obstacle:
    return Obstacle(table=row["table_name"], name=row["name"], why=why)


def _statements(
    connection: Connection, tables: Sequence[PlannedTable], login: str, shards: int
) -> Iterator[str]:
    found = connection.execute(_SQL["login_set"], {"login": login}).fetchone()
    if login and found is not None and not found["found"]:
        statement = sql.SQL(
            "ALTER ROLE {} IN DATABASE {} SET citus.propagate_set_commands = 'local'"
        )
        names = (sql.Identifier(login), sql.Identifier(found["database"]))
        yield statement.format(*names).as_string(connection)
    for table in tables:
        name = f"footnote.{table.name}"
        if table.done:
            continue
        if table.kind is TableKind.REFERENCE:
            yield _text("SELECT create_reference_table({})", name)
        elif table.name == ROOT:
            yield _text(
                "SELECT create_distributed_table({}, {}, colocate_with => 'none', "
                "shard_count => {})",
                name,
                COLUMN,
                shards,
            )
        else:
            yield _text(
                "SELECT create_distributed_table({}, {}, colocate_with => {})",
                name,
                COLUMN,
                f"footnote.{ROOT}",
            )


def _placement(connection: Connection, workspace: str) -> WorkspacePlacement:
    _require_citus(_version(connection))
    row = connection.execute(_SQL["workspace"], {"name": workspace}).fetchone()
    if row is None:
        raise NoSuchWorkspace(workspace)
    if _placed(connection).get(ROOT) != TableKind.DISTRIBUTED:
        raise Conflict(
            "the tables are not distributed yet", hint="run footnote cluster apply first"
        )
    found = connection.execute(_SQL["placement"], {"workspace_id": row["workspace_id"]}).fetchone()
    assert found is not None, "every value has a shard"
    return WorkspacePlacement(
        workspace=workspace,
        workspace_id=row["workspace_id"],
        shard_id=found["shard_id"],
        address=f"{found['host']}:{found['port']}",
        isolated=found["isolated"],
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


def _placed(connection: Connection) -> dict[str, str]:
    return {row["name"]: row["kind"] for row in connection.execute(_SQL["placed"])}


def _version(connection: Connection) -> str | None:
    row = connection.execute(_SQL["version"]).fetchone()
    if row is None or not row["installed"]:
        return None
    told = connection.execute(_SQL["version_text"]).fetchone()
    return None if told is None else told["version"]


def _require_citus(version: str | None) -> str:
    if version is None:
        raise StoreUnavailable("the database has no Citus", hint=_INSTALL)
    return version


def _moved(connection: Connection, statements: Sequence[str], *, run: bool) -> ClusterMove:
    for statement in statements if run else ():
        _run(connection, statement)
    return ClusterMove(statements=tuple(statements), ran=run)


def _run(connection: Connection, statement: str) -> None:
    """Run a statement of `_text`, whose values are quoted already."""
    try:
        connection.execute(statement)
    except psycopg.Error as error:
        raise StoreUnavailable(
            f"{statement} failed: {str(error).strip()}",
            hint="what ran before it stays; put right what it says and run the command again",
        ) from error


def _text(statement: LiteralString, *values: str | int) -> str:
    """A statement as it is shown and run, each value quoted in its place."""
    return sql.SQL(statement).format(*map(sql.Literal, values)).as_string(None)


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
