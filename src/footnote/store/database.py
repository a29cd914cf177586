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
"""Jobs act as the system: they see a document whoever it is for."""

LIFT_A_HOLD = (
    "an administrator can lift the hold, with a reason: `footnote hold list` shows its id, which "
    "`footnote hold lift` takes"
)

_REACH_SECONDS = 2.0
_ABOUT_POSTGRES = {"db.system.name": "postgresql"}
_UNDER_LEGAL_HOLD = "23H01"
"""As the triggers of legal holds have it, in the migration that made them."""
_OF_WORKSPACE = re.compile(r"_workspace_id_fkey(_\d+)?$")
"""How the foreign keys to workspaces are called, with the number of a shard on a cluster."""

_SQL = load_statements("scope")


@dataclass(frozen=True, slots=True)
class WorkspaceScope:
    """A transaction bound to one workspace and one principal.

    Every function of this room that touches customer data takes one; the database checks
    the workspace again by row-level security.
    """

    workspace_id: UUID
    principal: Principal
    connection: Connection
    sealing: Sealing
    """How what it stores is encrypted."""
    distributed: bool = False
    """Whether the rows lie on nodes of a cluster, so that triggers of theirs run there."""

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
        own = {"workspace_id": self.workspace_id, "principal": self.principal.principal_id}
        return await self.connection.execute(
            statement, {**own, **(parameters or {})}, binary=binary, prepare=prepare
        )

    async def all(
        self,
        statement: Statement,
        parameters: Mapping[str, object] | None = None,
        *,
        binary: bool = False,
    ) -> list[DictRow]:
        """Every row of a statement."""
        return await (await self.execute(statement, parameters, binary=binary)).fetchall()

    async def one(
        self,
        statement: Statement,
        parameters: Mapping[str, object] | None = None,
        *,
        binary: bool = False,
    ) -> DictRow | None:
        """The first row of a statement; None without one."""
        return await (await self.execute(statement, parameters, binary=binary)).fetchone()

    async def single(
        self, statement: Statement, parameters: Mapping[str, object] | None = None
    ) -> DictRow:
        """The row of a statement that always has one: an aggregate, an insert."""
        row = await self.one(statement, parameters)
        assert row is not None, "such a statement has a row"
        return row

    async def change(
        self, statement: Statement, parameters: Mapping[str, object] | None = None
    ) -> int:
        """Run a statement; return how many rows it changed, or locked."""
        return (await self.execute(statement, parameters)).rowcount

    async def act_as(self, principal: Principal) -> None:
        """Have what follows in the transaction see what a principal sees."""
        await bind(self.connection, self.workspace_id, principal, distributed=self.distributed)

    async def execute_many(
        self, statement: Statement, rows: Iterable[Mapping[str, object]]
    ) -> None:
        """Run a statement once for each row of parameters, in one batch."""
        own = {"workspace_id": self.workspace_id, "principal": self.principal.principal_id}
        async with self.connection.cursor() as cursor:
            await cursor.executemany(statement, [{**own, **row} for row in rows])


@dataclass(frozen=True, slots=True)
class Database:
    """The pool of the application role."""

    pool: Pool
    keys: KeyRing = field(default_factory=KeyRing)
    statement_timeout: str = "30000ms"
    pooled: bool = False
    """Whether a connection pooler stands before the server."""
    distributed: bool = False
    """Whether the tables lie on nodes of a Citus cluster."""
    primary: Database | None = None
    """Of a replica, which serves snapshots alone; raises ReplicaLost where it cannot."""

    @asynccontextmanager
    async def workspace(
        self, workspace_id: UUID, principal: Principal
    ) -> AsyncIterator[WorkspaceScope]:
        """A read-write transaction in a workspace."""
        sealing = await self.sealing(workspace_id)
        async with self.outside() as connection:
            await bind(connection, workspace_id, principal, distributed=self.distributed)
            yield WorkspaceScope(workspace_id, principal, connection, sealing, self.distributed)

    @asynccontextmanager
    async def snapshot(
        self, workspace_id: UUID, principal: Principal
    ) -> AsyncIterator[WorkspaceScope]:
        """A read-only transaction that sees one moment, its statements pipelined.

        Statements are sent without waiting; a fetch waits for all that was sent before.
        """
        async with self._pipelined(_SQL["begin_moment"], workspace_id, principal) as scope:
            yield scope

    @asynccontextmanager
    async def batch(
        self, workspace_id: UUID, principal: Principal
    ) -> AsyncIterator[WorkspaceScope]:
        """A read-write transaction, its statements pipelined as those of a snapshot are.

        What fails is raised by the next fetch, or at the end; nothing is then committed.
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
            # By hand: psycopg's own transaction would wait for its beginning and thrice at its
            # end. When the block fails, the pool rolls back.
            await connection.execute(beginning)
            bound = {"workspace_id": str(workspace_id), "access": list(principal.access_names)}
            await connection.execute(_SQL["act_and_bind"], {**self._acting, **bound})
            if self.distributed:
                await bind(connection, workspace_id, principal, distributed=True)
            yield WorkspaceScope(workspace_id, principal, connection, sealing, self.distributed)
            await connection.execute(_SQL["end"])

    async def sealing(self, workspace_id: UUID) -> Sealing:
        """How the workspace's content is stored; its keys are read once in a while.

        Raises KeyUnavailable, and UnsupportedSettings for a workspace that may not be opened.
        """
        return await self.keys.sealing(workspace_id, (self.primary or self).outside)

    @asynccontextmanager
    async def outside(self) -> AsyncIterator[Connection]:
        """A transaction outside every workspace: all customer tables read empty."""
        async with (
            ended_cleanly(self._connection()) as connection,
            ended_cleanly(self._transaction(connection)),
        ):
            yield connection

    async def reach(self) -> None:
        """Raise StoreUnavailable, within two seconds or so, when the server does not answer.

        Asks over a connection of its own, so that a busy pool is not taken for a dead server.
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
        """Like psycopg's own, but that its first message also says as whom it runs."""
        await connection.execute(_beginning(self.statement_timeout), prepare=False)
        try:
            yield
        except psycopg.Rollback:
            await connection.rollback()
            return
        except psycopg.errors.ReadOnlySqlTransaction as error:
            await connection.close()  # The next one is to the server that was promoted.
            raise StoreUnavailable(
                "the database takes no writes any more: it is no longer the primary",
                hint="try again; name all hosts in FOOTNOTE_DATABASE_URL",
            ) from error
        except BaseException:
            with suppress(psycopg.Error):  # What went wrong before is to be told.
                await connection.rollback()
            raise
        await connection.commit()

    @asynccontextmanager
    async def _traced(self) -> AsyncIterator[Connection]:
        # Not the current one: a transaction may be open across the steps of a generator.
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
                    # A pipeline that an interruption left open: whoever got the connection next
                    # could not begin a transaction. The pool opens another one instead.
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
                raise NotFound("the workspace is gone") from error
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


def refuse_under_legal_hold(error: psycopg.IntegrityError) -> None:
    """Raise UnderLegalHold where that is why nothing was deleted."""
    if error.sqlstate == _UNDER_LEGAL_HOLD:
        raise UnderLegalHold(
            "what was to be deleted, or something that quotes it, is under legal hold",
            hint=LIFT_A_HOLD,
        ) from error


async def bind(
    connection: Connection, workspace_id: UUID, principal: Principal, *, distributed: bool = False
) -> None:
    """Name the workspace and the principal to the transaction, until it ends.

    Where it is distributed, by statements, which Citus hands on to nodes; functions it does not.
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
    """Name the workspace to a transaction, with no document hidden, wherever the tables lie."""
    await bind(connection, workspace_id, SYSTEM, distributed=True)


async def execute_as_system(
    scope: WorkspaceScope, statement: LiteralString, parameters: Mapping[str, object]
) -> psycopg.AsyncCursor[DictRow]:
    """Run one statement that sees every document of the workspace, whoever the scope acts for.

    For what all principals share, and for numbers of chunks that its principal may see. Columns
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
