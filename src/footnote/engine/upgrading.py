"""Brings a database up to date by itself, apart from the start of a server or worker."""

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
    """Apply the steps of migration that the database lacks, or only say what they would do.

    Processes that do so at the same time wait for the first of them. `tell` hears what is done and
    what is waited for. Raises StoreUnavailable when the server cannot be reached, lacks pgvector or
    a right, was migrated by a newer version that leaves this one out, or holds a lock all the time,
    and when a program that is connected would be left out.
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
