"""What is fetched from the web is checked first, bounded, and not fetched twice for nothing."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from io import BytesIO

import pytest

from footnote.domain.sources import Labels
from footnote.engine import WorkspaceEngine
from footnote.errors import InvalidRequest, SourceUnreachable
from footnote.jobs.sources.fetching import Fetched, Reach, fetch
from footnote.jobs.sources.following import Step, follow
from footnote.jobs.sources.web import WebSource, fetch_document, filename_of
from tests.jobs.web_server import Answer, Asked, web_server

OPEN = Reach(allow_private=True, timeout_seconds=20, max_bytes=10_000)
CLOSED = replace(OPEN, allow_private=False)


async def hello(_: Asked) -> Answer:
    return Answer(body=b"Hello.")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "127.1", "[::ffff:7f00:1]"]
)
async def test_this_computer_is_not_fetched_from_under_any_name(host: str) -> None:
    async with web_server(hello) as web:
        with pytest.raises((InvalidRequest, SourceUnreachable)):
            await fetch(web.url(host=host), CLOSED, {}, BytesIO())
        assert web.asked == []


@pytest.mark.parametrize(
    "target", ["http://169.254.169.254/latest/meta-data/", "file:///etc/hosts"]
)
async def test_where_a_redirect_leads_is_checked_like_the_first_address(target: str) -> None:
    async def onwards(_: Asked) -> Answer:
        return Answer(302, headers={"Location": target})

    async with web_server(onwards) as web:
        with pytest.raises(InvalidRequest):
            await fetch(web.url(), OPEN, {}, BytesIO())
        assert len(web.asked) == 1


async def test_the_name_is_resolved_once_and_the_checked_address_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name server whose second answer is another one gets no second question."""
    loop = asyncio.get_running_loop()
    resolved: list[str] = []

    async def names(host: str, port: int, **_: int) -> list[object]:
        resolved.append(host)
        address = "127.0.0.1" if len(resolved) == 1 else "127.0.0.2"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(loop, "getaddrinfo", names)
    async with web_server(hello) as web:
        content = BytesIO()
        await fetch(web.url("/a", host="rebinding.example"), OPEN, {}, content)
        assert content.getvalue() == b"Hello."
        assert web.asked[0].headers["host"] == f"rebinding.example:{web.port}"
    assert [name for name in resolved if name == "rebinding.example"] == ["rebinding.example"]


async def test_the_next_address_is_asked_where_nobody_listens_at_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def names(host: str, port: int, **_: int) -> list[object]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in ("127.0.0.3", "127.0.0.1")
        ]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", names)
    async with web_server(hello) as web:
        content = BytesIO()
        await fetch(web.url(host="two.example"), OPEN, {}, content)
        assert content.getvalue() == b"Hello."


async def test_redirects_are_followed_a_few_times_and_no_more() -> None:
    async def onwards(asked: Asked) -> Answer:
        step = int(asked.path.rpartition("/")[2])
        if step == 0:
            return Answer(body=b"The end.")
        return Answer(302, headers={"Location": f"/{step - 1}"})

    async with web_server(onwards) as web:
        content = BytesIO()
        await fetch(web.url("/5"), OPEN, {}, content)
        assert content.getvalue() == b"The end."
        with pytest.raises(InvalidRequest, match="more than 5 times"):
            await fetch(web.url("/6"), OPEN, {}, BytesIO())


async def test_an_answer_that_is_too_large_is_not_read_to_its_end() -> None:
    async def much(_: Asked) -> Answer:
        return Answer(body=b"x" * 10_001, stalls=True)

    async with web_server(much) as web:
        with pytest.raises(InvalidRequest, match="10,000 bytes"):
            await fetch(web.url(), OPEN, {}, BytesIO())


async def test_a_compressed_answer_is_refused() -> None:
    async def squeezed(_: Asked) -> Answer:
        return Answer(body=b"x", headers={"Content-Encoding": "gzip"})

    async with web_server(squeezed) as web:
        with pytest.raises(InvalidRequest, match="compressed"):
            await fetch(web.url(), OPEN, {}, BytesIO())


async def test_an_answer_that_never_ends_is_given_up() -> None:
    async def slow(_: Asked) -> Answer:
        return Answer(body=b"x", stalls=True)

    async with web_server(slow) as web:
        with pytest.raises(SourceUnreachable, match="completely"):
            await fetch(web.url(), replace(OPEN, timeout_seconds=0.2), {}, BytesIO())


@pytest.mark.parametrize(
    ("status", "error"), [(404, InvalidRequest), (500, SourceUnreachable), (429, SourceUnreachable)]
)
async def test_what_may_heal_is_told_apart(status: int, error: type[Exception]) -> None:
    async def refuse(_: Asked) -> Answer:
        return Answer(status)

    async with web_server(refuse) as web:
        with pytest.raises(error, match=str(status)):
            await fetch_document(web.url(), OPEN, BytesIO())


async def test_a_port_where_nobody_listens_is_unreachable() -> None:
    with pytest.raises(SourceUnreachable):
        await fetch("http://127.0.0.1:1/", OPEN, {}, BytesIO())


@pytest.mark.parametrize(
    ("headers", "url", "name"),
    [
        (
            {"content-disposition": 'attachment; filename="report.pdf"'},
            "https://a.b/x",
            "report.pdf",
        ),
        ({}, "https://a.b/files/annual%20report.pdf?x=1", "annual report.pdf"),
        ({"content-type": "text/html; charset=utf-8"}, "https://a.b/about/", "about.html"),
        ({"content-type": "text/html"}, "https://a.b/", "a.b.html"),
    ],
)
def test_a_page_gets_a_name(headers: dict[str, str], url: str, name: str) -> None:
    assert filename_of(Fetched(url=url, status=200, headers=headers)) == name


async def _followed(workspace: WorkspaceEngine, url: str) -> list[Step]:
    source = WebSource(url=url, reach=OPEN)
    steps = follow(workspace, source, Labels(), delete_missing=True, retry_failed=True)
    return [step async for step in steps]


@pytest.mark.parametrize("validator", [("ETag", '"v1"'), ("Last-Modified", "Mon, 3 Mar 2025")])
async def test_a_page_that_did_not_change_is_not_sent_again(
    workspace: WorkspaceEngine, validator: tuple[str, str]
) -> None:
    text = b"The harbour opens at six."

    async def page(asked: Asked) -> Answer:
        known = {asked.headers.get("if-none-match"), asked.headers.get("if-modified-since")}
        if validator[1] in known:
            return Answer(304)
        return Answer(body=text, headers={"Content-Type": "text/plain", validator[0]: validator[1]})

    async with web_server(page) as web:
        url = web.url("/hours.txt")
        assert [step.verdict for step in await _followed(workspace, url)] == ["added"]
        assert [step.verdict for step in await _followed(workspace, url)] == ["unchanged"]
        validator, text = ("ETag", '"v2"'), b"The harbour opens at seven."
        [changed] = await _followed(workspace, url)
    assert changed.verdict == "changed"
    assert changed.received is not None
    assert changed.received.document.external_id == url
    assert changed.received.document.filename == "hours.txt"
