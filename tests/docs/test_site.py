"""The documentation site is built strictly, is searched in the browser, and asks nobody else."""

from __future__ import annotations

import functools
import json
import threading
import tomllib
from collections.abc import AsyncIterator, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright, expect

from docs import build_site
from footnote import __version__
from tests.web.conftest import CHROMIUM

from .pages import ROOT

PATIENCE_MILLISECONDS = 120_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist") / "site"
    (out / "0.0.9").mkdir(parents=True)
    (out / "0.0.9/index.html").write_text("an earlier version")
    fetched = ROOT / f"dist/fetched/mermaid-{build_site.MERMAID}.js"
    build_site.build(out, fetched if fetched.is_file() else None)
    return out


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name
            pass

    handler = functools.partial(Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is missing: apt-get install chromium")
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield opened
        await opened.close()


def test_each_version_has_a_folder_and_the_newest_is_shown_first(site: Path) -> None:
    listed = json.loads((site / "versions.json").read_text())
    assert [each["version"] for each in listed] == [__version__, "0.0.9"]
    assert f"url={__version__}/index.html" in (site / "index.html").read_text()


def test_the_reference_follows_from_the_code(site: Path) -> None:
    # One test: each process that runs one of this file builds the site.
    for page, shown in (
        ("reference/http.html", "POST /v1/answers"),
        ("reference/schemas.html", '<h2 id="question"'),
        ("reference/command-line.html", "footnote documents list"),
        ("reference/python.html", "footnote.open_sync"),
        ("docs/settings.html", "FOOTNOTE_TOP_K"),
    ):
        assert shown in (site / __version__ / page).read_text(encoding="utf-8"), page


async def test_words_are_found_and_no_other_server_is_asked(address: str, browser: Browser) -> None:
    page = await browser.new_page()
    page.set_default_timeout(PATIENCE_MILLISECONDS)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in ("index.html", "ARCHITECTURE.html", "reference/http.html"):
        await page.goto(f"{address}/{__version__}/{path}", wait_until="networkidle")
    await page.goto(f"{address}/", wait_until="networkidle")
    await page.keyboard.press("/")
    # What is typed before the field is there is lost.
    await expect(page.locator("input:focus")).to_be_visible(timeout=PATIENCE_MILLISECONDS)
    await page.keyboard.type("pgbouncer")
    found = page.get_by_role("option").filter(has_text="Poolers, replicas and failover")
    await expect(found.first).to_be_visible(timeout=PATIENCE_MILLISECONDS)
    await expect(page.get_by_text("0.0.9").first).to_be_attached(timeout=PATIENCE_MILLISECONDS)
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


def one_page(folder: Path, text: str) -> dict[str, object]:
    (folder / "pages").mkdir()
    (folder / "pages/README.md").write_text(text)
    configured = tomllib.loads(build_site.CONFIGURATION.read_text())
    configured["project"]["nav"] = ["README.md"]
    return configured


@pytest.mark.parametrize("link", ["missing.md", "#no-such-heading"])
def test_a_dead_link_fails_the_build(tmp_path: Path, link: str) -> None:
    configured = one_page(tmp_path, f"# A page\n\nSee [this]({link}).\n")
    with pytest.raises(SystemExit, match="not built"):
        build_site.render(tmp_path, configured)


def test_a_page_without_dead_links_is_built(tmp_path: Path) -> None:
    build_site.render(tmp_path, one_page(tmp_path, "# A page\n\nSee [this](#a-page).\n"))
    assert (tmp_path / "site/index.html").is_file()


def test_a_page_that_stands_nowhere_and_a_place_without_page_are_named() -> None:
    with pytest.raises(SystemExit) as raised:
        build_site.require_places([{"How to": ["docs/gone.md"]}], {"docs/new.md": ""})
    assert "docs/new.md stands nowhere" in str(raised.value)
    assert "has docs/gone.md, which is no page" in str(raised.value)
