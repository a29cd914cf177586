"""Migrate a database, apart from the start of a server or worker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from footnote.domain.upgrading import Upgrade
from footnote.engine.opening import database_urls
from footnote.settings import Settings
from footnote.store.embedded import start_embedded
from footnote.store.migrate import migrate
from footnote.store.upgrade_check import state_of_database


async def upgrade(
    settings: Settings, *, check: bool = False, tell: Callable[[str], None] = lambda _: None
) -> Upgrade:
    """Apply the pending migrations, or with `check` only report them.

    Concurrent processes wait for the first. `tell` receives progress messages. Raises
    StoreUnavailable when the server is unreachable, lacks pgvector or a privilege, has a newer
    schema that excludes this version, or keeps a lock held, and when a connected program would be
    excluded.
    """
    return await asyncio.to_thread(_upgrade, settings, check, tell)


def _upgrade(settings: Settings, check: bool, tell: Callable[[str], None]) -> Upgrade:
    server = None if settings.database_url is not None else start_embedded(settings.home)
    try:
        owner_url = database_urls(settings, server).owner
        if check:
            return state_of_database(owner_url)
        steps = migrate(owner_url, tell)
        return replace(state_of_database(owner_url), steps=steps)
    finally:
        if server is not None:
            server.release()
