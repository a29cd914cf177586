"""What no well-meaning client sends over a socket is refused, and slowness has an end."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.engine import events
from footnote.interfaces.cli import serve
from footnote.interfaces.http import streaming as http_streaming
from footnote.settings import Settings
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.interfaces.serving import served
from tests.interfaces.sse import streaming

PATIENCE_SECONDS = 2.0
"""Long enough for this process to be kept from the processor meanwhile."""
REST_SECONDS = 4
HEARTBEAT_SECONDS = 0.2
A_LONG_TIME = 60.0
"""After which a test is given up; what it waits for comes long before."""
HOST = "Host: 127.0.0.1\r\n"
LENGTH = re.compile(rb"(?is)\r\ncontent-length: (?P<body>\d+)\r\n(?:[^\r\n]+\r\n)*\r\n")
"""Of a body, in the head before it."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came over a socket until it was closed."""

    status: int
    headers: dict[str, str]
    body: Any


@pytest.fixture(scope="module")
async def settings(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Settings]:
    with fresh_database(postgres) as database:
        yield settings_over(database, tmp_path_factory.mktemp("raw"), model_home)


@pytest.fixture(scope="module")
async def server(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A server with the patience that it has everywhere."""
    async with served(settings) as client:
        yield client


@pytest.fixture(scope="module")
async def impatient(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A server that has little patience with those who send."""
    async with AsyncExitStack() as running:
        with pytest.MonkeyPatch.context() as beginning:
            beginning.setattr(serve, "HEAD_SECONDS", PATIENCE_SECONDS)
            beginning.setattr(serve, "BODY_SECONDS", PATIENCE_SECONDS)
            beginning.setattr(serve, "REST_SECONDS", REST_SECONDS)
            client = await running.enter_async_context(served(settings))
        beats = running.enter_context(pytest.MonkeyPatch.context())
        beats.setattr(http_streaming, "HEARTBEAT_SECONDS", HEARTBEAT_SECONDS)
        beats.setattr(events, "PAUSES", (HEARTBEAT_SECONDS,))
        yield client


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def connected(server: httpx.AsyncClient) -> AsyncIterator[Connection]:
    reader, writer = await asyncio.open_connection("127.0.0.1", server.base_url.port)
    try:
        async with asyncio.timeout(A_LONG_TIME):
            yield reader, writer
    finally:
        writer.close()


async def answer_from(reader: asyncio.StreamReader, *, to_the_end: bool) -> Answered | None:
    """What the server says, to the end of the connection or of its answer; None for nothing."""
    said, whole = b"", None
    # What it leaves unread makes of the end a reset, which comes after what it said.
    with suppress(ConnectionResetError):
        while whole is None or to_the_end or len(said) < whole:
            piece = await reader.read(65536)
            if not piece:
                break
            said += piece
            if whole is None and (length := LENGTH.search(said)):
                whole = length.end() + int(length["body"])
    if not said:
        return None
    head, _, body = said.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (each.partition(": ") for each in lines)}
    kind = headers.get("content-type", "")
    return Answered(int(first.split()[1]), headers, json.loads(body) if "json" in kind else body)


async def ask(
    server: httpx.AsyncClient, request: str, *, to_the_end: bool = True
) -> Answered | None:
    async with connected(server) as (reader, writer):
        writer.write(request.encode("latin-1"))
        return await answer_from(reader, to_the_end=to_the_end)


def assert_refused(answered: Answered | None, status: int, kind: str) -> None:
    assert answered is not None
    assert answered.status == status, answered.body
    assert answered.headers["content-type"] == "application/problem+json"
    assert answered.body["type"] == f"urn:footnote:problem:{kind}"
    assert answered.body["detail"]


async def trickle(writer: asyncio.StreamWriter, piece: bytes, closed: asyncio.Future[Any]) -> int:
    """Send a piece again and again until the other side has had enough; how often."""
    sent = 0
    while not closed.done():
        writer.write(piece)
        sent += 1
        await asyncio.wait([closed], timeout=0.05)
    return sent


@pytest.mark.parametrize(
    "said",
    [
        "not http\r\n\r\n",
        "GET /\x00 HTTP/1.1\r\n\r\n",
        "\x16\x03\x01\r\n\r\n",
        "GET / HTTP/1.1\r\nno header\r\n\r\n",
    ],
)
async def test_what_is_no_http_is_told_so_without_a_word_of_the_program(
    server: httpx.AsyncClient, said: str
) -> None:
    answered = await ask(server, said)
    assert_refused(answered, 400, "bad-request")
    assert answered is not None
    assert answered.body["detail"].startswith("The request is not HTTP: illegal ")
    assert not {"'", '"', "("} & set(answered.body["detail"])


# --- heads ------------------------------------------------------------------------------------


async def test_a_plain_request_is_answered(server: httpx.AsyncClient) -> None:
    answered = await ask(server, f"GET /health HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n")
    assert answered is not None
    assert answered.status == 200


@pytest.mark.parametrize(
    ("request_", "status", "kind"),
    [
        (f"GET /health HTTP/1.1\r\n{HOST}{HOST}\r\n", 400, "bad-request"),
        (f"GET /health HTTP/1.1\r\n{HOST}Host: example.com\r\n\r\n", 400, "bad-request"),
        (
            f"GET /health HTTP/1.1\r\n{HOST}Origin: http://127.0.0.1\r\n"
            "Origin: https://foreign.example\r\n\r\n",
            400,
            "bad-request",
        ),
        (
            f"GET /health HTTP/1.1\r\n{HOST}Sec-Fetch-Site: same-origin\r\n"
            "Sec-Fetch-Site: cross-site\r\n\r\n",
            400,
            "bad-request",
        ),
        (
            f"GET /health HTTP/1.1\r\n{HOST}Sec-Fetch-Site: cross-site\r\n"
            "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Mode: no-cors\r\n"
            "Sec-Fetch-Dest: document\r\nSec-Fetch-User: ?1\r\n\r\n",
            400,
            "bad-request",
        ),
        (f"GET /health HTTP/1.0\r\n{HOST}Host: example.com\r\n\r\n", 400, "bad-request"),
        ("GET /health HTTP/1.1\r\n\r\n", 400, "bad-request"),
        (f"GET http://example.com/health HTTP/1.1\r\n{HOST}\r\n", 400, "bad-request"),
        (f"GET http://127.0.0.1/health HTTP/1.1\r\n{HOST}\r\n", 400, "bad-request"),
        (f"CONNECT example.com:443 HTTP/1.1\r\n{HOST}\r\n", 400, "bad-request"),
        (f"OPTIONS * HTTP/1.1\r\n{HOST}\r\n", 400, "bad-request"),
        (
            f"POST /v1/search HTTP/1.1\r\n{HOST}Content-Length: 4\r\n"
            "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
            "bad-request",
        ),
        (f"GET /health HTTP/1.1\r\n{HOST}X: {'a' * 40_000}\r\n\r\n", 431, "head-too-large"),
        (f"GET /health?{'a' * 40_000} HTTP/1.1\r\n{HOST}\r\n", 431, "head-too-large"),
        (
            f"GET /health HTTP/1.1\r\n{HOST}"
            + "".join(f"X-{n}: a\r\n" for n in range(200))
            + "\r\n",
            431,
            "head-too-large",
        ),
        (
            f"GET /health HTTP/1.1\r\n{HOST}Connection: close\r\n"
            "Sec-Fetch-Site: cross-site\r\n\r\n",
            403,
            "not-local",
        ),
    ],
    ids=[
        *("host twice", "two hosts", "two origins", "two sites", "two modes", "two hosts in 1.0"),
        *("no host", "foreign absolute form"),
        *("own absolute form", "authority form", "asterisk form", "length and chunks"),
        *("long header", "long target", "many headers", "cross-site"),
    ],
)
async def test_a_head_that_no_client_means_is_refused(
    server: httpx.AsyncClient, request_: str, status: int, kind: str
) -> None:
    assert_refused(await ask(server, request_, to_the_end=False), status, kind)


@pytest.mark.parametrize(
    "ending",
    [
        *("", "Origin: https://foreign.example\r\n", "Host: example.com\r\n"),
        f"X: {'a' * 40_000}\r\n",
    ],
    ids=["plain", "foreign origin", "two hosts", "long"],
)
async def test_nothing_is_read_after_a_body_that_has_a_length_and_comes_in_chunks(
    server: httpx.AsyncClient, ending: str
) -> None:
    """Where it ends, others that pass requests on may see otherwise (RFC 9112, section 6.1)."""
    twofold = (
        f"POST /v1/search HTTP/1.1\r\n{HOST}{ending}Content-Length: 5\r\n"
        "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    )
    async with connected(server) as (reader, writer):
        writer.write(f"{twofold}GET /health HTTP/1.1\r\n{HOST}\r\n".encode())
        said = b""
        with suppress(ConnectionResetError):
            while piece := await reader.read(65536):
                said += piece
    assert said.startswith(b"HTTP/1.1 4")
    assert b"\r\nconnection: close\r\n" in said.lower()
    assert said.count(b"HTTP/1.1 ") == 1


async def test_a_head_larger_than_what_is_read_at_once_ends_the_connection(
    server: httpx.AsyncClient,
) -> None:
    huge = f"GET /health HTTP/1.1\r\n{HOST}" + "".join(f"X-{n}: a\r\n" for n in range(200_000))
    answered = await ask(server, huge)
    # What is left unread resets the connection, which may take the answer along.
    assert answered is None or answered.status == 431


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "Cross-Site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "same-site"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
    ],
)
async def test_a_page_of_another_site_gets_nothing(
    server: httpx.AsyncClient, headers: dict[str, str], status: int
) -> None:
    assert (await server.get("/health", headers=headers)).status_code == status


FOLLOWED = {
    "Sec-Fetch-Site": "cross-site",
    "Sec-Fetch-Mode": "navigate",
    "Sec-Fetch-Dest": "document",
    "Sec-Fetch-User": "?1",
}


async def test_a_person_may_follow_a_link_of_another_site(server: httpx.AsyncClient) -> None:
    """As the footnotes of a chat front end are: it is opened, and its page sees nothing of it."""
    assert (await server.get("/health", headers=FOLLOWED)).status_code == 200
    for name, value in (
        ("Sec-Fetch-Dest", "iframe"),
        ("Sec-Fetch-Mode", "no-cors"),
        ("Sec-Fetch-User", ""),
    ):
        answered = await server.get("/health", headers={**FOLLOWED, name: value})
        assert answered.status_code == 403
    assert (await server.post("/v1/search", headers=FOLLOWED)).status_code == 403


# --- slowness ---------------------------------------------------------------------------------


async def test_a_connection_that_asks_nothing_is_closed(impatient: httpx.AsyncClient) -> None:
    assert await ask(impatient, "") is None


async def test_a_head_that_does_not_end_is_cut_off(impatient: httpx.AsyncClient) -> None:
    async with connected(impatient) as (reader, writer):
        writer.write(f"GET /health HTTP/1.1\r\n{HOST}".encode())
        closed = asyncio.ensure_future(answer_from(reader, to_the_end=True))
        await trickle(writer, b"X: a\r\n", closed)
        assert_refused(await closed, 408, "request-timeout")


async def test_a_second_head_that_does_not_end_is_cut_off_too(impatient: httpx.AsyncClient) -> None:
    async with connected(impatient) as (reader, writer):
        writer.write(f"GET /health HTTP/1.1\r\n{HOST}\r\n".encode())
        first = await reader.readuntil(b"\r\n\r\n")
        assert first.startswith(b"HTTP/1.1 200")
        writer.write(b"GET /health HTTP/1.1\r\n")
        # Not to the end: what is written after the answer may make it a reset.
        closed = asyncio.ensure_future(reader.readuntil(b"HTTP/1.1 408"))
        await trickle(writer, b"X: a\r\n", closed)
        await closed


async def test_a_connection_rests_between_requests_for_longer_than_a_head_may_take(
    impatient: httpx.AsyncClient,
) -> None:
    async with connected(impatient) as (reader, writer):
        writer.write(f"GET /health HTTP/1.1\r\n{HOST}\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        answered = time.monotonic()
        # Nothing is said; it is closed without a word once it rested for long enough.
        assert b"HTTP/1.1" not in await reader.read()
        assert time.monotonic() - answered > PATIENCE_SECONDS


POST = f"POST /v1/search HTTP/1.1\r\n{HOST}Content-Type: application/json\r\n"


async def test_a_body_that_trickles_is_cut_off(impatient: httpx.AsyncClient) -> None:
    async with connected(impatient) as (reader, writer):
        writer.write(f"{POST}Content-Length: 100000\r\n\r\n".encode())
        closed = asyncio.ensure_future(answer_from(reader, to_the_end=True))
        await trickle(writer, b" ", closed)
        assert_refused(await closed, 408, "request-timeout")


async def test_a_body_that_nobody_reads_is_cut_off_as_well(impatient: httpx.AsyncClient) -> None:
    async with connected(impatient) as (reader, writer):
        head = f"POST /nothing HTTP/1.1\r\n{HOST}Content-Length: 100000\r\n\r\n"
        writer.write(head.encode())
        closed = asyncio.ensure_future(answer_from(reader, to_the_end=True))
        await trickle(writer, b" ", closed)
        answered = await closed
        assert answered is not None
        assert answered.status == 404


async def test_a_body_that_keeps_coming_is_read_for_as_long_as_it_takes(
    impatient: httpx.AsyncClient,
) -> None:
    """Longer than the patience with one that does not."""
    query = json.dumps({"query": "storm"}).encode()
    pieces = 60
    padding = b" " * 2000
    async with connected(impatient) as (reader, writer):
        length = pieces * len(padding) + len(query)
        writer.write(f"{POST}Content-Length: {length}\r\nConnection: close\r\n\r\n".encode())
        for _ in range(pieces):
            writer.write(padding)
            await asyncio.sleep(PATIENCE_SECONDS / 50)  # a slow line, not a wait for something
        writer.write(query)
        answered = await answer_from(reader, to_the_end=True)
    assert answered is not None
    assert answered.status == 200


async def test_who_waits_to_be_told_to_go_on_is_told(server: httpx.AsyncClient) -> None:
    query = json.dumps({"query": "storm"}).encode()
    async with connected(server) as (reader, writer):
        head = f"{POST}Expect: 100-continue\r\nConnection: close\r\nContent-Length: {len(query)}"
        writer.write(f"{head}\r\n\r\n".encode())
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
        writer.write(query)
        answered = await answer_from(reader, to_the_end=True)
    assert answered is not None
    assert answered.status == 200


async def test_a_stream_goes_on_for_longer_than_any_request_may_take(
    impatient: httpx.AsyncClient,
) -> None:
    beats = int(3 * PATIENCE_SECONDS / HEARTBEAT_SECONDS)
    async with (
        asyncio.timeout(A_LONG_TIME),
        impatient.stream("GET", "/v1/events") as response,
    ):
        heard = 0
        async for line in response.aiter_lines():
            heard += line.startswith(":")
            if heard >= beats:
                break
    assert heard >= beats


async def test_a_connection_is_used_again_after_a_stream(server: httpx.AsyncClient) -> None:
    async with streaming(server, "/v1/answers", {"question": "storm?", "stream": True}) as told:
        assert [each.event async for each in told][-1] == "done"
    assert (await server.get("/health")).status_code == 200
