"""What several tests of the engine share."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from footnote.engine import Engine, open_engine
from footnote.models.aligned import AlignedEncoder
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import FORGET_THE_TEST, TestDatabase, fresh_database, settings_over
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


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptEngine:
    """An engine over a database of its own, for all tests of a file."""

    engine: Engine
    database: TestDatabase
    superuser: psycopg.Connection


@pytest.fixture(scope="module")
def encryption() -> str:
    """On: without it the same statements are given the same values as they are.

    A file about one of the few that do something else then tries both, as those of a text, a
    title, a quote and a page do.
    """
    return "on"


@pytest.fixture(scope="module")
async def kept_engine(
    request: pytest.FixtureRequest,
    encryption: str,
    postgres: EmbeddedPostgres,
    model_home: Path,
    tmp_path_factory: pytest.TempPathFactory,
    packaged_models: AlignedEncoder,
    kept_parsers: None,
) -> AsyncIterator[KeptEngine]:
    """One with the SETTINGS of the file."""
    changed = {"encryption": encryption, **request.module.SETTINGS}
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path_factory.mktemp("kept"), model_home)
        async with await open_engine(settings.model_copy(update=changed)) as opened:
            with psycopg.connect(database.superuser_url, autocommit=True) as superuser:
                yield KeptEngine(engine=opened, database=database, superuser=superuser)


@pytest.fixture
def encrypted_engine(kept_engine: KeptEngine) -> Iterator[Engine]:
    """That engine; the workspaces of the test lose their names afterwards, and wait for nothing."""
    yield kept_engine.engine
    kept_engine.superuser.execute(FORGET_THE_TEST)
