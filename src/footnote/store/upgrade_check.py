"""Report what migrating a database would change, without changing anything."""

from __future__ import annotations

import psycopg

from footnote.domain.upgrading import OlderFormat, PendingStep, StepKind, TableLock, Upgrade
from footnote.index.segments import SEGMENT_FORMAT
from footnote.store.migrate import (
    applied_migrations,
    older_programs,
    oldest_program,
    pending_migrations,
    pending_queue,
    refuse_newer,
    unreachable,
)
from footnote.store.migration_files import Migration, known_migrations, newest_migration
from footnote.store.migration_locks import locks_of
from footnote.store.statements import load_statements

_SQL = load_statements("migrating")


def state_of_database(owner_url: str) -> Upgrade:
    """Return the steps the database lacks, with their locks, and the data in older formats.

    Blocks. Raises StoreUnavailable when the server cannot be reached, or when a newer version has
    made the schema incompatible with this one.
    """
    try:
        with psycopg.connect(owner_url) as connection:
            refuse_newer(connection)
            applied = applied_migrations(connection)
            queue, steps = pending_queue(connection), pending_migrations(connection)
            needed = max((step.needs for step in steps if step.needs is not None), default=None)
            oldest = max(oldest_program(connection), needed or 0)
            names = {step.number: step.name for step in known_migrations()}
            return Upgrade(
                steps=(*queue, *(step.name for step in steps)),
                applied=not queue and not steps,
                newest_known=newest_migration().name,
                newest_applied=applied[-1] if applied else None,
                oldest_program=names.get(oldest, f"{oldest:04}") if applied else None,
                older_programs=0 if needed is None else older_programs(connection, needed),
                pending=(
                    *(
                        PendingStep(name=name, kind=StepKind.EXPAND, needs=None, locks=())
                        for name in queue
                    ),
                    *_pending(connection, steps, names),
                ),
                older_formats=_older_formats(connection),
            )
    except psycopg.OperationalError as error:
        raise unreachable(error) from error


def _pending(
    connection: psycopg.Connection, steps: tuple[Migration, ...], names: dict[int, str]
) -> list[PendingStep]:
    sizes = {name: (rows, size) for name, rows, size in connection.execute(_SQL["tables"])}
    index_tables: dict[str, str] = dict(connection.execute(_SQL["index_tables"]).fetchall())
    return [
        PendingStep(
            name=step.name,
            kind=step.kind,
            needs=None if step.needs is None else names.get(step.needs, f"{step.needs:04}"),
            locks=tuple(
                TableLock(table=table, mode=mode, rows=sizes[table][0], bytes=sizes[table][1])
                for table, mode in sorted(locks_of(step, index_tables).items())
                if table in sizes
            ),
        )
        for step in steps
    ]


def _older_formats(connection: psycopg.Connection) -> tuple[OlderFormat, ...]:
    """Count what workers will rewrite; what the schema cannot tell yet is left out."""
    counts: dict[str, list[int]] = {}
    if connection.execute(_SQL["can_tell_upkeep"]).fetchone() == (True,):
        rows = connection.execute(_SQL["upkeep"], {"format": SEGMENT_FORMAT}).fetchall()
        counts |= {"segments": [row[1] for row in rows], "lanes": [row[2] for row in rows]}
    if connection.execute(_SQL["can_tell_readers"]).fetchone() == (True,):
        rows = connection.execute(_SQL["readers_to_pass_on"]).fetchall()
        counts["documents"] = [row[1] for row in rows]
    return tuple(
        OlderFormat(what=kind, workspaces=sum(map(bool, amounts)), amount=sum(amounts))
        for kind, amounts in counts.items()
        if any(amounts)
    )
