"""Clients of the application, with and without an engine behind it."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

import footnote
from footnote.interfaces.http.app import create_app
from footnote.settings import Settings
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, opened_over, settings_over
from tests.interfaces.papers import ANNEX, PAPERS, SECRET
from tests.interfaces.serving import served

LOCAL = "http://127.0.0.1"
_UUID = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def but_for_ids(answer: httpx.Response) -> str:
    """The body of an answer without the ids that it names."""
    return _UUID.sub("…", answer.text)


@pytest.fixture
def unopened() -> FastAPI:
    """The application before its engine is open."""
    return create_app(Settings(document_limits='{"bytes": 1000}'))


@pytest.fixture
async def closed(unopened: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application before its engine is open."""
    transport = httpx.ASGITransport(unopened, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=LOCAL) as client:
        yield client


@pytest.fixture(scope="session")
async def shared_http(shared_settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    async with served(shared_settings) as client:
        yield client


@pytest.fixture
async def own_http(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    async with served(settings) as client:
        yield client


@pytest.fixture
def http(request: pytest.FixtureRequest, settings: Settings) -> httpx.AsyncClient:
    """A client of a real server with an open engine over the test's database."""
    client: httpx.AsyncClient = opened_over(request, settings, "http")
    return client


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A server over documents that are indexed, to be searched and not to be changed."""

    settings: Settings
    http: httpx.AsyncClient
    ids: dict[str, str]
    """Document ids by file name."""


@pytest.fixture(scope="session")
async def library(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Library]:
    """The papers, in the default workspace, and an annex of another one."""
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path_factory.mktemp("library"), model_home)
        async with footnote.open(settings) as engine:
            await engine.create_workspace("annex")
            ids = await _fill(engine)
        async with served(settings) as client:
            yield Library(settings=settings, http=client, ids=ids)


async def _fill(engine: footnote.Engine) -> dict[str, str]:
    ids: dict[str, str] = {}
    for name, papers in ((None, [*PAPERS, SECRET]), ("annex", [ANNEX])):
        workspace = await engine.workspace(name)
        received = [
            await workspace.receive(
                paper.text.encode(),
                paper.filename,
                collection=paper.collection,
                tags=paper.tags,
                metadata=paper.metadata,
                shared_with=paper.access,
            )
            for paper in papers
        ]
        found = [each.document.document_id for each in received]
        rested = await footnote.work_until_resting(engine, workspace, found)
        assert {each.status for each in rested.values()} == {footnote.DocumentStatus.INDEXED}
        ids |= {each.document.filename: str(each.document.document_id) for each in received}
    return ids
