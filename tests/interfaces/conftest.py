"""Clients of the application, with and without an engine behind it."""

from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI

from footnote.interfaces.http.app import create_app
from footnote.settings import Settings
from tests.interfaces.serving import served

LOCAL = "http://127.0.0.1"


@pytest.fixture
def unopened() -> FastAPI:
    """The application before its engine is open."""
    return create_app(Settings(max_file_bytes=1000))


@pytest.fixture
async def closed(unopened: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the application before its engine is open."""
    transport = httpx.ASGITransport(unopened, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=LOCAL) as client:
        yield client


@pytest.fixture
async def http(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a real server with an open engine over a fresh database."""
    async with served(settings) as client:
        yield client
