"""Plan the distribution of tables over a Citus cluster from the catalogue."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from graphlib import TopologicalSorter
from itertools import product
from typing import LiteralString

import psycopg
from psycopg import sql
from psycopg.rows import DictRow

from footnote.domain.distribution import ClusterPlan, Obstacle, PlannedTable, TableKind
from footnote.store.statements import load_statements

Connection = psycopg.Connection[DictRow]

ROOT = "workspaces"
"""The table with whose shards all others are colocated."""
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
_UNDECLARED = (TableKind.LOCAL, "has no workspace, and nobody has said where it lies")
_SQL = load_statements("migrating") | load_statements("citus")
_SETTINGS: tuple[tuple[LiteralString, LiteralString], ...] = (
    ("citus.propagate_set_commands", "local"),
    ("citus.enable_unsafe_triggers", "on"),
)
"""Role settings: SET LOCAL is propagated to the nodes, so the workspace is known there, and
triggers may run on them."""
_CALL = re.compile(r"\bfootnote\.(\w+)\(")
_LEAVES_TO_COORDINATOR = re.compile(r"\bis_shard\(TG_TABLE_NAME\)")
_ON_A_SHARD = (
    (
        re.compile(r"\bcurrent_workspace\(\)"),
        "it names the workspace by a function, which Citus takes for no value",
    ),
    (
        re.compile(r"\w\((?:NEW|OLD)\s*[,)]"),
        "it hands a row on as a whole, which is of another type there",
    ),
)
"""Patterns that fail in any function called by a trigger on a shard, and why."""
_FOR_THE_COORDINATOR = (
    (re.compile(r"\b\w+_directory\b"), "it writes a reference table, which a shard's may not"),
    (re.compile(r"\bpg_notify\("), "what it notifies reaches nobody who listens elsewhere"),
    (re.compile(r"\bprocrastinate_\w+\("), "the job queue lies on the coordinator"),
)
"""Patterns allowed only in a trigger that first checks whether it runs on a shard, and why."""


def plan_of(connection: Connection, login: str, shards: int) -> ClusterPlan:
    """Return the plan for the catalogue as it is now."""
    citus = citus_version(connection)
    placed = {} if citus is None else kinds_placed(connection)
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
        return _UNDECLARED
    return TableKind.DISTRIBUTED, ""


def _order(kinds: dict[str, tuple[TableKind, str]], foreign: Sequence[DictRow]) -> Iterator[str]:
    """Order tables: reference, distributed (root first), local; foreign key targets first."""
    targets: defaultdict[str, set[str]] = defaultdict(set)
    for key in foreign:
        if key["target"] != key["table_name"]:
            targets[key["table_name"]].add(key["target"])
    graph = {name: sorted(targets[name]) for name in sorted(kinds, key=lambda name: name != ROOT)}
    order = list(TopologicalSorter(graph).static_order())
    for kind in (TableKind.REFERENCE, TableKind.DISTRIBUTED, TableKind.LOCAL):
        names = [name for name in order if kinds[name][0] is kind]
        yield from sorted(names, key=lambda name: name != ROOT)


def _obstacles(
    connection: Connection,
    rows: dict[str, DictRow],
    kinds: dict[str, tuple[TableKind, str]],
    foreign: Sequence[DictRow],
) -> Iterator[Obstacle]:
    distributed = {name for name, (kind, _) in kinds.items() if kind is TableKind.DISTRIBUTED}
    keys = connection.execute(_SQL["unique_keys"]).fetchall()
    tables_with_key = {key["table_name"] for key in keys}
    for name, row in rows.items():
        yield from _table_obstacles(row, kinds[name], has_key=name in tables_with_key)
    for key in keys:
        if key["table_name"] in distributed and key["columns"][:1] != [COLUMN]:
            yield _obstacle(key, f"a key of a distributed table must begin with {COLUMN}")
    for key in foreign:
        yield from _foreign_obstacles(key, kinds)
    for policy in connection.execute(_SQL["policies"]):
        if policy["asks"] and policy["table_name"] in distributed:
            yield _obstacle(policy, "Citus takes no policy with a subquery")
    yield from _without_readers(connection)
    functions = {row["name"]: row["definition"] for row in connection.execute(_SQL["functions"])}
    for trigger in connection.execute(_SQL["triggers"]):
        if trigger["table_name"] in distributed:
            for reason in _reasons(trigger["function"], functions):
                yield _obstacle(
                    trigger, f"{trigger['function']} runs on the node of a shard: {reason}"
                )


def _without_readers(connection: Connection) -> Iterator[Obstacle]:
    """Yield an obstacle per workspace with rows that lack their readers.

    For such rows the row-level security policy would query the table of documents.
    """
    capability = connection.execute(_SQL["can_tell_readers"]).fetchone()
    if capability is None or not capability["found"]:
        return
    for row in connection.execute(_SQL["readers_to_pass_on"]):
        reason = (
            f"of workspace {row['workspace_id']}, {row['documents']} documents have rows that do "
            "not say yet who may see them; a worker writes that when it starts"
        )
        yield Obstacle(table="documents", name="readers_passed_on", why=reason)


def _reasons(function: str, definitions: Mapping[str, str]) -> Iterator[str]:
    """Yield the reasons why a trigger's function would fail on a shard."""
    definition = definitions.get(function, "")
    left_to_coordinator = _LEAVES_TO_COORDINATOR.search(definition) is not None
    called, pending = {function}, [function]
    while pending:
        callees = set(_CALL.findall(definitions.get(pending.pop(), ""))) & definitions.keys()
        pending += callees - called
        called |= callees
    texts = [definitions.get(name, "") for name in called]
    for pattern, reason in (*_ON_A_SHARD, *(() if left_to_coordinator else _FOR_THE_COORDINATOR)):
        if any(map(pattern.search, texts)):
            yield reason


def _table_obstacles(
    row: DictRow, kind: tuple[TableKind, str], *, has_key: bool
) -> Iterator[Obstacle]:
    name = row["name"]
    if kind == _UNDECLARED:
        yield Obstacle(table=name, name=name, why=kind[1])
    if kind[0] is not TableKind.DISTRIBUTED:
        return
    if row["tenant_type"] != "uuid" or not row["tenant_set"]:
        reason = f"{COLUMN} must be a uuid that is never null, as in every table beside it"
        yield Obstacle(table=name, name=COLUMN, why=reason)
    if not has_key:
        yield Obstacle(table=name, name=name, why="a table without a key cannot be moved online")


def _foreign_obstacles(key: DictRow, kinds: dict[str, tuple[TableKind, str]]) -> Iterator[Obstacle]:
    kind, target_kind = kinds[key["table_name"]][0], kinds[key["target"]][0]
    if kind is TableKind.DISTRIBUTED and target_kind is TableKind.LOCAL:
        yield _obstacle(key, f"refers to {key['target']}, which is not on the nodes")
    elif kind is not TableKind.DISTRIBUTED and target_kind is TableKind.DISTRIBUTED:
        yield _obstacle(key, f"refers to {key['target']}, whose rows are on other nodes")
    elif kind is TableKind.DISTRIBUTED is target_kind and not key["within_workspace"]:
        yield _obstacle(key, f"may refer to another workspace's row of {key['target']}")
    elif kind is TableKind.DISTRIBUTED and key["sets_columns"]:
        yield _obstacle(key, f"would set {COLUMN} to nothing, which Citus refuses")


def _obstacle(row: DictRow, reason: str) -> Obstacle:
    return Obstacle(table=row["table_name"], name=row["name"], why=reason)


def _statements(
    connection: Connection, tables: Sequence[PlannedTable], login: str, shards: int
) -> Iterator[str]:
    owner = connection.execute(_SQL["owner"]).fetchone()
    assert owner is not None, "the schema is there"
    roles = dict.fromkeys(filter(None, (login, owner["owner"])))
    for role, (setting, value) in product(roles, _SETTINGS):
        parameters = {"login": role, "setting": setting, "value": value}
        row = connection.execute(_SQL["is_set"], parameters).fetchone()
        if row is not None and not row["found"]:
            statement = sql.SQL("ALTER ROLE {} IN DATABASE {} SET {} = {}").format(
                sql.Identifier(role),
                sql.Identifier(row["database"]),
                sql.SQL(setting),
                sql.Literal(value),
            )
            yield statement.as_string(connection)
    for policy in connection.execute(_SQL["policies"]):
        if not policy["asks"]:
            yield _with_names_read_for_each_row(policy).as_string(connection)
    for table in tables:
        name = f"footnote.{table.name}"
        if table.done:
            continue
        if table.kind is TableKind.REFERENCE:
            yield spelled("SELECT create_reference_table({})", name)
        elif table.name == ROOT:
            yield spelled(
                "SELECT create_distributed_table({}, {}, colocate_with => 'none', "
                "shard_count => {})",
                name,
                COLUMN,
                shards,
            )
        else:
            yield spelled(
                "SELECT create_distributed_table({}, {}, colocate_with => {})",
                name,
                COLUMN,
                f"footnote.{ROOT}",
            )


def _with_names_read_for_each_row(policy: DictRow) -> sql.Composed:
    """Rewrite a policy for Citus: equivalent, but slower where it compares many rows."""
    statement = sql.SQL("ALTER POLICY {} ON {} USING ({})").format(
        sql.Identifier(policy["name"]),
        sql.Identifier("footnote", policy["table_name"]),
        sql.SQL(policy["seen"]),
    )
    if policy["checked"] is None:
        return statement
    return statement + sql.SQL(" WITH CHECK ({})").format(sql.SQL(policy["checked"]))


def kinds_placed(connection: Connection) -> dict[str, str]:
    """Return the tables that Citus manages already, with their kinds."""
    return {row["name"]: row["kind"] for row in connection.execute(_SQL["placed"])}


def citus_version(connection: Connection) -> str | None:
    """Return the version of Citus in this database; None without it."""
    row = connection.execute(_SQL["version"]).fetchone()
    if row is None or not row["installed"]:
        return None
    version = connection.execute(_SQL["version_text"]).fetchone()
    return None if version is None else version["version"]


def spelled(statement: LiteralString, *values: str | int) -> str:
    """Format a statement to show and run, with each value quoted."""
    return sql.SQL(statement).format(*map(sql.Literal, values)).as_string(None)
