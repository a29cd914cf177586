"""The remote client chooses models, MCP servers and webhooks as the engine does."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

import footnote
from footnote.domain.events import WEBHOOK_KINDS
from footnote.domain.models_in_use import McpServer, ModelsInUse
from footnote.settings import Settings, settings_from
from tests.interfaces.serving import served

URL = "http://93.184.215.14/mcp"
MODELS = {"answer_models": "qwen3@http://127.0.0.1:9/v1,llama3@http://127.0.0.1:9/v1"}


@pytest.fixture
def configured(settings: Settings) -> Settings:
    return settings_from(settings, {**MODELS, "allow_private_urls": True})


@pytest.fixture
async def address(configured: Settings) -> AsyncIterator[str]:
    async with served(configured) as http:
        yield str(http.base_url)


async def test_models_are_chosen_and_forgotten(address: str, configured: Settings) -> None:
    shown = ModelsInUse(configured=("qwen3", "llama3"), chosen=None)
    async with footnote.AsyncClient(address) as client:
        assert await client.models_in_use() == shown
        assert (await client.use_models(["llama3"])).used == ("llama3",)
        quotes = await client.use_models(["extractive"])
        assert (quotes.chosen, quotes.used) == ((), ())
        async with footnote.open(configured) as engine:
            here = await engine.workspace()
            assert await here.models_in_use() == quotes
        with pytest.raises(footnote.InvalidRequest, match="gpt-9"):
            await client.use_models(["gpt-9"])
        assert await client.reset_models() == shown


async def test_mcp_servers_come_and_go(address: str) -> None:
    async with footnote.AsyncClient(address) as client:
        added = await client.add_mcp_server("tickets", URL, {"Authorization": "Bearer secret"})
        assert added.headers == {"Authorization": "Bearer secret"}
        with pytest.raises(footnote.Conflict):
            await client.add_mcp_server("tickets", URL)
        # What the headers say is told to nobody.
        known = McpServer(name="tickets", url=URL, headers={"Authorization": ""})
        assert await client.mcp_servers() == (known,)
        await client.remove_mcp_server("tickets")
        assert await client.mcp_servers() == ()
        for absent in ("tickets", "../webhooks", "ü?"):
            with pytest.raises(footnote.NotFound):
                await client.remove_mcp_server(absent)


async def test_webhooks_come_and_go(address: str, configured: Settings) -> None:
    async with footnote.AsyncClient(address) as client:
        # Nothing listens on the port of discarded messages.
        added, secret = await client.add_webhook("http://127.0.0.1:9/", ["document.failed"])
        assert added.kinds == ("document.failed",)
        assert len(secret) >= 32
        every, _ = await client.add_webhook("http://127.0.0.1:9/every")
        assert every.kinds == WEBHOOK_KINDS
        async with footnote.open(configured) as engine:
            here = await engine.workspace()
            assert await client.webhooks() == await here.webhooks()
            assert await here.webhook_and_secret(added.endpoint_id) == (added, secret)
        assert await client.try_webhook(added.endpoint_id)
        failing = {each.endpoint_id: each for each in await client.webhooks()}[added.endpoint_id]
        assert failing.last_error
        await client.remove_webhook(added.endpoint_id)
        assert [each.endpoint_id for each in await client.webhooks()] == [every.endpoint_id]
        for call in (client.remove_webhook, client.try_webhook):
            with pytest.raises(footnote.NotFound):
                await call(uuid4())
        with pytest.raises(footnote.InvalidRequest, match="no events"):
            await client.add_webhook("http://127.0.0.1:9/", ["document.eaten"])


async def test_the_blocking_client_chooses_too(address: str) -> None:
    def work() -> tuple[ModelsInUse, int]:
        with footnote.Client(address) as client:
            client.add_mcp_server("tickets", URL)
            return client.use_models(["qwen3"]), len(client.mcp_servers())

    in_use, servers = await asyncio.to_thread(work)
    assert (in_use.used, servers) == (("qwen3",), 1)


async def test_a_program_that_closes_no_client_ends() -> None:
    program = "import footnote; footnote.Client('http://127.0.0.1:9', retries=0).models_in_use()"
    ended = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, stderr=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(600):
        _, told = await ended.communicate()
    assert ended.returncode == 1
    assert b"NotReady" in told
