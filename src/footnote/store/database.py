"""Connections to Postgres, usable only inside a workspace scope."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from time import perf_counter
from typing import LiteralString
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.pq import PipelineStatus
from psycopg.rows import DictRow
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from footnote.domain import Principal
from footnote.domain.identity import SYSTEM_NAME
from footnote.errors import NotFound, StoreFull, StoreUnavailable, UnderLegalHold
from footnote.ports.index import ReplicaLost
from footnote.ports.telemetry import TRANSACTIONS, failed, open_span
from footnote.store.data_keys import KeyRing
from footnote.store.interruptions import ended_cleanly
from footnote.store.migrate import SCHEMA
from footnote.store.sealing import Sealing
from footnote.store.statements import load_statements

Connection = psycopg.AsyncConnection[DictRow]
Pool = AsyncConnectionPool[Connection]
Statement = LiteralString | sql.SQL | sql.Composed

SYSTEM = Principal(principal_id=SYSTEM_NAME)
"""The principal of background jobs; it sees every document."""

LIFT_A_HOLD = (
    "an administrator can lift the hold, with a reason: `footnote hold list` shows its id, which "
    "`footnote hold lift` takes"
)

_REACH_SECONDS = 2.0
_ABOUT_POSTGRES = {"db.system.name": "postgresql"}
_UNDER_LEGAL_HOLD = "23H01"
"""SQLSTATE raised by the triggers of legal holds, as their migration defines it."""
_OF_WORKSPACE = re.compile(r"_workspace_id_fkey(_\d+)?$")
"""Names of foreign keys to `workspaces`, with a shard number on a cluster."""

_SQL = load_statements("scope")


@dataclass(frozen=True, slots=True)
class WorkspaceScope:
    """A transaction bound to one workspace and one principal.

    Every function of this package that touches customer data takes one; the database checks
    the workspace again by row-level security.
    """

    workspace_id: UUID
    principal: Principal
    connection: Connection
    sealing: Sealing
    """The encryption of stored values."""
    distributed: bool = False
    """Whether tables are distributed, so that row triggers run on the nodes of a cluster."""

    async def execute(
        self,
        statement: Statement,
        parameters: Mapping[str, object] | None = None,
        *,
        binary: bool = False,
        prepare: bool | None = None,
    ) -> psycopg.AsyncCursor[DictRow]:
        """Run a statement with its parameters, `workspace_id` and `principal`.

        In a snapshot it is only sent; fetching from the cursor waits.
        """
        defaults = {"workspace_id": self.workspace_id, "principal": self.principal.principal_id}
        return await self.connection.execute(
            statement, {**defaults, **(parameters or {})}, binary=binary, prepare=prepare
        )

    async def all(
        self,
        statement: Statement,
        parameters: Mapping[str, object] | None = None,
        *,
        binary: bool = False,
    ) -> list[DictRow]:
        """Run a statement and return every row."""
        return await (await self.execute(statement, parameters, binary=binary)).fetchall()

    async def one(
        self,
        statement: Statement,
        parameters: Mapping[str, object] | None = None,
        *,
        binary: bool = False,
    ) -> DictRow | None:
        """Run a statement and return its first row; None without one."""
        return await (await self.execute(statement, parameters, binary=binary)).fetchone()

    async def single(
        self, statement: Statement, parameters: Mapping[str, object] | None = None
    ) -> DictRow:
        """Return the row of a statement that always has one, such as an aggregate or an insert."""
        row = await self.one(statement, parameters)
        assert row is not None, "such a statement has a row"
        return row

    async def change(
        self, statement: Statement, parameters: Mapping[str, object] | None = None
    ) -> int:
        """Run a statement; return how many rows it changed, or locked."""
        return (await self.execute(statement, parameters)).rowcount

    async def act_as(self, principal: Principal) -> None:
        """Set the principal whose access the later statements of the transaction have."""
        await bind(self.connection, self.workspace_id, principal, distributed=self.distributed)

    async def execute_many(
        self, statement: Statement, rows: Iterable[Mapping[str, object]]
    ) -> None:
        """Run a statement once for each row of parameters, in one batch."""
        defaults = {"workspace_id": self.workspace_id, "principal": self.principal.principal_id}
        async with self.connection.cursor() as cursor:
            await cursor.executemany(statement, [{**defaults, **row} for row in rows])


@dataclass(frozen=True, slots=True)
class Database:
    """The connection pool of the application role."""

    pool: Pool
    keys: KeyRing = field(default_factory=KeyRing)
    statement_timeout: str = "30000ms"
    pooled: bool = False
    """Whether a connection pooler is in front of the server."""
    distributed: bool = False
    """Whether the tables are distributed over a Citus cluster."""
    primary: Database | None = None
    """The primary, if this is a replica. A replica serves snapshots only, and raises ReplicaLost
    where it cannot."""

    @asynccontextmanager
    async def workspace(
        self, workspace_id: UUID, principal: Principal
    ) -> AsyncIterator[WorkspaceScope]:
        """Open a read-write transaction in a workspace."""
        sealing = await self.sealing(workspace_id)
        async with self.outside() as connection:
            await bind(connection, workspace_id, principal, distributed=self.distributed)
            yield WorkspaceScope(workspace_id, principal, connection, sealing, self.distributed)

    @asynccontextmanager
    async def snapshot(
        self, workspace_id: UUID, principal: Principal
    ) -> AsyncIterator[WorkspaceScope]:
        """Open a read-only transaction on one snapshot, with pipelined statements.

        Statements are sent without waiting; a fetch waits for all that was sent before.
        """
        async with self._pipelined(_SQL["begin_moment"], workspace_id, principal) as scope:
            yield scope

    @asynccontextmanager
    async def batch(
        self, workspace_id: UUID, principal: Principal
    ) -> AsyncIterator[WorkspaceScope]:
        """Open a read-write transaction, pipelined as in `snapshot`.

        An error is raised by the next fetch, or at the end; nothing is then committed.
        """
        async with self._pipelined(_SQL["begin_batch"], workspace_id, principal) as scope:
            yield scope

    @asynccontextmanager
    async def _pipelined(
        self, beginning: LiteralString, workspace_id: UUID, principal: Principal
    ) -> AsyncIterator[WorkspaceScope]:
        sealing = await self.sealing(workspace_id)
        async with (
            ended_cleanly(self._connection()) as connection,
            ended_cleanly(connection.pipeline()),
        ):
            # Explicit statements: psycopg's transaction would wait for the server once at its start
            # and three times at its end. If the block fails, the pool rolls back.
            await connection.execute(beginning)
            parameters = {"workspace_id": str(workspace_id), "access": list(principal.access_names)}
            await connection.execute(_SQL["act_and_bind"], {**self._acting, **parameters})
            if self.distributed:
                await bind(connection, workspace_id, principal, distributed=True)
            yield WorkspaceScope(workspace_id, principal, connection, sealing, self.distributed)
            await connection.execute(_SQL["end"])

    async def sealing(self, workspace_id: UUID) -> Sealing:
        """Return the workspace's encryption; its keys are cached for a while.

        Raises KeyUnavailable, and UnsupportedSettings for a workspace that may not be opened.
        """
        return await self.keys.sealing(workspace_id, (self.primary or self).outside)

    @asynccontextmanager
    async def outside(self) -> AsyncIterator[Connection]:
        """Open a transaction outside every workspace, where all customer tables read as empty."""
        async with (
            ended_cleanly(self._connection()) as connection,
            ended_cleanly(self._transaction(connection)),
        ):
            yield connection

    async def reach(self) -> None:
        """Raise StoreUnavailable when the server does not answer within about two seconds.

        It opens a new connection, so that a busy pool is not mistaken for a dead server.
        """
        try:
            async with (
                asyncio.timeout(_REACH_SECONDS),
                await psycopg.AsyncConnection.connect(str(self.pool.conninfo)) as connection,
            ):
                await connection.execute("SELECT")
        except (psycopg.Error, TimeoutError) as error:
            reason = str(error).strip() or f"no answer within {_REACH_SECONDS:g} seconds"
            raise StoreUnavailable(
                f"the database cannot be reached: {reason}",
                hint="check that the Postgres server runs",
            ) from error

    @property
    def _acting(self) -> Mapping[str, object]:
        return {"timeout": self.statement_timeout, "schema": SCHEMA}

    @asynccontextmanager
    async def _transaction(self, connection: Connection) -> AsyncIterator[None]:
        """Run a transaction like psycopg's, with the session settings sent in its first message."""
        await connection.execute(_beginning(self.statement_timeout), prepare=False)
        try:
            yield
        except psycopg.Rollback:
            await connection.rollback()
            return
        except psycopg.errors.ReadOnlySqlTransaction as error:
            await connection.close()  # The pool reconnects, to the promoted server.
            raise StoreUnavailable(
                "the database takes no writes any more: it is no longer the primary",
                hint="try again; name all hosts in FOOTNOTE_DATABASE_URL",
            ) from error
        except BaseException:
            with suppress(psycopg.Error):  # Raise the original error.
                await connection.rollback()
            raise
        await connection.commit()

    @asynccontextmanager
    async def _traced(self) -> AsyncIterator[Connection]:
        # Not made the current span: a transaction may stay open across steps of a generator.
        span = open_span("postgres", _ABOUT_POSTGRES, inner=True)
        started = perf_counter()
        try:
            async with self.pool.connection() as connection:
                span.set_attribute("footnote.db.wait_ms", (perf_counter() - started) * 1e3)
                yield connection
        except BaseException as error:
            failed(span, error)
            raise
        finally:
            TRANSACTIONS.record(perf_counter() - started, _ABOUT_POSTGRES)
            span.end()

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[Connection]:
        try:
            async with self._traced() as connection:
                try:
                    yield connection
                finally:
                    # An interrupted pipeline is still open, and no transaction could begin on the
                    # connection. Close it; the pool opens another one.
                    if connection.pgconn.pipeline_status != PipelineStatus.OFF:
                        connection.pgconn.finish()
        except PoolTimeout as error:
            self._refuse_lost_replica(error)
            await self.reach()
            raise StoreUnavailable(
                "no database connection came free in time",
                hint="raise FOOTNOTE_POOL_SIZE",
            ) from error
        except psycopg.IntegrityError as error:
            refuse_under_legal_hold(error)
            if _OF_WORKSPACE.search(error.diag.constraint_name or ""):
                raise workspace_gone() from error
            raise
        except psycopg.errors.DiskFull as error:
            raise StoreFull(
                f"the disk of the database is full: {error.diag.message_primary}",
                hint="make room on it; what waits to be indexed then goes on by itself",
            ) from error
        except psycopg.OperationalError as error:
            self._refuse_lost_replica(error)
            raise StoreUnavailable(
                f"the connection to the database was lost: {str(error).strip()}",
                hint="try again; check that the server runs",
            ) from error

    def _refuse_lost_replica(self, error: Exception) -> None:
        if self.primary is not None:
            raise ReplicaLost(str(error).strip()) from error


def workspace_gone() -> NotFound:
    """The error for a workspace that was destroyed while it was used."""
    return NotFound("the workspace is gone", hint="It was destroyed meanwhile; use another one.")


def refuse_under_legal_hold(error: psycopg.IntegrityError) -> None:
    """Raise UnderLegalHold if a legal hold caused the error."""
    if error.sqlstate == _UNDER_LEGAL_HOLD:
        raise UnderLegalHold(
            "what was to be deleted, or something that quotes it, is under legal hold",
            hint=LIFT_A_HOLD,
        ) from error


async def bind(
    connection: Connection, workspace_id: UUID, principal: Principal, *, distributed: bool = False
) -> None:
    """Set the workspace and principal of the transaction for row-level security.

    On a cluster it uses SET LOCAL statements, which Citus propagates to nodes, unlike function
    calls.
    """
    if distributed:
        for statement in _binding(workspace_id, principal):
            await connection.execute(statement, prepare=False)
        return
    await connection.execute(
        _SQL["bind"],
        {"workspace_id": str(workspace_id), "access": list(principal.access_names)},
    )


def _binding(workspace_id: UUID, principal: Principal) -> Iterator[sql.Composed]:
    quoted = (re.sub(r'(["\\])', r"\\\1", name) for name in principal.access_names)
    access = ",".join(f'"{name}"' for name in quoted)
    yield sql.SQL(_SQL["bind_workspace"]).format(workspace=sql.Literal(str(workspace_id)))
    yield sql.SQL(_SQL["bind_access"]).format(access=sql.Literal(f"{{{access}}}"))


async def bind_as_system(connection: Connection, workspace_id: UUID) -> None:
    """Bind a transaction to a workspace as the system, on a cluster or not."""
    await bind(connection, workspace_id, SYSTEM, distributed=True)


async def execute_as_system(
    scope: WorkspaceScope, statement: LiteralString, parameters: Mapping[str, object]
) -> psycopg.AsyncCursor[DictRow]:
    """Run one statement that sees every document, then act as the scope's principal again.

    For data shared by all principals, and for numbers of chunks that its principal may see. Columns
    come in binary form.
    """
    await scope.act_as(SYSTEM)
    cursor = await scope.execute(statement, parameters, binary=True)
    await scope.act_as(scope.principal)
    return cursor


@cache
def _beginning(statement_timeout: str) -> bytes:
    statement = sql.SQL(_SQL["begin_acting"])
    return statement.format(timeout=sql.Literal(statement_timeout)).as_bytes(None)
