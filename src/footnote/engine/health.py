"""Says whether an open engine can serve at this moment."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from footnote.domain import Check, Health, Lane
from footnote.errors import StoreUnavailable
from footnote.store.database import Database

_FREE_BYTES = 1024**3
"""Room for the database's first write-ahead log and the built model."""


async def look(database: Database, lane: Lane, home: Path) -> Health:
    """What can fail while it runs, looked at, within about two seconds."""
    try:
        await database.reach()
        reached = Check(name="database", ok=True, detail="answers")
    except StoreUnavailable as error:
        reached = Check(name="database", ok=False, detail=str(error), hint=error.hint)
    checks = (
        await asyncio.to_thread(room_in, home),
        reached,
        Check(name="migrations", ok=True, detail="applied at start"),
        Check(name="embedding model", ok=True, detail=lane.fingerprint),
    )
    return Health(ready=all(check.ok for check in checks), checks=checks)


def room_in(home: Path) -> Check:
    """Whether the folder of an installation can be used and has room; as doctor and /health say."""
    try:
        home.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(home).free
    except OSError as error:
        return Check(
            name="home",
            ok=False,
            detail=f"it cannot be used: {error.strerror}",
            hint="set FOOTNOTE_HOME to a folder you may write to",
        )
    ok = free >= _FREE_BYTES
    return Check(
        name="home",
        ok=ok,
        detail=f"{free / 1024**3:.1f} GiB free",
        hint=None if ok else "free some space, or set FOOTNOTE_HOME to a folder on another disk",
    )
