"""What a step of migration did to a schema, by Postgres's catalogues, held against the rules."""

from __future__ import annotations

import re
from dataclasses import dataclass

import psycopg

from footnote.domain.upgrading import LockMode, StepKind
from footnote.store.migration_files import Migration

RULES_SINCE = 48
"""Steps before this one were written before there were rules; all of them only add."""

_QUERIES = {
    "tables": """
        SELECT relname, relfilenode::text FROM pg_class
        WHERE relnamespace = 'footnote'::regnamespace AND relkind = 'r'
    """,
    "columns": """
        SELECT attrelid::regclass || '.' || attname,
            format('%s%s%s', format_type(atttypid, atttypmod),
                CASE WHEN attnotnull THEN ' NOT NULL' END, CASE WHEN atthasdef THEN ' DEFAULT' END)
        FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
        WHERE relnamespace = 'footnote'::regnamespace AND relkind = 'r' AND attnum > 0
            AND NOT attisdropped
    """,
    "constraints": """
        SELECT conrelid::regclass || '.' || conname,
            contype::text || ' ' || pg_get_constraintdef(oid) || ' on ' || ARRAY(
                SELECT attname FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey)
            )::text
        FROM pg_constraint WHERE connamespace = 'footnote'::regnamespace AND conrelid <> 0
            AND contype <> 'n'
    """,
    "indexes": """
        SELECT indrelid::regclass || '.' || relname, pg_get_indexdef(indexrelid)
        FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
        WHERE relnamespace = 'footnote'::regnamespace
    """,
    "functions": """
        SELECT oid::regprocedure::text,
            format('%s %s', prorettype::regtype, md5(pg_get_functiondef(oid)))
        FROM pg_proc WHERE pronamespace = 'footnote'::regnamespace AND prokind IN ('f', 'p')
    """,
    "policies": """
        SELECT polrelid::regclass || '.' || polname,
            format('%s %s %s %s', polcmd::text, polpermissive,
                pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid))
        FROM pg_policy
    """,
    "triggers": """
        SELECT tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid)
        FROM pg_trigger WHERE NOT tgisinternal
    """,
    "grants": """
        SELECT relname || ' ' || privilege, ''
        FROM pg_class, unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) AS privilege
        WHERE relnamespace = 'footnote'::regnamespace AND relkind IN ('r', 'v')
            AND has_table_privilege('footnote_app', pg_class.oid, privilege)
    """,
}
_REWRITES = re.compile(r"(UPDATE|DELETE|TRUNCATE|MERGE|DO)\b", re.IGNORECASE)
_CONCURRENT = re.compile(
    r"(CREATE (UNIQUE )?INDEX|DROP INDEX) CONCURRENTLY \w|ALTER TABLE \w+ VALIDATE CONSTRAINT \w+$",
    re.IGNORECASE,
)
_WEAK = {"AccessShareLock", "RowShareLock", "RowExclusiveLock", "ShareUpdateExclusiveLock"}
_MIDDLE = {"ShareLock", "ShareRowExclusiveLock"}


@dataclass(frozen=True, slots=True)
class Schema:
    """By kind and name, what each thing of a schema is."""

    kinds: dict[str, dict[str, str]]

    def __getitem__(self, kind: str) -> dict[str, str]:
        return self.kinds[kind]


def schema_of(connection: psycopg.Connection) -> Schema:
    """The schema as it is within the transaction."""
    connection.execute("SET LOCAL search_path = footnote, public")
    return Schema(
        {kind: dict(connection.execute(query).fetchall()) for kind, query in _QUERIES.items()}
    )


def tables_of(connection: psycopg.Connection) -> dict[str, str]:
    """The files of the tables by their names."""
    return dict(connection.execute(_QUERIES["tables"]).fetchall())


def locks_held(connection: psycopg.Connection, before: dict[str, str]) -> dict[str, LockMode]:
    """The strongest lock of this transaction on each table that was there before it."""
    rows = connection.execute(
        "SELECT relname, mode FROM pg_locks JOIN pg_class ON pg_class.oid = relation"
        " WHERE pid = pg_backend_pid() AND locktype = 'relation' AND granted"
        " AND relnamespace = 'footnote'::regnamespace AND relkind = 'r'"
    ).fetchall()
    order, held = list(LockMode), dict[str, LockMode]()
    for table, mode in rows:
        weight = 0 if mode in _WEAK else 1 if mode in _MIDDLE else 2
        if table in before:
            held[table] = max(held.get(table, order[0]), order[weight], key=order.index)
    return held


def broken_rules(step: Migration, before: Schema, after: Schema) -> list[str]:
    """What the step did that its kind does not allow, in words."""
    broken = long_locks(step, before, after)
    if step.kind is StepKind.CONTRACT:
        known = step.needs is not None and step.needs < step.number
        return broken if known else [*broken, "needs itself"]
    broken += [
        f"rewrites rows: {part.split(maxsplit=3)[:3]}; a job does so in the background"
        for part in step.parts
        if _REWRITES.match(part)
    ]
    for kind in ("tables", "columns", "functions", "policies", "triggers", "indexes", "grants"):
        broken += [
            f"removes {name} of {kind}"
            for name in before[kind]
            if name not in after[kind] and not (kind == "indexes" and _named(name, step.replaces))
        ]
    broken += _of_tables_before(before, after)
    for kind in ("functions", "policies", "triggers"):
        broken += [
            f"replaces {name} of {kind} without saying so"
            for name, was in before[kind].items()
            if after[kind].get(name, was) != was and not _named(name, step.replaces)
        ]
    broken += [
        f"adds {name} of {kind} to a table that is in use without saying so"
        for kind in ("policies", "triggers")
        for name in after[kind].keys() - before[kind].keys()
        if name.split(".")[0] in before["tables"] and not _named(name, step.replaces)
    ]
    return broken


def long_locks(step: Migration, before: Schema, after: Schema) -> list[str]:
    """Where it makes others wait for as long as a table is large."""
    if step.is_concurrent:
        return [
            f"does more than to build indexes concurrently: {part}"
            for part in step.parts
            if not _CONCURRENT.match(part)
        ]
    built = after["indexes"].keys() - before["indexes"].keys()
    bound = after["constraints"].keys() - before["constraints"].keys()
    fresh = after["columns"].keys() - before["columns"].keys()
    return [
        *(
            f"builds the index {name} without CONCURRENTLY"
            for name in built
            if name.split(".")[0] in before["tables"]
        ),
        *(
            f"looks at every row for {name}: add it as NOT VALID, and validate it in another file"
            for name in bound
            if name.split(".")[0] in before["tables"]
            and after["constraints"][name][0] in "cf"
            and "NOT VALID" not in after["constraints"][name]
            and not _columns(name, after["constraints"][name]) <= fresh
        ),
    ]


def _columns(constraint: str, definition: str) -> set[str]:
    table = constraint.split(".", maxsplit=1)[0]
    return {f"{table}.{column}" for column in re.findall(r"\w+", definition.rsplit(" on ", 1)[1])}


def _of_tables_before(before: Schema, after: Schema) -> list[str]:
    broken = [
        f"writes {table} anew"
        for table, file in before["tables"].items()
        if after["tables"].get(table, file) != file
    ]
    broken += [
        f"changes the column {name} from {was} to {after['columns'][name]}"
        for name, was in before["columns"].items()
        if after["columns"].get(name, was) not in (was, was.replace(" NOT NULL", ""))
    ]
    fresh = after["columns"].keys() - before["columns"].keys()
    broken += [
        f"adds {name} without a default, which older versions do not fill"
        for name in fresh
        if name.split(".")[0] in before["tables"]
        and "NOT NULL" in after["columns"][name]
        and "DEFAULT" not in after["columns"][name]
    ]
    for name, definition in before["constraints"].items():
        if name not in after["constraints"] and definition[0] != "c":
            broken.append(f"removes the constraint {name}")
    for name, definition in after["constraints"].items():
        table = name.split(".")[0]
        if name in before["constraints"] or table not in before["tables"]:
            continue
        if not _columns(name, definition) <= fresh:
            broken.append(f"binds what older versions write by {name}")
    for name, definition in after["indexes"].items():
        table = name.split(".")[0]
        if name not in before["indexes"] and table in before["tables"] and " UNIQUE " in definition:
            broken.append(f"binds what older versions write by the unique index {name}")
    return broken


def _named(name: str, names: tuple[str, ...]) -> bool:
    return name in names or name.split("(", maxsplit=1)[0].removeprefix("footnote.") in names
