"""Open connection pools to the primary and to replicas, as the application role."""

from __future__ import annotations

import logging
from collections import defaultdict
from itertools import count
from select import POLLIN, poll

from pgvector.psycopg import register_vector_async
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from footnote.errors import StoreUnavailable
from footnote.store.addresses import is_pooled
from footnote.store.coordinator import is_distributed
from footnote.store.data_keys import KeyRing
from footnote.store.database import Connection, Database, Pool
from footnote.store.interruptions import PooledConnection
from footnote.store.migrate import APPLICATION_ROLE, SCHEMA, program_name
from footnote.store.statements import load_statements, register_integers

_SQL = load_statements("scope")


OPEN_SECONDS = 30.0
"""How long startup waits for a database that does not answer yet."""
ANSWER_SECONDS = 2.0
"""A replica that does not answer for so long, or has no free connection, serves no reads."""


QUEUE_POOL = "footnote-queue"
"""The name of pools of the job queue."""
_POOL_NAMES = (f"footnote-{number}" for number in count(1))


class _LogOnce(logging.Filter):
    """Logs each connection error of a pool once, until the pool connects again.

    While a database recovers, a pool would log it on each attempt, dozens of times a second.
    """

    def __init__(self) -> None:
        super().__init__()
        self._logged: defaultdict[str, set[str]] = defaultdict(set)

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to log a record; those of other programs' pools are always logged."""
        pool_name = record.args[0] if isinstance(record.args, tuple) and record.args else None
        if record.msg != _NO_CONNECTION or not str(pool_name).startswith("footnote-"):
            return True
        lines, line = self._logged[str(pool_name)], record.getMessage()
        is_new = line not in lines
        lines.add(line)
        return is_new

    def connected(self, pool: str) -> None:
        """Reset a pool, so that its errors are logged again."""
        self._logged.pop(pool, None)


_NO_CONNECTION = "error connecting in %r: %s"
"""The message that psycopg logs for a failed connection."""
_LOG_ONCE = _LogOnce()
logging.getLogger("psycopg.pool").addFilter(_LOG_ONCE)


async def open_database(
    url: str, pool_size: int, statement_timeout_seconds: float, keys: KeyRing | None = None
) -> Database:
    """Open the pool, and check that its role is subject to row-level security.

    Without keys, encrypted workspaces cannot be opened. Raises StoreUnavailable when the server
    cannot be reached or the role bypasses row-level security.
    """

    pool, timeout = _pool(url, pool_size, statement_timeout_seconds)
    try:
        await pool.open(wait=True, timeout=OPEN_SECONDS)
        async with pool.connection() as connection:
            pooled = await _behind_pooler(connection)
            distributed = await is_distributed(connection)
        database = Database(pool, keys or KeyRing(), timeout, pooled, distributed)
        await refuse_powerful_role(database)
    except PoolTimeout as error:
        await pool.close()
        raise StoreUnavailable(
            "the database does not answer",
            hint="check FOOTNOTE_DATABASE_URL, and that its login is a member of "
            f"{APPLICATION_ROLE}",
        ) from error
    except BaseException:
        await pool.close()
        raise
    return database


async def open_replica(
    url: str, pool_size: int, statement_timeout_seconds: float, primary: Database
) -> Database:
    """Open the pool of a replica without waiting for it; `refuse_powerful_role` checks it later."""
    pool, timeout = _pool(url, pool_size, statement_timeout_seconds, ANSWER_SECONDS)
    await pool.open()
    return Database(pool, primary.keys, timeout, distributed=primary.distributed, primary=primary)


def _pool(
    url: str, pool_size: int, statement_timeout_seconds: float, wait_seconds: float = OPEN_SECONDS
) -> tuple[Pool, str]:
    """A pool that is not open yet, and the time limit of its transactions."""
    timeout = _milliseconds(statement_timeout_seconds)
    name = next(_POOL_NAMES)

    async def configure(connection: Connection) -> None:
        if await _behind_pooler(connection):
            # The next transaction may use another server process, without prepared statements.
            connection.prepare_threshold = None
        async with connection.transaction():
            await connection.execute(_SQL["act"], {"timeout": timeout, "schema": SCHEMA})
            await register_vector_async(connection)
        register_integers(connection)
        _LOG_ONCE.connected(name)

    pool: Pool = AsyncConnectionPool(
        url,
        name=name,
        connection_class=PooledConnection,
        min_size=1,
        max_size=pool_size,
        timeout=wait_seconds,
        # Scopes begin their own transactions. Migrations read the version from the name.
        kwargs={
            "row_factory": dict_row,
            "autocommit": True,
            "application_name": program_name(),
        },
        configure=configure,
        check=_check_unread,
        open=False,
    )
    return pool, timeout


async def configure_for_queue(connection: Connection) -> None:
    """Configure a connection of the job queue, whose statements have no time limit.

    The connection must be the queue's alone: behind a connection pooler, others would get its
    settings.
    """
    await connection.set_autocommit(True)
    await connection.execute(_SQL["configure"], {"timeout": _milliseconds(0), "schema": SCHEMA})
    _LOG_ONCE.connected(QUEUE_POOL)


def _milliseconds(seconds: float) -> str:
    return f"{round(seconds * 1000)}ms"


async def _behind_pooler(connection: Connection) -> bool:
    row = await (await connection.execute(_SQL["server_process"])).fetchone()
    return row is not None and is_pooled(connection, row["pid"])


async def _check_unread(connection: Connection) -> None:
    """Raise for a connection that the server has closed, without a round trip for each check.

    A server sends nothing on an idle connection except its end or a harmless notice, so only a
    connection with unread data is tested.
    """
    poller = poll()
    poller.register(connection, POLLIN)
    if not poller.poll(0):
        return
    await AsyncConnectionPool.check_connection(connection)


async def refuse_powerful_role(database: Database) -> None:
    """Raise StoreUnavailable for a role that is not subject to row-level security."""
    async with database.outside() as connection:
        cursor = await connection.execute(_SQL["role"])
        role = await cursor.fetchone()
    if role is None or role["powerful"]:
        raise StoreUnavailable(
            "the application would connect as a role that row-level security does not bind",
            hint=f"let the login of FOOTNOTE_DATABASE_URL be an ordinary member of "
            f"{APPLICATION_ROLE}",
        )
