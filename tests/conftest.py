"""One Postgres, one database and one engine for the tests of a process, workspaces for each test.

Other tests' workspaces stay in the database, without their names and without jobs: no test may
notice them. A test whose subject is the database itself, the queue of all workspaces, or a
process that dies uses the fixture `own_database`, and then so does all else that it uses.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from unittest import mock
from uuid import uuid4

import certifi
import psycopg
import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from psycopg import sql

from footnote.domain.redaction import NOTHING, Redaction
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.jobs import worker
from footnote.models.aligned import AlignedEncoder, load_aligned
from footnote.ports.redaction import redacting_as
from footnote.settings import Settings
from footnote.store.addresses import DatabaseUrls
from footnote.store.database import Database
from footnote.store.embedded import (
    APPLICATION_ROLE,
    OWNER_ROLE,
    SUPERUSER,
    EmbeddedPostgres,
    create_database,
    start_embedded,
)
from footnote.store.migrate import migrate
from footnote.store.pools import open_database

from .folders import server_home
from .parsers import keeping_parsers, kept_parser
from .parts import (  # noqa: F401  # hooks
    pytest_collection_modifyitems,
    pytest_runtest_setup,
)
from .wire import WireServer

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Whoever runs the tests in the background ignores it, and so would all that they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same commit passes or fails the same way twice, however slow the machine is;
# HYPOTHESIS_PROFILE=default looks for others.
hypothesis_settings.register_profile(
    "repeatable",
    max_examples=50,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
hypothesis_settings.register_profile("thorough", max_examples=1000, deadline=None)
hypothesis_settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

TEMPLATE = "migrated"
LONGEST_TEST = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class TestDatabase:
    """Where to reach one test's own database."""

    __test__ = False

    name: str
    application_url: str
    owner_url: str
    superuser_url: str

    @property
    def urls(self) -> DatabaseUrls:
        """The ways of an engine to it."""
        return DatabaseUrls(
            application=self.application_url, direct=self.application_url, owner=self.owner_url
        )


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is imported and collected stays, and is not searched for garbage ever again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="module", autouse=True)
def unused_memory_given_back() -> Iterator[None]:
    """What the models of opened engines used is kept by glibc, in one arena for each thread."""
    yield
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


@pytest.fixture(scope="session", autouse=True)
def names_of_this_machine_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No other name is found: a network that swallows questions makes each wait, not fail.

    Nor is more than one authority known that would certify one: each client reads all certificates
    that there are, 0.03 s long, and that of object stores wants one at least.
    """
    resolve = socket.getaddrinfo

    def resolve_here(
        host: Any,
        port: Any,
        family: int = 0,
        type: int = 0,  # noqa: A002 - the library's
        proto: int = 0,
        flags: int = 0,
    ) -> Any:
        if host not in (None, "", "localhost", b"localhost"):
            flags |= socket.AI_NUMERICHOST
        return resolve(host, port, family, type, proto, flags)

    authorities = tmp_path_factory.mktemp("authorities")
    ends = "-----END CERTIFICATE-----\n"
    one = Path(certifi.where()).read_text("utf-8").partition(ends)[0] + ends
    (authorities / "one.pem").write_text(one, "utf-8")
    # Processes that tests start ask once, and not for long.
    here = {
        "RES_OPTIONS": "attempts:1 timeout:1",
        "SSL_CERT_DIR": str(authorities),
        "SSL_CERT_FILE": str(authorities / "one.pem"),
    }
    with mock.patch.object(socket, "getaddrinfo", resolve_here), mock.patch.dict(os.environ, here):
        yield


@pytest.fixture(scope="session")
def session_home() -> Iterator[Path]:
    """A folder whose path leaves room for a socket, and that other users may walk through."""
    with server_home() as folder:
        yield folder


@pytest.fixture
def home(model_home: Path) -> Iterator[Path]:
    """A folder that Postgres may reach, with the models already built."""
    with server_home() as folder:
        model_home.mkdir(parents=True, exist_ok=True)
        (folder / "models").symlink_to(model_home)
        yield folder


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
        connection.execute("ALTER SYSTEM SET max_wal_size = '256MB'")  # it may lie in memory
        connection.execute("SELECT pg_reload_conf()")


@contextmanager
def fresh_database(postgres: EmbeddedPostgres, template: str = TEMPLATE) -> Iterator[TestDatabase]:
    """A fresh copy of the migrated template, or of a filled one, for the length of a block."""
    name = f"test_{uuid4().hex}"
    create_database(postgres, name, template=template)
    try:
        yield TestDatabase(
            name=name,
            application_url=postgres.url(APPLICATION_ROLE, name),
            owner_url=postgres.url(OWNER_ROLE, name),
            superuser_url=postgres.url(SUPERUSER, name),
        )
    finally:
        with psycopg.connect(postgres.url(SUPERUSER, "postgres"), autocommit=True) as connection:
            connection.execute(
                sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            )


@pytest.fixture(scope="session")
def shared_database(postgres: EmbeddedPostgres) -> Iterator[TestDatabase]:
    with fresh_database(postgres) as made:
        yield made


@pytest.fixture(scope="session")
def superuser(shared_database: TestDatabase) -> Iterator[psycopg.Connection]:
    with psycopg.connect(shared_database.superuser_url, autocommit=True) as connection:
        # A transaction that a test left open fails the next statement, and does not hold it up.
        connection.execute("SET lock_timeout = '120s'")
        yield connection


@pytest.fixture
def own_database(postgres: EmbeddedPostgres) -> Iterator[TestDatabase]:
    with fresh_database(postgres) as made:
        yield made


@pytest.fixture
def test_database(request: pytest.FixtureRequest) -> Iterator[TestDatabase]:
    """The database of this test, in which no workspace has a name and no job waits."""
    if _has_its_own(request):
        yield request.getfixturevalue("own_database")
        return
    superuser: psycopg.Connection = request.getfixturevalue("superuser")
    yield request.getfixturevalue("shared_database")
    superuser.execute(FORGET_THE_TEST)


FORGET_THE_TEST = """
    UPDATE footnote.workspaces SET name = workspace_id::text WHERE name <> workspace_id::text;
    UPDATE footnote.workspace_directory SET name = workspace_id::text
    WHERE name <> workspace_id::text;
    DELETE FROM footnote.procrastinate_jobs;
    DELETE FROM footnote.procrastinate_workers
"""


def _has_its_own(request: pytest.FixtureRequest) -> bool:
    return "own_database" in request.fixturenames


def _fixture_of(request: pytest.FixtureRequest, name: str) -> Any:
    """What all tests of the process share, or this test's own."""
    return request.getfixturevalue(("own_" if _has_its_own(request) else "shared_") + name)


def opened_over(request: pytest.FixtureRequest, settings: Settings, name: str) -> Any:
    """What all tests of the process share if they share these settings, or this test's own."""
    if not _has_its_own(request) and settings is request.getfixturevalue("shared_settings"):
        return request.getfixturevalue(f"shared_{name}")
    return request.getfixturevalue(f"own_{name}")


@pytest.fixture(scope="session")
async def shared_pool(shared_database: TestDatabase) -> AsyncIterator[Database]:
    async with pool_over(shared_database) as opened:
        yield opened


@pytest.fixture
async def own_pool(own_database: TestDatabase) -> AsyncIterator[Database]:
    async with pool_over(own_database) as opened:
        yield opened


@asynccontextmanager
async def pool_over(database: TestDatabase) -> AsyncIterator[Database]:
    # No statement is ended for taking long: some wait for a lock while a test does other things.
    opened = await open_database(database.application_url, 4, 3600)
    try:
        yield opened
    finally:
        await opened.pool.close()


@pytest.fixture
def database(request: pytest.FixtureRequest, test_database: TestDatabase) -> Database:
    """The application's pool over the test's database."""
    pool: Database = _fixture_of(request, "pool")
    return pool


@pytest.fixture(scope="session")
def model_home() -> Path:
    """Where built models stay between runs; building one takes seconds."""
    fallback = Path(tempfile.gettempdir()) / f"footnote-test-models-{os.getuid()}"
    return Path(os.environ.get("FOOTNOTE_TEST_MODELS") or fallback)


@pytest.fixture(scope="session")
def packaged_models(model_home: Path) -> Iterator[AlignedEncoder]:
    """The default embedder, open as long as the tests run: each engine's shares its models."""
    model_home.mkdir(parents=True, exist_ok=True)
    embedder = load_aligned(model_home, "int8", threads=1, batch_tokens=8192)
    yield embedder
    embedder.close()


@pytest.fixture(scope="session")
def shared_settings(
    shared_database: TestDatabase,
    tmp_path_factory: pytest.TempPathFactory,
    model_home: Path,
    packaged_models: AlignedEncoder,
    kept_parsers: None,
) -> Settings:
    return settings_over(shared_database, tmp_path_factory.mktemp("shared"), model_home)


@pytest.fixture
def own_settings(
    own_database: TestDatabase,
    tmp_path: Path,
    model_home: Path,
    packaged_models: AlignedEncoder,
    kept_parsers: None,
) -> Settings:
    return settings_over(own_database, tmp_path, model_home)


@pytest.fixture
def settings(request: pytest.FixtureRequest, test_database: TestDatabase) -> Iterator[Settings]:
    """Settings over the test's database and a home without files, with the models already open."""
    found: Settings = _fixture_of(request, "settings")
    yield found
    for folder in ("blobs", "pages"):
        shutil.rmtree(found.home / folder, ignore_errors=True)


@pytest.fixture(scope="session")
async def kept_parsers() -> AsyncIterator[None]:
    """Workers on the loop of the tests that read files alike share the processes they read in."""
    async with keeping_parsers():
        with mock.patch.object(worker, "ChildParser", kept_parser):
            yield


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
        timeouts='{"worker": 2}',
    )


@pytest.fixture(scope="session")
async def shared_engine(shared_settings: Settings) -> AsyncIterator[Engine]:
    async with await open_engine(shared_settings) as opened:
        yield opened


@pytest.fixture
async def own_engine(settings: Settings) -> AsyncIterator[Engine]:
    async with await open_engine(settings) as opened:
        yield opened


@pytest.fixture
def engine(request: pytest.FixtureRequest, settings: Settings) -> Engine:
    """A started engine with the real model, and these settings."""
    opened: Engine = opened_over(request, settings, "engine")
    return opened


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    """The default workspace, with nothing in it yet."""
    return await engine.workspace()


@pytest.fixture
async def within_one_day() -> None:
    """Begins the test after midnight, in UTC, where it might not end before it."""
    begun = datetime.now(UTC)
    next_day = datetime.combine(begun.date() + timedelta(days=1), time(), UTC)
    if next_day - begun < LONGEST_TEST:
        await asyncio.sleep((next_day - begun).total_seconds() + 1)


@pytest.fixture
def sent_as_it_is() -> Iterator[None]:
    """Hosted models are sent texts as they are, though nobody said whose these are."""

    async def source() -> Redaction:
        return NOTHING

    with redacting_as(source):
        yield


@pytest.fixture
def wire_server() -> Iterator[WireServer]:
    """A scripted model on loopback; see tests/wire."""
    with WireServer() as server:
        yield server
