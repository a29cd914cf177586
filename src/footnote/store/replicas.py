"""Reads from streaming replicas, as long as they are near enough to the primary."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import psycopg
import structlog
from psycopg_pool import PoolTimeout

from footnote.domain.replicas import Position, ReplicaStatus
from footnote.errors import StoreUnavailable
from footnote.ports.index import ReplicaLost
from footnote.ports.telemetry import READS, REPLICA_LAG
from footnote.store.database import Database
from footnote.store.pools import ANSWER_SECONDS, refuse_powerful_role
from footnote.store.statements import load_statements

_SQL = load_statements("replicas")
_log = structlog.get_logger(__name__)

_LONGEST_LOOK_SECONDS = 1.0
_REMEMBERED = 4096
"""Primary positions kept to compute lag in seconds: an hour of them, at one a second."""
_CATCHING_UP_SECONDS = 0.01
"""Interval at which a replica is asked whether it has replayed a position."""
WAIT_SECONDS = 1.0
"""Longest wait for a replica to replay what the caller has seen, before the primary is read."""


@dataclass(slots=True, kw_only=True)
class Replica:
    """One replica: its pool, and its state at the last check."""

    name: str
    database: Database
    replayed: Position | None = None
    cluster: int | None = None
    """System identifier of the cluster it copies, which all standbys of the cluster share."""
    looked_at: float = 0.0
    unfit: str | None = "not looked at yet"
    """Why it serves no reads; None if it can."""
    trusted: bool = False
    """Whether its login was found to be subject to row-level security."""

    async def look(self) -> None:
        """Check how far it has replayed. Errors are recorded in `unfit`, not raised."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                if not self.trusted:
                    await refuse_powerful_role(self.database)
                    self.trusted = True
                async with self.database.outside() as connection:
                    row = await (await connection.execute(_SQL["replayed"])).fetchone()
        except (ReplicaLost, StoreUnavailable, psycopg.Error, PoolTimeout, TimeoutError) as error:
            reason = str(error).strip() or f"no answer within {ANSWER_SECONDS:g} seconds"
            self.unfit, self.replayed = reason, None
            return
        assert row is not None, "one row"
        self.looked_at = time.monotonic()
        self.replayed = None if row["position"] is None else Position.of(row["position"])
        self.cluster = row["cluster"]
        self.unfit = None
        if not row["standby"]:
            self.unfit = "it is no standby any more: it was promoted, or is the primary itself"
        elif not row["streaming"]:
            self.unfit = "it receives nothing from the primary"


@dataclass(slots=True, kw_only=True)
class Replicas:
    """The replicas of an installation, and the choice of the one that serves a read.

    A replica is fit if all that it lacks was written within `max_lag_seconds`. Lag is computed from
    positions of the primary, recorded with the local time, and so needs neither synchronised clocks
    nor superuser rights. A workspace stays with one of the fit replicas, chosen by rendezvous
    hashing, so that a process's caches of it stay valid; each process has its own salt.
    """

    primary: Database
    replicas: Sequence[Replica] = ()
    max_lag_seconds: float = 10.0
    _primary_positions: deque[tuple[float, Position]] = field(
        default_factory=lambda: deque(maxlen=_REMEMBERED)
    )
    _reads: Counter[str] = field(default_factory=Counter)
    _salt: bytes = field(default_factory=lambda: secrets.token_bytes(8))
    _watch: asyncio.Task[None] | None = None

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.replicas)

    def watch(self) -> None:
        """Start to check them periodically, several times within the bound."""
        if self.replicas:
            self._watch = asyncio.create_task(self._watching())

    async def close(self) -> None:
        """Stop the checks, and close the pools."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        await asyncio.gather(*(replica.database.pool.close() for replica in self.replicas))

    async def look(self) -> None:
        """Check how far all replicas have replayed.

        The primary is asked last: no standby can have replayed more than its position then.
        """
        await asyncio.gather(*(replica.look() for replica in self.replicas))
        asked_at = time.monotonic()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                written, cluster = await self._query_primary()
        except (StoreUnavailable, TimeoutError) as error:
            _log.warning("replicas_unmeasured", reason=str(error) or "the primary does not answer")
            return
        while self._primary_positions and self._primary_positions[-1][1] > written:
            self._primary_positions.pop()  # Another server was promoted, at an earlier position.
        self._primary_positions.append((asked_at, written))
        for replica in self.replicas:
            if replica.unfit is None and replica.cluster != cluster:
                replica.unfit = "it is no copy of the primary: it belongs to another cluster"
            elif (
                replica.unfit is None
                and replica.replayed is not None
                and replica.replayed > written
            ):
                replica.unfit = "it is ahead of the primary: it has another history"
            lag = self._lag_seconds(replica)
            if lag is not None:
                REPLICA_LAG.set(lag, {"server.address": replica.name})

    async def position(self) -> Position:
        """Return the primary's current write position. Raises StoreUnavailable."""
        position, _ = await self._query_primary()
        return position

    async def serving(self, workspace_id: UUID, after: Position | None = None) -> Database:
        """Return the database for a read of the workspace: a fit replica, or else the primary.

        Waits up to `WAIT_SECONDS` for the replica to replay `after`.
        """
        fit = [replica for replica in self.replicas if self._reason(replica) is None]
        if not fit:
            return self._count_read(None, "none is fit" if self.replicas else "")
        chosen = max(fit, key=lambda replica: self._weight(replica, workspace_id))
        if after is not None and not await self._reaches(chosen, after):
            return self._count_read(None, "behind what the caller has seen")
        return self._count_read(chosen, "")

    def lost(self, database: Database) -> None:
        """Stop reading from a database that has just failed, until the next check."""
        for replica in self.replicas:
            if replica.database is database:
                replica.unfit = "a read from it has just failed"

    def statuses(self) -> tuple[ReplicaStatus, ...]:
        """Return each replica's state at the last check, and how many reads it served."""
        newest = self._primary_positions[-1][1] if self._primary_positions else None
        statuses = []
        for replica in self.replicas:
            reason, lag = self._reason(replica), self._lag_seconds(replica)
            lag_bytes = None
            if newest is not None and replica.replayed is not None:
                lag_bytes = max(newest.byte - replica.replayed.byte, 0)
            lag_text = "" if lag is None else f"{lag:.1f} seconds and {lag_bytes:,} bytes behind"
            statuses.append(
                ReplicaStatus(
                    name=replica.name,
                    fit=reason is None,
                    detail="; ".join(filter(None, (reason, lag_text))),
                    lag_seconds=lag,
                    lag_bytes=lag_bytes,
                    reads=self._reads[replica.name],
                )
            )
        return tuple(statuses)

    async def _watching(self) -> None:
        pause = min(_LONGEST_LOOK_SECONDS, self.max_lag_seconds / 4)
        last_fit: dict[str, bool] = {}
        while True:
            await self.look()
            for status in self.statuses():
                if last_fit.get(status.name) != status.fit:
                    last_fit[status.name] = status.fit
                    level = _log.info if status.fit else _log.warning
                    level("replica", server=status.name, fit=status.fit, detail=status.detail)
            await asyncio.sleep(pause)

    async def _query_primary(self) -> tuple[Position, int]:
        async with self.primary.outside() as connection:
            row = await (await connection.execute(_SQL["written"])).fetchone()
        assert row is not None, "one row"
        return Position.of(row["position"]), row["cluster"]

    def _reason(self, replica: Replica) -> str | None:
        """Why nothing is read from it; None where it is fit."""
        if replica.unfit is not None:
            return replica.unfit
        lag = self._lag_seconds(replica)
        if lag is None:
            return "nobody knows how far behind it is"
        if lag > self.max_lag_seconds:
            return f"further behind than {self.max_lag_seconds:g} seconds"
        return None

    def _lag_seconds(self, replica: Replica) -> float | None:
        """How long ago the primary was last seen at a place that the replica has replayed."""
        if replica.replayed is None:
            return None
        for seen_at, position in reversed(self._primary_positions):
            if position <= replica.replayed:
                return time.monotonic() - seen_at
        return None

    async def _reaches(self, replica: Replica, after: Position) -> bool:
        """Return whether it has replayed `after`, or does within `WAIT_SECONDS`."""
        if replica.replayed is not None and replica.replayed >= after:
            return True
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            await replica.look()
            if replica.unfit is not None or replica.replayed is None:
                return False
            if replica.replayed >= after:
                return True
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(_CATCHING_UP_SECONDS)

    def _weight(self, replica: Replica, workspace_id: UUID) -> bytes:
        """Return the rendezvous hash of a workspace at a replica.

        The highest one wins, so that the choices for other replicas stay when one leaves.
        """
        key = self._salt + workspace_id.bytes + replica.name.encode()
        return hashlib.blake2b(key, digest_size=8).digest()

    def _count_read(self, chosen: Replica | None, reason: str) -> Database:
        if self.replicas:
            name = "primary" if chosen is None else chosen.name
            self._reads[name] += 1
            attributes = {"footnote.read.server": name}
            READS.add(1, attributes | ({"footnote.read.reason": reason} if reason else {}))
        return self.primary if chosen is None else chosen.database
