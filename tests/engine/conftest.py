"""What several tests of the engine look at and none of them changes."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.engine.shelf import Shelf, filled_shelf


@pytest.fixture(scope="session")
async def shelf(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Shelf]:
    """Documents in two workspaces; tests add to the other one alone."""
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path_factory.mktemp("shelf"), model_home)
        async with filled_shelf(settings) as filled:
            yield filled
