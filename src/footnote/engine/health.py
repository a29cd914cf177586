"""Says whether an open engine can serve at this moment."""

from __future__ import annotations

from footnote.domain import Check, Health, Lane
from footnote.errors import StoreUnavailable
from footnote.store.database import Database


async def look(database: Database, lane: Lane) -> Health:
    """What can fail while it runs, looked at, within about two seconds."""
    try:
        await database.reach()
        reached = Check(name="database", ok=True, detail="answers")
    except StoreUnavailable as error:
        reached = Check(name="database", ok=False, detail=str(error), hint=error.hint)
    checks = (
        reached,
        Check(name="migrations", ok=True, detail="applied at start"),
        Check(name="embedding model", ok=True, detail=lane.fingerprint),
    )
    return Health(ready=all(check.ok for check in checks), checks=checks)
