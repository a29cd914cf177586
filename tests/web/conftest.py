"""A server with documents, and pages of a browser that must not complain."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

from footnote.interfaces.http.web_app import BUILT
from footnote.models.aligned import AlignedEncoder
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.interfaces.serving import environment, footnote, hosted
from tests.models.transcription_server import TranscriptionServer

from .documents import NOTICE, PARAGRAPHS, notice_pdf
from .kinds import TALK

CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = next(filter(None, map(shutil.which, CHROMIUMS)), None)
"""Playwright's own browser would have to be fetched from elsewhere. The shell, which is Chromium
without what surrounds pages, shows one for less than half of the processor time."""

EXAMPLES = Path(__file__).parents[2] / "examples" / "documents"
EXAMPLE_NAMES = (
    "annual-report-2024.pdf",
    "insurance-policy.pdf",
    "meeting-2025-02-18-storm-review.md",
    "scanned-invoice.pdf",
    "support-pelorus-3.html",
)

PATIENCE_MILLISECONDS = 120_000
"""Nothing waits that long; a machine with much else to do may be slow."""
expect.set_options(timeout=PATIENCE_MILLISECONDS)

WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
});
// What can be undone for some seconds can be undone however slow the machine is; a test that wants
// it done says `window.expire()`.
const later = window.setTimeout;
window.setTimeout = (act, milliseconds, ...given) => {
  if (!(milliseconds > 5000 && milliseconds < 60000)) return later(act, milliseconds, ...given);
  window.expire = act;
  return later(act, 20 * milliseconds, ...given);
};
"""


@dataclass(frozen=True, slots=True)
class Site:
    """A server with a worker, and what it has."""

    address: str
    ids: dict[str, str]
    """Document ids by file name."""
    env: Mapping[str, str]
    """The environment of commands that work with the same database."""


@pytest.fixture(scope="session", autouse=True)
def shared_with_servers(packaged_models: AlignedEncoder, kept_parsers: None) -> None:
    """Servers in this process use its models and the processes that read files."""


@pytest.fixture(scope="session")
async def site(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    # Who listens to recordings always hears the same, once.
    with fresh_database(postgres) as database, TranscriptionServer(TALK) as listener:
        settings = settings_over(database, tmp_path_factory.mktemp("site"), model_home)
        env = environment(settings, FOOTNOTE_SPEECH=f"openai@{listener.url}")
        async with hosted(env) as address:
            files = {name: (EXAMPLES / name).read_bytes() for name in EXAMPLE_NAMES}
            files[NOTICE] = notice_pdf(PARAGRAPHS)
            yield Site(address=address, ids=await ingested(address, files), env=env)


async def ingested(address: str, files: Mapping[str, bytes]) -> dict[str, str]:
    """The ids of these files, once all of them are indexed."""
    async with httpx.AsyncClient(base_url=address, timeout=600) as http:
        ids = {name: await handed_in(http, name, each) for name, each in files.items()}
        for document in ids.values():
            await rested(http, document)
    return ids


async def handed_in(
    http: httpx.AsyncClient, name: str, content: bytes, collection: str = "default"
) -> str:
    """Hand a file in; the document's id."""
    files, form = {"file": (name, content)}, {"collection": collection}
    answer = await http.post("/v1/documents", files=files, data=form)
    assert answer.status_code == 202, answer.text
    return str(answer.json()["document_id"])


async def rested(http: httpx.AsyncClient, document: str) -> None:
    """Wait until a document is indexed, as its events tell."""
    async with http.stream("GET", f"/v1/documents/{document}/events", timeout=300) as stream:
        async for line in stream.aiter_lines():
            assert line != "event: document.failed", document
            if line == "event: document.indexed":
                return


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is missing: apt-get install chromium")
    if not (BUILT / "index.html").is_file():
        pytest.skip("the web app is not built: make web")
    async with async_playwright() as playwright:
        opened = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield opened
        await opened.close()


@asynccontextmanager
async def watched_page(
    browser: Browser,
    address: str,
    *,
    refused: tuple[int, ...] = (),
    elsewhere: str = "",
    cut: bool = False,
) -> AsyncIterator[Page]:
    """A page of the app; it fails its test where the browser complains of anything.

    A browser complains of each answer that is a refusal: `refused` are those that are meant, and
    `elsewhere` is the address of another server that the browser is meant to be sent to. With `cut`
    requests are meant to get no answer at all. Over TLS any certificate is good enough.
    """
    context = await browser.new_context(
        base_url=address,
        viewport={"width": 1400, "height": 900},
        reduced_motion="reduce",
        ignore_https_errors=address.startswith("https:"),
    )
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    await context.add_init_script(WATCH)
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened = await context.new_page()
    complaints: list[str] = []
    foreign: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on(
        "console",
        lambda message: (
            complaints.append(message.text)
            if message.type == "error"
            and not any(f"with a status of {each} " in message.text for each in refused)
            and not (cut and "net::ERR_" in message.text)
            else None
        ),
    )
    own = tuple(each for each in (address, "blob:", elsewhere) if each)
    opened.on(
        "request",
        lambda request: None if request.url.startswith(own) else foreign.append(request.url),
    )
    yield opened
    violations = await opened.evaluate("window.violations")
    await context.close()
    assert (complaints, foreign, violations) == ([], [], [])


@pytest.fixture
async def refusing_page(browser: Browser, site: Site) -> AsyncIterator[Page]:
    """The same, where the server refuses what is not valid."""
    async with watched_page(browser, site.address, refused=(409, 422)) as opened:
        yield opened


@pytest.fixture
async def page(browser: Browser, site: Site) -> AsyncIterator[Page]:
    """A page over the documents of the site."""
    async with watched_page(browser, site.address) as opened:
        yield opened


@dataclass(frozen=True, slots=True)
class Guarded:
    """A server that asks everybody who they are."""

    address: str
    administrator: str
    """A key."""
    reader: str


@pytest.fixture(scope="module")
async def guarded(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Guarded]:
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path_factory.mktemp("guarded"), model_home)
        env = environment(settings, FOOTNOTE_IDENTITY="keys")
        keys = []
        for name, scopes in (("all", ("read", "write", "administer")), ("look", ("read",))):
            given = [part for scope in scopes for part in ("--scope", scope)]
            made = await footnote(env, "keys", "create", name, *given, "--json")
            assert made.code == 0, made.err
            keys.append(json.loads(made.out)["secret"])
        async with hosted(env) as address:
            yield Guarded(address, *keys)
