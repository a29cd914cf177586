"""A server with ten thousand documents, which no test has the time to hand in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from footnote.engine import open_engine
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.interfaces.serving import environment, hosted
from tests.store.papers import lay_many

COUNT = 10_000


@asynccontextmanager
async def full_shelf(
    postgres: EmbeddedPostgres, folder: Path, model_home: Path
) -> AsyncIterator[str]:
    """Serve them, at the address that is given."""
    with fresh_database(postgres) as database:
        settings = settings_over(database, folder, model_home)
        async with await open_engine(settings) as engine:
            workspace = await engine.workspace()
            lay_many(database.superuser_url, workspace.workspace_id, COUNT)
        async with hosted(environment(settings)) as address:
            yield address
