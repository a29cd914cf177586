"""The remote client gives what the engine gives, whatever happens to its connections."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footnote
from footnote.domain import Citation, Passage
from footnote.engine import WorkspaceEngine
from footnote.errors import DocumentUnreadable
from footnote.interfaces import schemas
from footnote.interfaces.http.problems import problem_of
from footnote.interfaces.sdk import decoding
from footnote.interfaces.sdk.failing import error_of
from footnote.interfaces.sdk.transport import Patience, server_sent_events
from tests.interfaces.breaking import before
from tests.interfaces.conftest import Library
from tests.interfaces.records import a_passage, an_answer, an_evidence

QUESTION = "How soon must a claim be reported?"
LOCAL_ONLY = {"access", "source_type"}
"""What only the process of the engine may say of a file."""


@pytest.fixture
async def client(library: Library) -> AsyncIterator[footnote.AsyncClient]:
    async with footnote.AsyncClient(str(library.http.base_url)) as opened:
        yield opened


@pytest.fixture
async def here(library: Library) -> AsyncIterator[WorkspaceEngine]:
    async with footnote.open(library.settings) as engine:
        yield await engine.workspace()


def told(passage: Passage) -> Passage:
    return replace(passage, chunk_no=decoding.NOT_TOLD)


def told_evidence(evidence: tuple[footnote.Evidence, ...]) -> tuple[footnote.Evidence, ...]:
    return tuple(replace(each, passage=told(each.passage)) for each in evidence)


def told_answer(answer: footnote.Answer) -> footnote.Answer:
    return replace(answer, evidence=told_evidence(answer.evidence), timings_ms={}, cached=False)


# --- the same surface, the same values ------------------------------------------------------


def test_the_client_has_the_verbs_of_the_engine_with_their_arguments() -> None:
    for name, verb in inspect.getmembers(footnote.AsyncClient, inspect.isfunction):
        original = getattr(WorkspaceEngine, name, None)
        if name.startswith("_") or original is None:
            continue
        ours, theirs = (inspect.signature(each).parameters for each in (verb, original))
        assert [*ours] == [each for each in theirs if each not in LOCAL_ONLY], name
        assert [each.default for each in ours.values()] == [
            each.default for key, each in theirs.items() if key not in LOCAL_ONLY
        ]


def test_the_client_loads_neither_the_engine_nor_its_models() -> None:
    heavy = ("numpy", "psycopg", "onnxruntime", "fastapi", "footnote.engine", "footnote.settings")
    code = (
        "import sys, footnote; footnote.Client; "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


async def test_a_search_gives_the_records_of_the_engine(
    client: footnote.AsyncClient, here: WorkspaceEngine
) -> None:
    request = footnote.SearchRequest(
        query=QUESTION,
        top_k=4,
        filters=footnote.SearchFilters(
            collections=("insurance",),
            evidence_types=(footnote.BlockKind.PARAGRAPH,),
            where=footnote.condition_from({"metadata.year": {"gte": 2024}}),
            min_similarity=-1.0,
        ),
        plan="fast",
        changes=footnote.PlanChanges(fusion="rrf", cache=False),
        facets=("class", "metadata.year"),
        conversation=(footnote.Turn(role="user", text="Hello"),),
    )
    there, local = await client.search(request), await here.search(request)
    assert replace(there, timings_ms={}) == replace(
        local, timings_ms={}, evidence=told_evidence(local.evidence)
    )
    assert there.evidence


async def test_a_context_gives_the_records_of_the_engine(
    client: footnote.AsyncClient, here: WorkspaceEngine
) -> None:
    found = await client.search(footnote.SearchRequest(query=QUESTION, top_k=1))
    chunk_id = found.evidence[0].passage.chunk_id
    there, local = await client.context(chunk_id, 1), await here.context(chunk_id, 1)
    assert there == footnote.PassageContext(
        chunk=told(local.chunk),
        context_before=tuple(map(told, local.context_before)),
        context_after=tuple(map(told, local.context_after)),
    )


async def test_an_answer_gives_the_records_of_the_engine(
    client: footnote.AsyncClient, here: WorkspaceEngine
) -> None:
    there, local = await client.ask(QUESTION), await here.ask(QUESTION)
    assert told_answer(there) == told_answer(local)
    assert there.text == local.text


async def test_a_stream_gives_the_events_of_the_engine(
    client: footnote.AsyncClient, here: WorkspaceEngine
) -> None:
    there = [each async for each in client.ask_stream(QUESTION)]
    local = [each async for each in here.ask_stream(QUESTION)]
    known = (footnote.TextWritten, footnote.CitationMade, footnote.SentenceGrounded)
    assert [each for each in there if isinstance(each, known)] == [
        each for each in local if isinstance(each, known)
    ]
    first, last = there[0], there[-1]
    assert isinstance(first, footnote.SourcesFound)
    assert isinstance(last, footnote.AnswerDone)
    assert first.evidence == last.answer.evidence
    assert told_answer(last.answer) == told_answer(await here.ask(QUESTION))


async def test_documents_are_the_records_of_the_engine(
    client: footnote.AsyncClient, here: WorkspaceEngine
) -> None:
    page = await client.documents(collection="insurance", limit=1)
    assert page == await here.documents(collection="insurance", limit=1)
    document = page.documents[0]
    assert await client.document(document.document_id) == document
    assert await client.children(document.document_id) == ()
    asked = [document.document_id, uuid4()]
    assert await client.statuses(asked) == await here.statuses(asked)
    stats, local = await client.stats(), await here.stats()
    assert (stats.documents, stats.lane) == (local.documents, local.lane)
    assert await client.lanes() == await here.lanes()
    assert (await client.health()).ready


def test_an_answer_survives_its_way_through_json() -> None:
    answer = an_answer()
    shape = schemas.Answer.from_domain(answer).model_dump(mode="json")
    assert told_answer(decoding.answer(shape)) == told_answer(answer)


@given(
    quote=st.text(min_size=1, max_size=40),
    page=st.none() | st.integers(1, 999),
    starts=st.none() | st.floats(0, 1e6),
)
def test_a_citation_survives_its_way_through_json(
    quote: str, page: int | None, starts: float | None
) -> None:
    citation = replace(an_answer().citations[0], quote=quote, page=page, start_seconds=starts)
    shape = schemas.Citation.from_domain(citation).model_dump(mode="json")
    assert decoding.decoded(Citation, shape) == citation


def test_what_a_newer_server_adds_is_passed_over() -> None:
    shape = schemas.Evidence.from_evidence(an_evidence()).model_dump(mode="json")
    found = decoding.answer_event("sources", {"evidence": [{**shape, "new": 1}], "more": 2})
    assert found == footnote.SourcesFound(
        evidence=(replace(an_evidence(), passage=told(a_passage())),)
    )
    assert decoding.answer_event("tomorrow", {}) is None


def test_what_cannot_be_understood_says_where() -> None:
    with pytest.raises(footnote.FootnoteError, match="quote") as raised:
        decoding.decoded(Citation, {"marker": 1})
    assert "same version" in str(raised.value.hint)


# --- files go in ----------------------------------------------------------------------------


async def test_a_file_goes_in_and_out_again(http: httpx.AsyncClient, tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text("# Note\n\nThe anchor was lifted at noon.\n")
    async with footnote.AsyncClient(str(http.base_url)) as client:
        received = await client.receive_file(path, collection="notes", tags=["log", "sea"])
        document = received.document
        assert (received.duplicate, document.external_id) == (False, str(path))
        assert (document.collection, document.tags) == ("notes", ("log", "sea"))
        again = await client.receive(
            path.read_bytes(), "note.md", collection="notes", metadata={"year": 2025}
        )
        assert again.duplicate
        with pytest.raises(footnote.NotReady, match="do not rest"):
            await client.wait_until_resting([document.document_id], timeout_seconds=0)
        await client.receive(b"# Other\n", "other.md", idempotency_key="k1")
        with pytest.raises(footnote.Conflict):
            await client.receive(b"# Another\n", "other.md", idempotency_key="k1")
        await client.delete_document(document.document_id)
        with pytest.raises(footnote.NotFound):
            await client.document(document.document_id)
        [retried] = await client.retry_all([document.document_id])
        assert retried.document is None
        assert retried.refusal
        assert await client.retry_failed() == ()


async def test_a_file_that_is_not_there_is_named(client: footnote.AsyncClient) -> None:
    with pytest.raises(footnote.InvalidRequest, match=r"nowhere\.md"):
        await client.receive_file(Path("nowhere.md"))


async def test_waiting_for_what_rests_returns_it(
    client: footnote.AsyncClient, library: Library
) -> None:
    page = await client.documents()
    seen: list[int] = []
    ids = [each.document_id for each in page.documents]
    found = await client.wait_until_resting(ids, lambda them: seen.append(len(them)))
    assert set(found) == set(ids)
    assert seen == [len(ids)]


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
        footnote.Conflict("there is one"),
        footnote.QueueFull("later", retry_after_seconds=7),
        footnote.ModelUnavailable("gone", hint="wait"),
        footnote.LaneMismatch("other"),
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


@pytest.mark.parametrize("after", [300, 1500, 6000, 12000])
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


# --- the blocking twin ----------------------------------------------------------------------


async def test_the_blocking_twin_asks_searches_and_streams(library: Library) -> None:
    def work() -> tuple[footnote.Answer, list[footnote.AnswerEvent], bool]:
        with footnote.Client(str(library.http.base_url)) as client:
            found = client.search(footnote.SearchRequest(query=QUESTION))
            events = list(client.ask_stream(QUESTION))
            for _ in client.ask_stream(QUESTION):
                break
            return client.ask(QUESTION), events, bool(found.evidence)

    answer, events, found = await asyncio.to_thread(work)
    assert found
    assert answer.found
    assert isinstance(events[-1], footnote.AnswerDone)
    assert told_answer(events[-1].answer) == told_answer(answer)


async def test_the_blocking_twin_raises_as_it_iterates(library: Library) -> None:
    def work() -> None:
        with footnote.Client(str(library.http.base_url)) as client:
            list(client.ask_stream("x", plan="nonsense"))

    with pytest.raises(footnote.InvalidRequest, match="nonsense"):
        await asyncio.to_thread(work)
