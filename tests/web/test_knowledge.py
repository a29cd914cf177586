"""What documents say and name: conflicts below an answer, facts and entities on their pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, Page, expect

from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.interfaces.serving import environment, serving

from .conftest import Site, ingested, watched_page
from .documents import notice_pdf
from .test_citations import ask, drawn
from .test_for_everyone import THEMES, prefer, violations

QUESTION = "How many people does Acme Insurance employ?"
REPORT = notice_pdf(
    (
        "Acme Insurance employs 450 people.",
        "Maria Keller leads Acme Insurance.",
        "The offices stand in Rotterdam.",
    )
)
NOTES = b"# Notes of the board\n\nThe offices were painted.\n\nAcme Insurance employs 470 people.\n"
PROGRESS = ("/v1/facts/progress", "/v1/entities/progress")


@pytest.fixture(scope="module")
async def shelf(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    """Two documents that disagree, and what they say and name."""
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path_factory.mktemp("knowledge"), model_home)
        env = environment(settings, FOOTNOTE_FACTS="true", FOOTNOTE_ENTITIES="true")
        async with serving(env) as (_, address):
            ids = await ingested(address, {"report.pdf": REPORT, "notes.md": NOTES})
            async with httpx.AsyncClient(base_url=address, timeout=60) as http:
                for each in PROGRESS:
                    found = {"done": 0, "documents": len(ids)}
                    while found["done"] < found["documents"]:
                        found = (await http.get(each)).json()
            yield Site(address=address, ids=ids, env=env)


@pytest.fixture
async def page(browser: Browser, shelf: Site) -> AsyncIterator[Page]:
    async with watched_page(browser, shelf.address) as opened:
        yield opened


@pytest.mark.parametrize("theme", THEMES)
async def test_below_an_answer_stands_what_documents_do_not_agree_about(
    page: Page, shelf: Site, theme: str
) -> None:
    await prefer(page, theme)
    await page.goto("/")
    await ask(page, QUESTION)
    told = page.get_by_role("region", name="The documents do not agree")
    await expect(told).to_contain_text("Acme Insurance – employs")
    said = told.get_by_role("listitem")
    await expect(said).to_have_count(2)
    await expect(said.filter(has_text="470 people")).to_contain_text("Notes of the board")
    assert await violations(page) == []
    chip = said.filter(has_text="450 people").get_by_role("button")
    await chip.focus()
    await page.keyboard.press("Enter")
    await drawn(page)
    assert f"document={shelf.ids['report.pdf']}" in page.url
    await page.reload()
    await expect(said).to_have_count(2)
