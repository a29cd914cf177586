"""Where models are configured: which one answers, by which plan, and what it looks up by itself."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.interfaces.serving import environment, hosted
from tests.wire import Asked, Reply, WireServer, calls, says

from .conftest import ingested, watched_page
from .documents import NOTICE, PARAGRAPHS, QUESTIONS, notice_pdf
from .test_citations import ask
from .test_conversation import answered
from .test_for_everyone import violations

LAMPS = next(iter(QUESTIONS))


def replies(asked: Asked) -> Reply:
    """Look up where there are tools; a second model writes something that no quote carries."""
    if asked.model == "bold":
        return says("The lantern is lit by 400 watts. [1] ", "It was paid for by pirates. [1]")
    if asked.payload.get("tools") and not asked.tool_results:
        return calls("search_documents", json.dumps({"query": "watts of the lantern"}))
    return says("The lantern of Gull Rock is lit by ", "400 watts of halogen lamps. [1]")


@pytest.fixture(scope="module")
def model() -> Iterator[WireServer]:
    with WireServer(respond=replies) as server:
        yield server


@pytest.fixture(scope="module")
async def address(
    postgres: EmbeddedPostgres,
    model_home: Path,
    model: WireServer,
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[str]:
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path_factory.mktemp("modelled"), model_home)
        env = environment(
            settings,
            FOOTNOTE_ANSWER_MODELS=",".join(
                f"openai:{name}@{model.openai_url}" for name in ("plain", "bold")
            ),
        )
        async with hosted(env) as address:
            await ingested(address, {NOTICE: notice_pdf(PARAGRAPHS)})
            yield address


@pytest.fixture
async def modelled(browser: Browser, address: str) -> AsyncIterator[Page]:
    async with watched_page(browser, address) as opened:
        yield opened


async def test_the_chosen_model_answers_and_what_no_quote_carries_says_so(modelled: Page) -> None:
    page = modelled
    await page.goto("/")
    await page.get_by_label("Model").select_option("openai:bold")
    await page.get_by_label("Plan").select_option("fast")
    await ask(page, LAMPS)
    await answered(page, "pirates")
    doubtful = page.locator("[data-verdict]")
    await expect(doubtful).to_have_text(re.compile("No source|Not supported by its source"))
    await expect(page.locator(".decoration-bad").last).to_contain_text("pirates")
    assert await violations(page) == []
    # The choice is this conversation's.
    await expect(page.get_by_label("Model")).to_have_value("openai:bold")
    await page.locator("summary", has_text="Why").click()
    await expect(page.locator("dd", has_text="openai:bold")).to_be_visible()
    await expect(page.get_by_text("100 read, 20 written")).to_be_visible()
    await page.get_by_label("Model").select_option("extractive")
    await page.get_by_role("button", name="Answer again").click()
    await expect(page.get_by_role("group", name="Versions of this answer")).to_contain_text("2 / 2")
    await expect(doubtful).to_have_count(0)


async def test_the_steps_of_an_agent_are_shown_and_its_answer_is_kept(modelled: Page) -> None:
    page = modelled
    await page.goto("/")
    await page.get_by_label("Look things up step by step").check()
    await ask(page, LAMPS)
    await answered(page, "400 watts")
    steps = page.get_by_role("list", name="Steps")
    await expect(steps.get_by_text("search_documents")).to_be_visible()
    await expect(steps.get_by_text("done")).to_be_visible()
    await steps.locator("summary").click()
    await expect(steps.get_by_text('"watts of the lantern"')).to_be_visible()
    assert await violations(page) == []
    await page.reload()
    await answered(page, "400 watts")
    await expect(page.locator("button[data-marker]")).to_be_visible()
