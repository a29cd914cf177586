"""Keeps others from what only one process may do: using a home's server, restoring into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from footnote.errors import Conflict
from footnote.store.embedded import locked, open_lock, private_folder


@contextmanager
def unused(home: Path) -> Iterator[None]:
    """Keep everybody from using the server of a home. Raises Conflict where somebody does."""
    private_folder(home)
    with open_lock(home / "postgres.lock") as starting, open_lock(home / "postgres.users") as use:
        if not (locked(starting) and locked(use)):
            raise Conflict(
                f"a server, a worker or another command uses {home}", hint="stop it first"
            )
        yield


@contextmanager
def only_one(path: Path, doing: str) -> Iterator[None]:
    """Do something in one process at a time. Raises Conflict where another is about it."""
    with open_lock(path) as lock:
        if not locked(lock):
            raise Conflict(f"another process is {doing}", hint="wait until it has ended")
        yield
