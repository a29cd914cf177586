"""The example of CopilotKit, built and driven in a browser over a real server."""

from __future__ import annotations

import asyncio
import os
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

pytest.importorskip("playwright")

from playwright.async_api import async_playwright, expect
from tests.conftest import fresh_database, settings_over
from tests.interfaces.serving import environment, serving
from tests.web.conftest import CHROMIUM, ingested

from footnote.store.embedded import EmbeddedPostgres

EXAMPLES = Path(__file__).parents[2] / "examples"
APP = EXAMPLES / "copilotkit"
HELP = "support-pelorus-3.html"
PATIENCE_MILLISECONDS = 120_000
AS_BUILT = {"COPILOTKIT_TELEMETRY_DISABLED": "true", "PORT": "0"}

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is missing: apt-get install chromium"),
    pytest.mark.skipif(
        not (APP / "node_modules").is_dir(),
        reason="its packages take minutes: cd examples/copilotkit && npm ci",
    ),
]


def test_the_lock_names_no_addresses() -> None:
    assert '"resolved"' not in (APP / "package-lock.json").read_text()


async def run(*command: str) -> None:
    process = await asyncio.create_subprocess_exec(*command, cwd=APP, stdout=PIPE, stderr=PIPE)
    told, complaint = await process.communicate()
    assert process.returncode == 0, (told + complaint).decode()


@pytest.fixture
async def footnote(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path: Path
) -> AsyncIterator[str]:
    """The address of a server with one document."""
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path, model_home)
        async with serving(environment(settings)) as (_, address):
            await ingested(address, {HELP: (EXAMPLES / "documents" / HELP).read_bytes()})
            yield address


@pytest.fixture
async def app(footnote: str) -> AsyncIterator[str]:
    """The address of the example, built from its source."""
    await run("npm", "run", "build")
    process = await asyncio.create_subprocess_exec(
        *("node", "--env-file=server.env", "dist/server.js"),
        cwd=APP,
        env={**os.environ, "FOOTNOTE_URL": footnote, **AS_BUILT},
        stdout=PIPE,
        stderr=DEVNULL,
    )
    try:
        assert process.stdout is not None
        yield (await process.stdout.readline()).decode().split()[0]
    finally:
        process.terminate()
        await process.wait()


async def test_an_answer_has_chips_a_link_and_what_to_ask_next(app: str, footnote: str) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        page = await browser.new_page()
        page.set_default_timeout(PATIENCE_MILLISECONDS)
        foreign: list[str] = []
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((app, "data:", "blob:"))
                else foreign.append(request.url)
            ),
        )
        await page.goto(app)
        await page.get_by_role("textbox").fill("What does E-23 mean?")
        await page.keyboard.press("Enter")
        answer = page.get_by_role("article", name="Answer")
        await expect(answer).to_contain_text("Battery below 11.2 volts")
        await answer.get_by_role("button", name="Footnote 1").click()
        card = page.get_by_role("region", name="Footnote 1")
        await expect(card).to_contain_text("E-23")
        link = await card.get_by_role("link").get_attribute("href")
        assert link is not None
        assert link.startswith(f"{footnote}/?document=")
        assert "&start=" in link
        suggestion = page.get_by_role("list", name="Ask next").get_by_role("button").first
        asked = await suggestion.inner_text()
        await suggestion.click()
        await expect(answer).to_have_count(2)
        await expect(page.get_by_text(asked, exact=True).first).to_be_visible()
        await expect(answer.last.get_by_role("button")).not_to_have_count(0)
        assert foreign == []
        await browser.close()
