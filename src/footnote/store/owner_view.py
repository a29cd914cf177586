"""Read workspaces as the owner of the tables, one at a time, for backups."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg import IsolationLevel
from psycopg.rows import DictRow, dict_row

from footnote.domain import Workspace
from footnote.domain.encryption import BackedUpKey, BackedUpKeys
from footnote.domain.erasure import ErasureEntry, ErasureTarget
from footnote.errors import StoreUnavailable
from footnote.store.database import SYSTEM
from footnote.store.statements import load_statements, record_of

_BACKUPS = load_statements("backups")
_BIND = load_statements("scope")["bind"]
_KEYS = load_statements("destruction")["keys"]
_WORKSPACES = load_statements("workspaces")["list"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Reads all workspaces as they were at one moment."""

    connection: psycopg.Connection[DictRow]
    workspaces: tuple[Workspace, ...]

    def documents(self) -> int:
        """Count the documents of all workspaces."""
        return sum(row["documents"] for row in self._rows("count_documents"))

    def files(self) -> list[str]:
        """Return the blob keys of all document versions, in all workspaces."""
        return [row["blob_key"] for row in self._rows("files")]

    def _rows(self, name: str) -> Iterator[DictRow]:
        for workspace in self.workspaces:
            _bind(self.connection, workspace.workspace_id)
            parameters = {"workspace_id": workspace.workspace_id}
            yield from self.connection.execute(_BACKUPS[name], parameters).fetchall()


@dataclass(frozen=True, slots=True)
class OwnerView:
    """Reads as the owner of the tables; all methods block, and raise StoreUnavailable."""

    url: str

    def workspaces(self) -> tuple[Workspace, ...]:
        """Every workspace by name."""
        with self._connected() as connection:
            return tuple(record_of(Workspace, row) for row in connection.execute(_WORKSPACES))

    def schema(self) -> str:
        """The newest migration of the database."""
        with self._connected() as connection:
            row = connection.execute(_BACKUPS["schema"]).fetchone()
        assert row is not None, "an aggregate has a row"
        return str(row["newest"])

    def keys(self, workspace: Workspace) -> BackedUpKeys:
        """Return the wrapped data keys of a workspace."""
        with self._inside(workspace.workspace_id) as connection:
            rows = connection.execute(_KEYS, {"workspace_id": workspace.workspace_id}).fetchall()
        return BackedUpKeys(
            workspace_id=workspace.workspace_id,
            workspace=workspace.name,
            keys=tuple(record_of(BackedUpKey, row) for row in rows),
        )

    def erasures(self, workspace_id: UUID) -> tuple[ErasureEntry, ...]:
        """Return the erasure ledger of a workspace."""
        return tuple(
            record_of(ErasureEntry, row, target=ErasureTarget(row["target"]))
            for row in self._rows("erasures", workspace_id)
        )

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Open a snapshot: what is committed after it was opened is not in what it reads."""
        with self._connected() as connection:
            connection.isolation_level = IsolationLevel.REPEATABLE_READ
            with connection.transaction():
                # The first statement of the transaction takes the snapshot.
                rows = connection.execute(_WORKSPACES).fetchall()
                yield Snapshot(connection, tuple(record_of(Workspace, row) for row in rows))

    def is_empty(self) -> bool:
        """Return whether the database has no Footnote schema yet."""
        with self._connected() as connection:
            row = connection.execute(_BACKUPS["is_empty"]).fetchone()
        return row is not None and bool(row["empty"])

    def prepare(self) -> None:
        """Create what a dump does not contain: the application role, and pgvector."""
        with self._connected() as connection:
            row = connection.execute(_BACKUPS["role_exists"]).fetchone()
            if row is not None and not row["found"]:
                connection.execute(_BACKUPS["create_role"])
            connection.execute(_BACKUPS["create_extension"])

    def drop(self) -> None:
        """Drop the Footnote schema with everything in it."""
        with self._connected() as connection:
            connection.execute(_BACKUPS["drop_schema"])

    def _rows(self, name: str, workspace_id: UUID) -> list[DictRow]:
        with self._inside(workspace_id) as connection:
            return connection.execute(_BACKUPS[name], {"workspace_id": workspace_id}).fetchall()

    @contextmanager
    def _inside(self, workspace_id: UUID) -> Iterator[psycopg.Connection[DictRow]]:
        """Open a transaction scoped to one workspace: row-level security binds the owner, too."""
        with self._connected() as connection, connection.transaction():
            _bind(connection, workspace_id)
            yield connection

    @contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[DictRow]]:
        try:
            with psycopg.connect(self.url, autocommit=True, row_factory=dict_row) as connection:
                yield connection
        except psycopg.OperationalError as error:
            raise StoreUnavailable(
                f"the database cannot be reached: {str(error).strip()}",
                hint="check FOOTNOTE_OWNER_DATABASE_URL and that the server runs",
            ) from error


def _bind(connection: psycopg.Connection[DictRow], workspace_id: UUID) -> None:
    """Scope the open transaction to a workspace."""
    access = {"workspace_id": str(workspace_id), "access": list(SYSTEM.access_names)}
    connection.execute(_BIND, access)
