"""The remote client raises what the engine raises, and gets over refusals and cut connections."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footnote
from footnote.errors import DocumentUnreadable
from footnote.interfaces.http.problems import problem_of
from footnote.interfaces.sdk.failing import error_of
from footnote.interfaces.sdk.transport import Patience, server_sent_events
from tests.interfaces.breaking import before
from tests.interfaces.conftest import Library

QUESTION = "How soon must a claim be reported?"


@pytest.fixture
async def client(library: Library) -> AsyncIterator[footnote.AsyncClient]:
    async with footnote.AsyncClient(str(library.http.base_url)) as opened:
        yield opened


# --- errors ---------------------------------------------------------------------------------


async def test_what_the_engine_would_raise_is_raised(client: footnote.AsyncClient) -> None:
    with pytest.raises(footnote.NotFound):
        await client.document(uuid4())
    with pytest.raises(footnote.InvalidRequest, match="nonsense"):
        await client.search(footnote.SearchRequest(query="x", plan="nonsense"))
    with pytest.raises(footnote.InvalidRequest, match="nonsense"):
        [_ async for _ in client.ask_stream("x", plan="nonsense")]


async def test_another_workspace_is_named_once(library: Library) -> None:
    url = str(library.http.base_url)
    async with footnote.AsyncClient(url, workspace="annex") as annex:
        assert [each.filename for each in (await annex.documents()).documents] == ["annex.md"]
    async with footnote.AsyncClient(url, workspace="nobody") as nobody:
        with pytest.raises(footnote.NotFound):
            await nobody.stats()


@pytest.mark.parametrize(
    "error",
    [
        footnote.InvalidRequest("no", hint="do"),
        footnote.Conflict("there is one", hint="take another"),
        footnote.QueueFull("full", retry_after_seconds=7, hint="later"),
        footnote.ModelUnavailable("gone", hint="wait"),
        footnote.LaneMismatch("other", hint="set it"),
        DocumentUnreadable(stage=footnote.Stage.PARSE, cause="it is (too) broken", advice="send x"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_survives_its_way_through_http(error: footnote.FootnoteError) -> None:
    sent = problem_of(error)
    request = httpx.Request("GET", "http://127.0.0.1/")
    got = error_of(
        httpx.Response(
            sent.status_code, headers=dict(sent.headers), content=bytes(sent.body), request=request
        )
    )
    assert type(got) is type(error)
    assert (str(got), got.hint) == (str(error), error.hint)
    if isinstance(got, footnote.QueueFull):
        assert got.retry_after_seconds == 7


async def test_what_is_no_footnote_server_is_told(library: Library) -> None:
    request = httpx.Request("GET", "http://127.0.0.1:1/stats")
    error = error_of(httpx.Response(502, text="<html>", request=request))
    assert "502" in str(error)
    assert "Footnote server" in str(error.hint)


async def test_a_server_that_is_not_there_is_named() -> None:
    async with footnote.AsyncClient(
        "http://127.0.0.1:9", retries=1, first_pause_seconds=0
    ) as client:
        with pytest.raises(footnote.NotReady, match=r"127\.0\.0\.1:9/stats .* 2 tries"):
            await client.stats()


def test_an_address_without_a_scheme_is_refused() -> None:
    with pytest.raises(footnote.InvalidRequest, match="localhost"):
        footnote.AsyncClient("localhost:8080")


@pytest.mark.parametrize("name", ["é", "a\0b", " a", "a\n", ""], ids=ascii)
def test_a_workspace_that_no_header_can_name_is_refused(name: str) -> None:
    with pytest.raises(footnote.InvalidRequest, match="cannot name a workspace"):
        footnote.AsyncClient("http://127.0.0.1:9", workspace=name)
    with pytest.raises(footnote.InvalidRequest, match="cannot name a workspace"):
        footnote.Client("http://127.0.0.1:9", workspace=name)


@pytest.mark.parametrize("value", ["é", "a\0b"], ids=ascii)
async def test_a_header_that_cannot_be_sent_is_refused(value: str) -> None:
    with pytest.raises(footnote.InvalidRequest, match="the header Key cannot be sent") as caught:
        footnote.AsyncClient("http://127.0.0.1:9", headers={"Key": value})
    assert value not in str(caught.value)
    async with footnote.AsyncClient("http://127.0.0.1:9", retries=0) as client:
        said = r"(?i)idempotency.key(: it must have| cannot)"
        with pytest.raises(footnote.InvalidRequest, match=said):
            await client.receive(b"text", "a.txt", idempotency_key=value)


async def test_half_a_character_is_refused_before_it_is_sent() -> None:
    async with footnote.AsyncClient("http://127.0.0.1:9", retries=0) as client:
        for attempt in (
            lambda: client.ask("a\ud800"),
            lambda: client.search(footnote.SearchRequest(query="a\ud800")),
            lambda: client.documents(collection="a\ud800"),
            lambda: client.conversations.ask(uuid4(), "a\ud800"),
            lambda: client.receive(b"text", "a.txt", collection="a\ud800"),
            lambda: client.receive(b"text", "a\ud800.txt"),
            lambda: client.reembedding("a\ud800"),
            lambda: client.reembedding("a\0"),
        ):
            with pytest.raises(footnote.InvalidRequest, match=r"cannot be (sent|stored)") as caught:
                await attempt()
            assert caught.value.hint
        with pytest.raises(footnote.InvalidRequest, match="cannot be sent"):
            [_ async for _ in client.ask_stream("a\ud800")]


async def test_a_closed_client_says_so(library: Library) -> None:
    client = footnote.AsyncClient(str(library.http.base_url))
    await client.close()
    with pytest.raises(footnote.NotReady, match="closed"):
        await client.stats()


# --- repeating ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "whims",
    [[("refuse", 503), ("refuse", 429)], [("cut", 0)], [("cut-after", 30), ("refuse", 503)]],
    ids=["refused", "cut", "half an answer"],
)
async def test_what_can_be_repeated_is(library: Library, whims: list) -> None:  # type: ignore[type-arg]
    async with (
        before(str(library.http.base_url), *whims) as breaker,
        footnote.AsyncClient(breaker.url, first_pause_seconds=0) as client,
    ):
        assert (await client.search(footnote.SearchRequest(query=QUESTION))).evidence
        assert len(breaker.heads) == len(whims) + 1


async def test_an_upload_is_repeated_under_one_key(http: httpx.AsyncClient) -> None:
    async with (
        before(str(http.base_url), ("cut-after", 20), ("refuse", 429)) as breaker,
        footnote.AsyncClient(breaker.url, first_pause_seconds=0) as client,
    ):
        received = await client.receive(b"# Note\n\nOnce only.\n", "note.md")
        assert not received.duplicate
        keys = {
            line
            for head in breaker.heads
            for line in head.splitlines()
            if line.lower().startswith("idempotency-key:")
        }
        assert (len(keys), len(breaker.heads)) == (1, 3)


async def test_what_must_not_be_done_twice_is_not_repeated(library: Library) -> None:
    async with (
        before(str(library.http.base_url), ("cut", 0)) as breaker,
        footnote.AsyncClient(breaker.url, first_pause_seconds=0) as client,
    ):
        with pytest.raises(footnote.NotReady):
            await client.rollback_lane()
        assert len(breaker.heads) == 1


async def test_a_client_gives_up_after_its_tries(library: Library) -> None:
    whims = [("refuse", 503)] * 3
    async with (
        before(str(library.http.base_url), *whims) as breaker,  # type: ignore[arg-type]
        footnote.AsyncClient(breaker.url, retries=2, first_pause_seconds=0) as client,
    ):
        with pytest.raises(footnote.NotReady, match="not yet"):
            await client.stats()
        assert len(breaker.heads) == 3


@pytest.mark.parametrize("after", [1500, 3000, 6000, 12000])
async def test_a_stream_that_is_cut_goes_on_where_it_was(library: Library, after: int) -> None:
    async with footnote.AsyncClient(str(library.http.base_url)) as direct:
        whole = [each async for each in direct.ask_stream(QUESTION)]
    async with (
        before(str(library.http.base_url), ("cut-after", after)) as breaker,
        footnote.AsyncClient(breaker.url, first_pause_seconds=0) as client,
    ):
        pieced = [each async for each in client.ask_stream(QUESTION)]
    assert [type(each) for each in pieced] == [type(each) for each in whole]
    texts = (footnote.TextWritten, footnote.CitationMade, footnote.SentenceGrounded)
    assert [each for each in pieced if isinstance(each, texts)] == [
        each for each in whole if isinstance(each, texts)
    ]
    if len(breaker.heads) > 1:
        assert "last-event-id:" in breaker.heads[1].lower()


@given(attempt=st.integers(1, 40), asked=st.none() | st.floats(0, 1e6))
def test_a_pause_is_never_longer_than_the_longest(attempt: int, asked: float | None) -> None:
    pause = Patience(longest_pause_seconds=9).pause_seconds(attempt, asked)
    assert 0 <= pause <= 9
    if asked is not None:
        assert pause == min(asked, 9)


@given(
    events=st.lists(st.tuples(st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.text())),
    size=st.integers(1, 7),
    newline=st.sampled_from(["\n", "\r\n"]),
)
async def test_events_are_read_however_their_bytes_are_cut(
    events: list[tuple[str, str]], size: int, newline: str
) -> None:
    lines = []
    for number, (name, text) in enumerate(events):
        data = text.replace("\r", " ").replace("\n", " ")
        lines += [": a comment", f"id: {number}", f"event: {name}", f"data: {data}", ""]
    body = newline.join([*lines, "data: not whole"]).encode("utf-8", "surrogatepass")

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(body), size):
            yield body[start : start + size]

    found = [each async for each in server_sent_events(chunks())]
    assert [(each.event, each.id) for each in found] == [
        (name, str(number)) for number, (name, _) in enumerate(events)
    ]
