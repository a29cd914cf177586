"""Many tabs of one browser: all of them work and see what happens, over one stream of events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import httpx
import pytest
from playwright.async_api import Browser, BrowserContext, Page, Request, expect

from .conftest import PATIENCE_MILLISECONDS, Site, handed_in, rested
from .documents import QUESTIONS
from .test_citations import ask

LAMPS = next(iter(QUESTIONS))
TABS = 8
"""A browser has six connections to a server; a stream of each tab would take them all."""


@pytest.fixture
async def context(browser: Browser, site: Site) -> AsyncIterator[BrowserContext]:
    async with AsyncExitStack() as stack:
        opened = await browser.new_context(base_url=site.address)
        stack.push_async_callback(opened.close)
        opened.set_default_timeout(PATIENCE_MILLISECONDS)
        yield opened


@pytest.fixture
async def hand_in(site: Site) -> AsyncIterator[Callable[[str], Awaitable[None]]]:
    """Hands in a file of this name, which goes again with the test."""
    handed: list[str] = []
    async with httpx.AsyncClient(base_url=site.address, timeout=600) as http:

        async def act(name: str) -> None:
            text = f"# About {name}\n\nA tab is told of it.\n".encode()
            handed.append(await handed_in(http, name, text))

        yield act
        for document in handed:
            await rested(http, document)
            await http.delete(f"/v1/documents/{document}")


def is_stream(sent: Request) -> bool:
    return sent.url.endswith("/v1/events")


async def open_tab(context: BrowserContext) -> Page:
    tab = await context.new_page()
    await tab.goto("/")
    await expect(tab.get_by_text("What do your documents say?")).to_be_visible()
    # What is there was listed before anything new comes.
    await expect(tab.locator("#sources").get_by_text("scanned-invoice")).to_be_visible()
    return tab


async def test_eight_tabs_share_a_stream_and_another_goes_on_when_its_tab_closes(
    context: BrowserContext, hand_in: Callable[[str], Awaitable[None]]
) -> None:
    streams: list[Request] = []
    context.on("request", lambda sent: streams.extend([sent] if is_stream(sent) else []))
    tabs = [await open_tab(context) for _ in range(TABS)]
    await ask(tabs[-1], LAMPS)
    assert len(streams) == 1

    await hand_in("first-of-the-tabs.md")
    for tab in tabs:
        await expect(tab.locator("#sources").get_by_text("first-of-the-tabs")).to_be_visible()
    reading = streams[0].frame.page
    async with context.expect_event("request", is_stream) as again:
        await reading.close()
    assert (await again.value).headers.get("last-event-id")
    await hand_in("second-of-the-tabs.md")
    for tab in (each for each in tabs if each is not reading):
        await expect(tab.locator("#sources").get_by_text("second-of-the-tabs")).to_be_visible()
    assert len(streams) == 2
