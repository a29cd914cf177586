"""Brings a database up to date by itself, apart from the start of a server or worker."""

from __future__ import annotations

import asyncio

from footnote.domain.upgrading import Upgrade
from footnote.engine.opening import database_urls
from footnote.settings import Settings
from footnote.store.embedded import start_embedded
from footnote.store.migrate import migrate, missing_steps


async def upgrade(settings: Settings, *, check: bool = False) -> Upgrade:
    """Apply the steps of migration that the database lacks, or only name them.

    Processes that do so at the same time wait for the first of them. Raises StoreUnavailable when
    the server cannot be reached, lacks pgvector or a right, or was migrated by a newer version.
    """
    return await asyncio.to_thread(_upgrade, settings, check=check)


def _upgrade(settings: Settings, *, check: bool) -> Upgrade:
    server = None if settings.database_url is not None else start_embedded(settings.home)
    try:
        owner_url = database_urls(settings, server).owner
        steps = missing_steps(owner_url) if check else migrate(owner_url)
    finally:
        if server is not None:
            server.release()
    return Upgrade(steps=steps, applied=not check or not steps)
