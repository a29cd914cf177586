"""Create, unwrap and cache the data keys of workspaces; only wrapped keys are stored."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.rows import DictRow

from footnote.domain.encryption import BackedUpKeys
from footnote.errors import FootnoteError, KeyUnavailable, UnsupportedSettings
from footnote.ports import Ciphers, MasterKey
from footnote.store.sealing import INDEX_SECRET, Sealing
from footnote.store.statements import load_statements

DATA_KEY_BYTES = 32
CACHE_SECONDS = 300.0
"""Cache lifetime of keys in seconds. For this long, a process may use keys that another process
has rotated or destroyed."""
_SQL = load_statements("data_keys")
_BIND = sql.SQL(load_statements("scope")["bind_workspace"])
_PLAIN = Sealing()

Transaction = Callable[[], AbstractAsyncContextManager[psycopg.AsyncConnection[DictRow]]]
"""Opens a transaction outside every workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKeys:
    """The stored keys of a new workspace."""

    sealed_key: bytes
    """The secret of its index, encrypted by its data key."""
    wrapped: bytes
    """The data key, wrapped by the master key of that name."""
    master_key: str


@dataclass(slots=True)
class KeyRing:
    """Provides the encryption of each workspace; without ciphers only unencrypted ones open."""

    ciphers: Ciphers | None = None
    required: bool = False
    """Whether unencrypted workspaces are refused."""
    _cached: dict[UUID, tuple[float, Sealing]] = field(default_factory=dict)

    async def sealing(self, workspace_id: UUID, transaction: Transaction) -> Sealing:
        """Return the workspace's encryption, from the cache if it is recent.

        Raises KeyUnavailable, and UnsupportedSettings for a workspace that is refused.
        """
        cached = self._cached.get(workspace_id)
        if cached is not None and time.monotonic() < cached[0]:
            return cached[1]
        async with transaction() as connection:
            await _bind(connection, workspace_id)
            cursor = await connection.execute(_SQL["keys"], {"workspace_id": workspace_id})
            rows = await cursor.fetchall()
        if not rows:
            return _PLAIN  # The workspace is gone, with all its content.
        sealing = await self._sealing_of(workspace_id, rows)
        self._cached[workspace_id] = (time.monotonic() + CACHE_SECONDS, sealing)
        return sealing

    def forget(self, workspace_id: UUID) -> None:
        """Drop the cached keys of a workspace."""
        self._cached.pop(workspace_id, None)

    async def ensure_data_key(self, workspace_id: UUID, transaction: Transaction) -> None:
        """Create a data key for credentials if there is none. Raises what `sealing` raises."""
        if (await self.sealing(workspace_id, transaction)).cipher is not None:
            return
        async with transaction() as connection:
            await self.ensure_master_key(connection)
            wrapped, master_key = await self.wrap(secrets.token_bytes(DATA_KEY_BYTES), workspace_id)
            await _bind(connection, workspace_id)
            await connection.execute(
                _SQL["add_first"],
                {"workspace_id": workspace_id, "wrapped": wrapped, "master_key": master_key},
            )
        self.forget(workspace_id)

    async def ensure_master_key(self, connection: psycopg.AsyncConnection[DictRow]) -> None:
        """Create the master key if Footnote manages it and no data key is wrapped by another.

        If it was not created, wrapping raises KeyUnavailable. No other process creates one until
        the transaction ends, so store what it wraps in the same transaction.
        """
        if self.ciphers is None or not await self.ciphers.lacks_master():
            return
        await connection.execute(_SQL["wait_for_master_key"])
        [row] = await (await connection.execute(_SQL["has_wrapped_keys"])).fetchall()
        if not row["found"]:
            await self.ciphers.make_master()

    async def new_keys(
        self, workspace_id: UUID, connection: psycopg.AsyncConnection[DictRow]
    ) -> NewKeys:
        """Create the keys of an encrypted workspace; store them in the same transaction.

        Raises KeyUnavailable.
        """
        await self.ensure_master_key(connection)
        key = secrets.token_bytes(DATA_KEY_BYTES)
        assert self.ciphers is not None, "an engine makes workspaces"
        cipher = self.ciphers.cipher(workspace_id, {1: key}, 1)
        secret = secrets.token_bytes(DATA_KEY_BYTES)
        wrapped, master_key = await self.wrap(key, workspace_id)
        return NewKeys(
            sealed_key=cipher.seal(secret, INDEX_SECRET.of(workspace_id)),
            wrapped=wrapped,
            master_key=master_key,
        )

    async def wrap(self, key: bytes, workspace_id: UUID) -> tuple[bytes, str]:
        """Wrap a data key by the first master key; return it with that key's name.

        Raises KeyUnavailable.
        """
        master = self.masters[0]
        return await master.wrap(key, workspace_id), master.name

    async def unwrap(self, wrapped: bytes, master_key: str, workspace_id: UUID) -> bytes:
        """Unwrap a data key by the master key of this name. Raises KeyUnavailable."""
        matching = [master for master in self.masters if master.name == master_key]
        if not matching:
            raise KeyUnavailable(
                f"a data key is under the master key {master_key}, and here is "
                f"{' and '.join(master.name for master in self.masters)}",
                hint="name that key in FOOTNOTE_MASTER_KEY, alone or behind another",
            )
        for master in matching[:-1]:
            try:
                return await master.unwrap(wrapped, workspace_id)
            except KeyUnavailable:
                continue  # Several keys share a name: the last one raises the error.
        return await matching[-1].unwrap(wrapped, workspace_id)

    async def refusal(self, keys: BackedUpKeys) -> FootnoteError | None:
        """Return why a key of the workspace cannot be unwrapped; None if all can."""
        try:
            for key in keys.keys:
                await self.unwrap(key.wrapped, key.master_key, keys.workspace_id)
        except FootnoteError as error:  # A malformed key file is an error of the settings.
            return error
        return None

    @property
    def masters(self) -> Sequence[MasterKey]:
        """The master keys: the first wraps, all may unwrap. Raises KeyUnavailable."""
        if self.ciphers is None:
            raise KeyUnavailable(
                "the workspace is encrypted, and no master key is at hand",
                hint="open it by an engine, which has the master key",
            )
        return self.ciphers.masters

    async def _sealing_of(self, workspace_id: UUID, rows: Sequence[DictRow]) -> Sealing:
        encrypted = rows[0]["encryption"] == "on"
        if self.required and not encrypted:
            raise UnsupportedSettings(
                "The setting encryption is on, and this workspace was made without encryption.",
                hint="make a new one, which will be encrypted, and hand its documents in there; or "
                "set FOOTNOTE_ENCRYPTION=off to go on with it as it is",
            )
        keys: dict[int, bytes] = {}
        try:
            for row in rows:
                if row["version"] is not None:
                    keys[row["version"]] = await self.unwrap(
                        bytes(row["wrapped"]), row["master_key"], workspace_id
                    )
        except KeyUnavailable as error:
            if encrypted:
                raise
            return Sealing(unavailable=error)  # Only its credentials are unreadable.
        if not keys:
            if encrypted:
                raise KeyUnavailable(
                    "the data keys of the workspace were destroyed, so nothing in it can be read",
                    hint="if that was no intention, restore the table data_keys from a backup",
                )
            return _PLAIN
        current = next(row["version"] for row in rows if row["state"] == "current")
        return self._with_keys(workspace_id, keys, current, rows[0] if encrypted else None)

    def _with_keys(
        self,
        workspace_id: UUID,
        keys: Mapping[int, bytes],
        current: int,
        encrypted: DictRow | None,
    ) -> Sealing:
        assert self.ciphers is not None, "a key was unwrapped"
        cipher = self.ciphers.cipher(workspace_id, keys, current)
        if encrypted is None:
            return Sealing(cipher=cipher)
        secret = cipher.unseal(bytes(encrypted["lexical_key"]), INDEX_SECRET.of(workspace_id))
        return Sealing(cipher=cipher, index=self.ciphers.index_secrets(secret))


async def _bind(connection: psycopg.AsyncConnection[DictRow], workspace_id: UUID) -> None:
    await connection.execute(_BIND.format(workspace=sql.Literal(str(workspace_id))), prepare=False)
