"""One Postgres for the session, one database for each test that asks for one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from hypothesis import settings as hypothesis_settings
from psycopg import sql

from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.models.aligned import AlignedEncoder, load_aligned
from footnote.settings import Settings
from footnote.store.database import Database, open_database
from footnote.store.embedded import (
    APPLICATION_ROLE,
    OWNER_ROLE,
    SUPERUSER,
    EmbeddedPostgres,
    create_database,
    start_embedded,
)
from footnote.store.migrate import migrate

from .wire import WireServer

# The same commit passes or fails the same way twice; HYPOTHESIS_PROFILE=default looks for others.
hypothesis_settings.register_profile("repeatable", derandomize=True)
hypothesis_settings.register_profile("thorough", max_examples=1000)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

TEMPLATE = "migrated"


@dataclass(frozen=True, slots=True)
class TestDatabase:
    """Where to reach one test's own database."""

    __test__ = False

    application_url: str
    owner_url: str
    superuser_url: str


@pytest.fixture(scope="session")
def session_home() -> Iterator[Path]:
    """A folder whose path leaves room for a socket, and that other users may walk through."""
    with tempfile.TemporaryDirectory(prefix="fn-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o711)
        yield Path(name)


@pytest.fixture(scope="session")
def postgres(session_home: Path) -> Iterator[EmbeddedPostgres]:
    """A running server with a migrated template database."""
    server = start_embedded(session_home)
    try:
        _forget_durability(server)
        create_database(server, TEMPLATE)
        migrate(server.url(OWNER_ROLE, TEMPLATE))
        yield server
    finally:
        server.release()


def _forget_durability(server: EmbeddedPostgres) -> None:
    """A database that lives for a second need not survive a power cut."""
    with psycopg.connect(server.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(setting)))
        connection.execute("SELECT pg_reload_conf()")


@contextmanager
def fresh_database(postgres: EmbeddedPostgres) -> Iterator[TestDatabase]:
    """A fresh copy of the migrated template, for the length of a block."""
    name = f"test_{uuid4().hex}"
    create_database(postgres, name, template=TEMPLATE)
    try:
        yield TestDatabase(
            application_url=postgres.url(APPLICATION_ROLE, name),
            owner_url=postgres.url(OWNER_ROLE, name),
            superuser_url=postgres.url(SUPERUSER, name),
        )
    finally:
        with psycopg.connect(postgres.url(SUPERUSER, "postgres"), autocommit=True) as connection:
            connection.execute(
                sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            )


@pytest.fixture
def test_database(postgres: EmbeddedPostgres) -> Iterator[TestDatabase]:
    """A fresh copy of the migrated template."""
    with fresh_database(postgres) as made:
        yield made


@pytest.fixture
async def database(test_database: TestDatabase) -> AsyncIterator[Database]:
    """The application's pool over a fresh database."""
    opened = await open_database(test_database.application_url, 4, 30)
    try:
        yield opened
    finally:
        await opened.pool.close()


@pytest.fixture(scope="session")
def model_home() -> Path:
    """Where built models stay between runs; building one takes seconds."""
    fallback = Path(tempfile.gettempdir()) / f"footnote-test-models-{os.getuid()}"
    return Path(os.environ.get("FOOTNOTE_TEST_MODELS", fallback))


@pytest.fixture(scope="session")
def packaged_models(model_home: Path) -> Iterator[AlignedEncoder]:
    """The default embedder, open as long as the tests run: each engine's shares its models."""
    model_home.mkdir(parents=True, exist_ok=True)
    embedder = load_aligned(model_home, "int8", threads=1, batch_tokens=8192)
    yield embedder
    embedder.close()


@pytest.fixture
def settings(
    test_database: TestDatabase, tmp_path: Path, model_home: Path, packaged_models: AlignedEncoder
) -> Settings:
    """Settings over a fresh database and a fresh folder, with the models already open."""
    return settings_over(test_database, tmp_path, model_home)


def settings_over(database: TestDatabase, folder: Path, model_home: Path) -> Settings:
    """Settings over a database and an empty folder, with the models already built."""
    home = folder / "home"
    home.mkdir()
    model_home.mkdir(parents=True, exist_ok=True)
    (home / "models").symlink_to(model_home)
    return Settings(
        home=home,
        database_url=database.application_url,
        owner_database_url=database.owner_url,
        worker_stalled_seconds=2.0,
    )


@pytest.fixture
async def engine(settings: Settings) -> AsyncIterator[Engine]:
    """A started engine with the real model over a fresh database."""
    async with await open_engine(settings) as opened:
        yield opened


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    """The default workspace of a fresh engine."""
    return await engine.workspace()


@pytest.fixture
def wire_server() -> Iterator[WireServer]:
    """A scripted model on loopback; see tests/wire."""
    with WireServer() as server:
        yield server
