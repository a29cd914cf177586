"""The web app is served from the files of its build, and from nowhere else."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from footnote.interfaces.http.app import create_app
from footnote.interfaces.http.guard import BodyLimit, Policy
from footnote.interfaces.http.middleware import Entrance
from footnote.interfaces.http.problems import answer_with_problems
from footnote.interfaces.http.web_app import PAGES, WebApp, is_public, is_visit
from footnote.settings import Settings

LOCAL = "http://127.0.0.1"
SCRIPT = "console.log(1)\n" * 100


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """What a build leaves: a page with its places, and assets, one of them compressed besides."""
    folder = tmp_path / "web"
    (folder / "assets" / "pdfjs-1").mkdir(parents=True)
    (folder / "index.html").write_text(
        '<meta name="footnote-sign-in" content="__SIGN_IN__">'
        '<script nonce="__NONCE__" src="/assets/index-abc.js"></script>'
    )
    (folder / "assets" / "index-abc.js").write_text(SCRIPT)
    (folder / "assets" / "index-abc.js.br").write_bytes(b"brotli")
    (folder / "assets" / "index-abc.js.gz").write_bytes(b"gzip")
    (folder / "assets" / "pdfjs-1" / "map.bcmap").write_bytes(b"map")
    (folder / "widget.js").write_text(SCRIPT)
    (folder / "widget.js.br").write_bytes(b"brotli")
    (tmp_path / "secret").write_text("no asset")
    return folder


@asynccontextmanager
async def serving(
    folder: Path, identity: str = "", policy: Policy | None = None
) -> AsyncIterator[httpx.AsyncClient]:
    settings = Settings(identity=identity)
    app = FastAPI(routes=[*WebApp.built_in(folder).routes(settings)])
    answer_with_problems(app)
    if policy is not None:
        app.add_middleware(Entrance, policy=policy, body=BodyLimit("/v1/documents", 1000))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=LOCAL) as client:
        yield client


async def test_each_of_its_paths_gives_the_page_under_a_fresh_nonce(build: Path) -> None:
    nonces = set[str]()
    async with serving(build) as http:
        for path in PAGES:
            answer = await http.get(re.sub(r"\{\w+\}", "some-id", path))
            assert answer.status_code == 200
            (nonce,) = re.findall(r'nonce="([^"]+)"', answer.text)
            policy = answer.headers["Content-Security-Policy"]
            assert f"script-src 'nonce-{nonce}' 'strict-dynamic';" in policy
            nonces.add(nonce)
    assert len(nonces) == len(PAGES)


async def test_its_policy_lets_in_nothing_remote_and_no_text_as_code(build: Path) -> None:
    async with serving(build) as http:
        policy = (await http.get("/")).headers["Content-Security-Policy"]
    for directive in (
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "connect-src 'self'",
        "require-trusted-types-for 'script'",
        "trusted-types footnote",
    ):
        assert directive in policy
    assert not re.search(r"unsafe|https?:|data:|\*", policy)
    assert "script-src 'self'" not in policy, "what others uploaded is served from here too"


async def test_the_page_says_which_ways_to_sign_in_there_are(build: Path) -> None:
    async with serving(build, "keys,scim") as http:
        assert 'content="keys scim"' in (await http.get("/sign-in")).text


@pytest.mark.parametrize(
    ("accepted", "encoding", "content"),
    [
        ("gzip, deflate, br", "br", b"brotli"),
        ("gzip", "gzip", b"gzip"),
        ("br;q=0, gzip;q=0.5", "gzip", b"gzip"),
        ("identity", None, SCRIPT.encode()),
    ],
)
async def test_an_asset_comes_as_its_reader_takes_it(
    build: Path, accepted: str, encoding: str | None, content: bytes
) -> None:
    async with (
        serving(build) as http,
        http.stream("GET", "/assets/index-abc.js", headers={"Accept-Encoding": accepted}) as answer,
    ):
        raw = b"".join([piece async for piece in answer.aiter_raw()])
    assert answer.status_code == 200
    assert answer.headers.get("Content-Encoding") == encoding
    assert raw == content
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Vary"] == "Accept-Encoding"


async def test_an_asset_that_is_known_is_not_sent_again(build: Path) -> None:
    async with serving(build) as http:
        first = await http.get("/assets/pdfjs-1/map.bcmap")
        assert first.content == b"map"
        again = await http.get(
            "/assets/pdfjs-1/map.bcmap", headers={"If-None-Match": first.headers["ETag"]}
        )
    assert (again.status_code, again.content) == (304, b"")


async def test_the_widget_is_for_pages_of_other_sites_and_nothing_else_is(build: Path) -> None:
    policy = Policy(only_local=False)
    embeds = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    async with serving(build, policy=policy) as http:
        widget = await http.get("/widget.js", headers={**embeds, "Accept-Encoding": "br"})
        assert widget.status_code == 200
        assert widget.headers["Content-Encoding"] == "br"
        assert widget.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        # Its name says nothing of what is in it, so it is kept for a while and asked for again.
        assert widget.headers["Cache-Control"] == "public, max-age=300"
        again = {**embeds, "Accept-Encoding": "br", "If-None-Match": widget.headers["ETag"]}
        assert (await http.get("/widget.js", headers=again)).status_code == 304
        for path in ("/", "/assets/index-abc.js"):
            assert (await http.get(path, headers=embeds)).status_code == 403
    (build / "widget.js").write_text("console.log(2)")
    async with serving(build, policy=policy) as http:
        assert (await http.get("/widget.js", headers=again)).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/assets/",
        "/assets/absent.js",
        "/assets/../index.html",
        "/assets/%2e%2e/%2e%2e/secret",
        "/assets/..%2f..%2fsecret",
        "/assets//etc/passwd",
        "/assets/index-abc.js.br",
    ],
)
async def test_nothing_else_is_an_asset(build: Path, path: str) -> None:
    async with serving(build) as http:
        answer = await http.get(httpx.URL(LOCAL + path))
    assert answer.status_code == 404


async def test_without_a_build_the_page_says_how_to_make_one(tmp_path: Path) -> None:
    async with serving(tmp_path / "absent") as http:
        answer = await http.get("/")
    assert answer.status_code == 503
    assert "<code>make web</code>" in answer.text
    for way in ("make serve", "pip install --no-deps --force-reinstall .", "from a wheel"):
        assert way in answer.text, "the built files have to get into what is installed"


@pytest.mark.parametrize(
    ("method", "path", "public"),
    [
        ("GET", "/", True),
        ("HEAD", "/documents", True),
        ("GET", "/documents/some-id", True),
        ("GET", "/clusters/some-id", True),
        ("GET", "/assets/index-abc.js", True),
        ("POST", "/", False),
        ("GET", "/documents/some-id/content", False),
        ("GET", "/v1/documents", False),
        ("GET", "/conversations", False),
        ("GET", "/openapi.json", False),
    ],
)
def test_the_app_alone_is_for_everybody(method: str, path: str, public: bool) -> None:
    assert is_public({"type": "http", "method": method, "path": path}) is public


async def test_paths_of_the_api_are_never_answered_by_the_app() -> None:
    app = create_app(Settings())
    described = app.openapi()["paths"]
    assert not set(PAGES) & set(described)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=LOCAL) as http:
        for path in ("/v1", "/v1/", "/v1/nowhere", "/nowhere", "/documents/a/b"):
            answer = await http.get(path)
            assert answer.status_code == 404, path
            assert answer.headers["Content-Type"] == "application/problem+json"


VISIT = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


async def test_a_browser_at_an_unknown_address_is_shown_the_app(
    build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footnote.interfaces.http.app.BUILT", build)
    for given in (Settings(), Settings(identity="keys")):
        transport = httpx.ASGITransport(create_app(given), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=LOCAL, headers=VISIT) as http:
            for path in ("/nowhere", "/documents/a/b", "/admin/keys/more"):
                answer = await http.get(path)
                assert answer.status_code == 404
                assert answer.headers["Content-Type"].startswith("text/html")
                assert "'nonce-" in answer.headers["Content-Security-Policy"]
            for path in ("/v1/nowhere", "/assets/nothing.js", "/mcp/nowhere"):
                answer = await http.get(path)
                assert answer.status_code in {401, 404, 503}, path
                assert answer.headers["Content-Type"] == "application/problem+json", path
            posted = await http.post("/nowhere")
            assert posted.headers["Content-Type"] == "application/problem+json"


async def test_a_search_that_is_typed_into_a_browser_is_shown_by_the_app(
    build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footnote.interfaces.http.app.BUILT", build)
    for given in (Settings(), Settings(identity="keys")):
        transport = httpx.ASGITransport(create_app(given), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=LOCAL) as http:
            answer = await http.get("/search?q=a%26b caf\u00e9", headers=VISIT)
            assert answer.status_code == 303
            assert answer.headers["Location"] == "/find?query=a%26b+caf%C3%A9"
            program = await http.get("/search?q=x")
            assert program.status_code in {401, 405, 503}
            assert program.headers["Content-Type"] == "application/problem+json"


def test_what_programs_ask_for_is_never_taken_for_a_visit() -> None:
    app = create_app(Settings(identity="keys,scim"))
    scope = {"type": "http", "method": "GET", "headers": [(b"accept", b"text/html")]}
    for path in [*app.openapi()["paths"], "/openapi.json", "/mcp"]:
        assert not is_visit({**scope, "path": path}), path


async def test_the_app_is_shown_before_anybody_has_signed_in() -> None:
    app = create_app(Settings(identity="keys"))
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=LOCAL) as http:
        assert "text/html" in (await http.get("/sign-in")).headers["Content-Type"]
        assert (await http.post("/")).headers["Content-Type"] == "application/problem+json"
