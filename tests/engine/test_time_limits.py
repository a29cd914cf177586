"""A search that takes too long ends, and leaves everything usable."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from footnote.domain import SearchRequest
from footnote.engine import Engine, open_engine
from footnote.errors import TimeLimitReached
from footnote.settings import Settings


@pytest.fixture
async def impatient(settings: Settings) -> AsyncIterator[Engine]:
    async with await open_engine(
        settings.model_copy(update={"timeouts": '{"search": 1e-6}'})
    ) as engine:
        yield engine


async def test_a_search_ends_when_its_time_is_up(impatient: Engine, engine: Engine) -> None:
    workspace = await impatient.workspace()
    for _ in range(20):  # more than there are connections
        with pytest.raises(TimeLimitReached, match="longer than"):
            await workspace.search(SearchRequest(query="storm"))
    with pytest.raises(TimeLimitReached):
        await workspace.ask("What of storms?")
    assert (await workspace.stats()).documents_by_status == {}
    patient = await engine.workspace()
    assert (await patient.search(SearchRequest(query="storm"))).evidence == ()
