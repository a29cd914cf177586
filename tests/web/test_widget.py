"""The widget stands on pages of other sites, which give it a key, and gets from them no more."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from footnote.interfaces.http.web_app import BUILT
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.interfaces.serving import environment, footnote, hosted

from .conftest import PATIENCE_MILLISECONDS, handed_in, rested
from .documents import NOTICE, PARAGRAPHS, notice_pdf
from .test_for_everyone import violations

pytestmark = pytest.mark.skipif(
    not (BUILT / "widget.js").is_file(), reason="the web app is not built: make web"
)

QUESTION = "How many watts do the lamps of the lantern of Gull Rock have?"
SECRET = "The spare key of the lighthouse lies under the third step."


@dataclass(frozen=True, slots=True)
class Host:
    """A server with documents, and a site of another origin whose pages may ask it."""

    server: str
    site: str
    pages: dict[str, str]
    key: str
    """It may read one collection."""

    def shows(self, tag: str, *, language: str = "en") -> str:
        """Publish a page with something in it; its address."""
        path = f"/{len(self.pages)}.html"
        self.pages[path] = (
            f'<!doctype html><html lang="{language}"><title>Lighthouse</title>'
            f"<main><h1>Lighthouse</h1><div id='here'></div>{tag}</main></html>"
        )
        return self.site + path

    def tag(self, **given: str) -> str:
        """The script tag of a widget."""
        more = "".join(f' data-{name}="{value}"' for name, value in given.items())
        return f'<script src="{self.server}/widget.js" data-key="{self.key}"{more}></script>'


@pytest.fixture(scope="module")
async def host(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Host]:
    pages: dict[str, str] = {}
    policy: list[str] = []
    with fresh_database(postgres) as database, publishing(pages, policy) as site:
        settings = settings_over(database, tmp_path_factory.mktemp("widget"), model_home)
        env = environment(settings, FOOTNOTE_IDENTITY="keys", FOOTNOTE_CORS_ORIGINS=site)
        keys = {}
        for name, more in {
            "writes": ("--scope", "read", "--scope", "write"),
            "asks": ("--scope", "read", "--collection", "public"),
        }.items():
            made = await footnote(env, "keys", "create", name, *more, "--json")
            assert made.code == 0, made.err
            keys[name] = json.loads(made.out)["secret"]
        async with hosted(env) as server:
            # What a careful site allows, and no more: no style and no text may become code.
            policy.append(
                f"default-src 'none'; script-src {server}; connect-src {server}; img-src blob:; "
                "require-trusted-types-for 'script'"
            )
            headers = {"Authorization": f"Bearer {keys['writes']}"}
            async with httpx.AsyncClient(base_url=server, headers=headers, timeout=600) as http:
                for name, content, collection in (
                    (NOTICE, notice_pdf(PARAGRAPHS), "public"),
                    ("secret.txt", SECRET.encode(), "inner"),
                ):
                    await rested(http, await handed_in(http, name, content, collection))
            yield Host(server=server, site=site, pages=pages, key=keys["asks"])


@contextmanager
def publishing(pages: dict[str, str], policy: list[str]) -> Iterator[str]:
    """A site that serves these pages; its origin."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path)
            self.send_response(404 if page is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Security-Policy", "; ".join(policy))
            self.end_headers()
            self.wfile.write((page or "").encode())

        def log_message(self, *_: object) -> None:
            """Say nothing of requests."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@pytest.fixture
async def visit(browser: Browser) -> AsyncIterator[BrowserContext]:
    context = await browser.new_context(reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    yield context
    await context.close()


@pytest.fixture
async def page(visit: BrowserContext) -> Page:
    return await visit.new_page()


async def asked(page: Page, question: str) -> None:
    field = page.get_by_role("textbox")
    await field.fill(question)
    await field.press("Enter")
    await expect(page.get_by_role("button", name="Send")).to_be_visible()


async def test_one_tag_brings_answers_with_their_sources(page: Page, host: Host) -> None:
    complaints: list[str] = []
    page.on("console", lambda each: complaints.append(each.text) if each.type == "error" else None)
    await page.goto(host.shows(host.tag()))
    await page.get_by_role("button", name="Ask our documents").click()
    await expect(page.get_by_role("textbox")).to_be_focused()
    await asked(page, QUESTION)
    reply = page.get_by_role("article", name="Answer")
    await expect(reply).to_contain_text("400 watts")
    await reply.get_by_role("button", name="Source 1").click()
    await expect(reply.locator("blockquote")).to_contain_text(PARAGRAPHS[0])
    await reply.get_by_role("button", name="Show the page").click()
    picture = reply.get_by_role("img", name="the quoted words marked")
    await expect(picture).to_be_visible()
    width = "async image => (await image.decode(), image.naturalWidth)"
    assert await picture.evaluate(width) > 500, "it is the page, and no broken picture"
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="Ask our documents")).to_be_focused()
    assert complaints == []


async def test_it_says_what_the_documents_do_not(page: Page, host: Host) -> None:
    await page.goto(host.shows(host.tag(target="#here")))
    await asked(page, "Where does the spare key of the lighthouse lie?")
    reply = page.get_by_role("article", name="Answer")
    await expect(reply).to_contain_text("The documents do not answer this.")
    await expect(reply).not_to_have_attribute("aria-busy", "true")
    assert "third step" not in await page.content(), "the key is of another collection"
    await asked(page, "And who ground the lens?")
    await expect(reply.last).to_contain_text("Verhoeven")
    await page.get_by_role("button", name="New conversation").click()
    await expect(reply).to_have_count(0)


async def test_a_site_that_may_not_ask_is_told_so(visit: BrowserContext, host: Host) -> None:
    # The same site under another name is another origin, which the server's list does not have.
    foreign = host.shows(host.tag(target="#here")).replace("127.0.0.1", "localhost")
    page = await visit.new_page()
    await page.goto(foreign)
    await asked(page, QUESTION)
    alert = page.get_by_role("alert")
    await expect(alert).to_contain_text("The server cannot be reached from this page.")
    await expect(page.get_by_role("textbox")).to_have_value(QUESTION)


async def test_a_key_that_is_not_valid_is_told_of(page: Page, host: Host) -> None:
    wrong = host.tag(target="#here").replace(host.key, f"{host.key[:-4]}AAAA")
    await page.goto(host.shows(wrong))
    await asked(page, QUESTION)
    await expect(page.get_by_role("alert")).to_contain_text("This did not work.")
    await expect(page.get_by_role("textbox")).to_have_value(QUESTION)


@pytest.mark.parametrize(("language", "said"), [("en", "10,003 "), ("de", "10.003 ")])
async def test_a_question_that_is_too_long_is_kept_and_says_by_how_much(
    page: Page, host: Host, language: str, said: str
) -> None:
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url) if sent.method == "POST" else None)
    await page.goto(host.shows(host.tag(target="#here"), language=language))
    field = page.get_by_role("textbox")
    await field.fill("𝄞" * 10_003)
    told = page.locator("footnote-chat .told")
    await expect(told).to_contain_text(said)
    await expect(told).to_contain_text(": 3 " if language == "de" else "that is 3 too many")
    await field.press("Enter")
    await expect(field).to_have_value("𝄞" * 10_003)
    assert await violations(page) == []
    await field.fill("𝄞" * 10_000)
    await expect(told).to_have_text("")
    assert asked == []


async def test_markup_in_answers_stays_text(page: Page, host: Host) -> None:
    greeting = "&lt;img src=x onerror=alert(1)&gt;"
    await page.goto(host.shows(host.tag(target="#here", greeting=greeting)))
    await expect(page.get_by_text("<img src=x onerror=alert(1)>")).to_be_visible()
    assert await page.locator("footnote-chat img").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "ar"])
async def test_it_has_no_barrier(page: Page, host: Host, theme: str, language: str) -> None:
    await page.goto(host.shows(host.tag(target="#here", theme=theme), language=language))
    chat = page.locator("footnote-chat")
    await expect(chat).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
    field = page.get_by_role("textbox")
    await field.fill(QUESTION)
    await field.press("Enter")
    await page.locator(".chip").click()
    await expect(page.locator("blockquote")).to_be_visible()
    assert await violations(page) == []
