"""The remote client gives what the engine gives, whatever happens to its connections."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import footnote
from footnote.domain import Answer, Citation, Passage
from footnote.domain.search import UNKNOWN_CHUNK_NO
from footnote.engine import WorkspaceEngine, WorkspaceVerbs
from footnote.interfaces.answer_events import answer_event
from footnote.interfaces.schemas import decoded, object_of
from footnote.interfaces.sdk.conversations import AsyncConversations
from footnote.settings import Settings
from tests.interfaces.breaking import before
from tests.interfaces.conftest import Library
from tests.interfaces.records import a_passage, an_answer, an_evidence, contested, unanswered
from tests.interfaces.test_pages_http import OTHER, policy

QUESTION = "How soon must a claim be reported?"
LOCAL_ONLY = {"access", "source_type", "index_now", "base_url", "anywhere"}
"""What only the process of the engine may say of a file or a place."""


@pytest.fixture
async def client(library: Library) -> AsyncIterator[footnote.AsyncClient]:
    async with footnote.AsyncClient(str(library.http.base_url)) as opened:
        yield opened


@pytest.fixture
async def here(library: Library) -> AsyncIterator[WorkspaceEngine]:
    async with footnote.open(library.settings) as engine:
        yield await engine.workspace()


def told(passage: Passage) -> Passage:
    return replace(passage, chunk_no=UNKNOWN_CHUNK_NO)


def told_evidence(evidence: tuple[footnote.Evidence, ...]) -> tuple[footnote.Evidence, ...]:
    return tuple(replace(each, passage=told(each.passage)) for each in evidence)


def told_answer(answer: footnote.Answer) -> footnote.Answer:
    return replace(answer, evidence=told_evidence(answer.evidence), timings_ms={}, cached=False)


def assert_same(there: object, local: object, place: str = "") -> None:
    """The same values of the same types; two engines may differ in the last digits of a score."""
    assert type(there) is type(local), place
    if isinstance(there, float):
        assert there == pytest.approx(local, abs=1e-3), place
    elif is_dataclass(there):
        for each in fields(there):
            one, other = (getattr(whole, each.name) for whole in (there, local))
            assert_same(one, other, f"{place}.{each.name}")
    elif isinstance(there, tuple) and isinstance(local, tuple):
        assert len(there) == len(local), place
        for number, (one, other) in enumerate(zip(there, local, strict=True)):
            assert_same(one, other, f"{place}[{number}]")
    elif isinstance(there, dict) and isinstance(local, dict):
        assert there.keys() == local.keys(), place
        for key in there:
            assert_same(there[key], local[key], f"{place}.{key}")
    else:
        assert there == local, place


# --- arguments of another type ---------------------------------------------------------------

FILTERED = footnote.SearchFilters(source_types=("upload",))  # type: ignore[arg-type]  # on purpose
MISTAKES: dict[str, Callable[[Any], Awaitable[object]]] = {
    "request: it must be a footnote.SearchRequest, not 3": lambda one: one.search(3),
    "request.query: it must be text, not null": lambda one: one.search(
        footnote.SearchRequest(query=None)  # type: ignore[arg-type]  # on purpose
    ),
    "request.facets: it must be an array, not 'class'": lambda one: one.search(
        footnote.SearchRequest(query="fee", facets="class")  # type: ignore[arg-type]  # likewise
    ),
    "filters.source_types[0]: it must be a footnote.SourceType, such as SourceType.UPLOAD, "
    "not 'upload'": lambda one: one.ask("Why?", filters=FILTERED),
    "content: it must be bytes, not 'text'": lambda one: one.receive("text", "a.txt"),
    "tags: it must be an array, not 'urgent'": lambda one: one.receive(b"", "a", tags="urgent"),
    "metadata.year: it must be text, a finite number of up to 64 bits, true or false, not null": (
        lambda one: one.receive(b"", "a.txt", metadata={"year": None})
    ),
    "path: it must be a pathlib.Path, not 'a.txt'": lambda one: one.receive_file("a.txt"),
    "limit: it must be a whole number, not 'ten'": lambda one: one.documents(limit="ten"),
    "limit: it must be a whole number, not true": lambda one: one.documents(limit=True),
    "status: it must be a footnote.DocumentStatus, such as DocumentStatus.QUEUED, not 'lost'": (
        lambda one: one.documents(status="lost")
    ),
    "document_id: it must be a uuid.UUID, not '../stats'": lambda one: one.document("../stats"),
    "document_ids: it must be an array, not 'a'": lambda one: one.retry_all("a"),
    "document_ids: it must be a uuid.UUID, not '0', '1', '2' and 107 others": (
        lambda one: one.statuses([str(number) for number in range(110)])
    ),
    "filters: it must be a footnote.SearchFilters, not 'default'": (
        lambda one: one.ask("Why?", filters="default")
    ),
    "conversation[0]: it must be a footnote.Turn, not 'Hello'": (
        lambda one: anext(one.ask_stream("Why?", conversation=["Hello"]))
    ),
    "question: it must be text, not a bytes": lambda one: anext(one.ask_stream(b"Why?")),
    "window: it must be a whole number, not 2.5": lambda one: one.context("c", 2.5),
    "highlights[0]: it must be a footnote.Highlight, not 'fee'": (
        lambda one: one.page_image(uuid4(), 1, ["fee"])
    ),
    "model: it must be text, not 3": lambda one: one.reembed(3),
    "filename: it must not be empty": lambda one: one.receive(b"text", ""),
    "plan: it must not be empty": lambda one: one.ask("Why?", plan=""),
}


@pytest.mark.parametrize(("said", "mistake"), MISTAKES.items(), ids=MISTAKES)
async def test_arguments_of_another_type_are_refused_there_as_here(
    client: footnote.AsyncClient,
    here: WorkspaceEngine,
    said: str,
    mistake: Callable[[Any], Awaitable[object]],
) -> None:
    hints = set()
    for one in (client, here):
        with pytest.raises(footnote.InvalidRequest) as refused:
            await mistake(one)
        assert str(refused.value) == said
        hints.add(refused.value.hint)
    assert len(hints) == 1
    assert None not in hints


UNBOUND: dict[str, Callable[[Any], Awaitable[object]]] = {
    "document(): missing a required argument: 'document_id'": lambda one: one.document(),
    "ask(): got an unexpected keyword argument 'foo'": lambda one: one.ask("Why?", foo=1),
    "stats(): too many positional arguments": lambda one: one.stats(1),
}


@pytest.mark.parametrize(("said", "call"), UNBOUND.items(), ids=UNBOUND)
async def test_a_call_that_does_not_fit_names_its_verb_there_as_here(
    client: footnote.AsyncClient,
    here: WorkspaceEngine,
    said: str,
    call: Callable[[Any], Awaitable[object]],
) -> None:
    for one in (client, here):
        with pytest.raises(TypeError) as refused:
            await call(one)
        assert str(refused.value) == said


NOBODYS = UUID("5b0f7f5e-3c1d-4f64-8f0a-2d9f4c6f7a10")
ABSENT: dict[str, Callable[[Any], Awaitable[object]]] = {
    f"there is no document {NOBODYS}": lambda one: one.document(NOBODYS),
    f"there is no chunk {NOBODYS}:1:0": lambda one: one.context(f"{NOBODYS}:1:0"),
    f"there is no source {NOBODYS}": lambda one: one.workspace_source(NOBODYS),
    f"there is no entity {NOBODYS}": lambda one: one.entity(NOBODYS),
    f"there is no cluster {NOBODYS}": lambda one: one.cluster(NOBODYS),
    f"there is no fact {NOBODYS}": lambda one: one.fact(NOBODYS),
    f"there is no endpoint {NOBODYS}": lambda one: one.remove_webhook(NOBODYS),
    f"there is no evaluation run {NOBODYS}": lambda one: one.evaluation_run(NOBODYS),
    f"there is no legal hold {NOBODYS} in force": lambda one: one.lift_legal_hold(NOBODYS, "over"),
    f"there is no key {16 * '0'}": lambda one: one.revoke_key(16 * "0"),
    "that is no id of a key": lambda one: one.revoke_key("../stats"),
    "there is no MCP server 'tickets'": lambda one: one.remove_mcp_server("tickets"),
    "there is no MCP server '../stats'": lambda one: one.remove_mcp_server("../stats"),
    "there is no view 'mine'": lambda one: one.remove_view("mine"),
    "there is no collection 'hr'": lambda one: one.delete_collection("hr"),
    "there is no budget of tokens for day": lambda one: one.remove_budget(
        footnote.Measure.TOKENS, footnote.Period.DAY
    ),
    "there is no rule for documents of the workspace": lambda one: one.remove_retention(
        footnote.RetentionKind.DOCUMENTS
    ),
}


async def test_what_is_absent_is_named_there_as_here(
    client: footnote.AsyncClient, here: WorkspaceEngine
) -> None:
    for said, ask in ABSENT.items():
        hints = []
        for one in (client, here):
            with pytest.raises(footnote.NotFound) as absent:
                await ask(one)
            assert str(absent.value) == said
            hints.append(absent.value.hint)
        assert hints[0] == hints[1] is not None, said
        # Whoever reads it may have the command line or HTTP.
        assert "`GET /v1/" in str(hints[0]) or "`footnote " not in str(hints[0]), said


async def test_names_and_questions_that_cannot_be_are_refused_there_as_here(
    client: footnote.AsyncClient, here: WorkspaceEngine, library: Library
) -> None:
    nameless = footnote.SearchFilters(collections=("",))
    mistakes: tuple[Callable[[Any], Awaitable[object]], ...] = (
        lambda one: one.ask("fox\0"),
        lambda one: one.search(footnote.SearchRequest(query="fox\0")),
        lambda one: one.ask("fox", filters=nameless),
        lambda one: one.documents(collection=""),
    )
    for mistake in mistakes:
        for one in (client, here):
            with pytest.raises(footnote.InvalidRequest):
                await mistake(one)
    with pytest.raises(footnote.InvalidRequest, match="must not be empty"):
        await cast("footnote.Engine", here.engine).workspace("")
    with pytest.raises(footnote.InvalidRequest):
        footnote.AsyncClient(str(library.http.base_url), workspace="")


REMOTE_MISTAKES: dict[str, Callable[[Any], object]] = {
    "names: it must be an array, not 'extractive'": lambda one: one.use_models("extractive"),
    "kinds: it must be an array, not 'indexed'": lambda one: one.add_webhook("http://a", "indexed"),
    "headers.A: it must be text, not 1": lambda one: one.add_mcp_server("a", "http://b", {"A": 1}),
    "conversation: it must be an array, not 'a'": (
        lambda one: next(one.agent_stream("Why?", conversation="a"))
    ),
    "limit: it must be a whole number, not 'x'": lambda one: one.conversations.list(limit="x"),
    "thumb: it must be 'up' or 'down', not 'left'": (
        lambda one: one.conversations.give_feedback(uuid4(), uuid4(), "left")
    ),
    "conversation_id: it must be a uuid.UUID, not 'a'": lambda one: one.conversations.ask("a", "b"),
    "timeout_seconds: it must be at least 0.0, not -1": (
        lambda one: one.wait_until_resting([], timeout_seconds=-1)
    ),
    "base_url: it must be text, not 8080": lambda _: footnote.Client(8080),  # type: ignore[arg-type]
    "retries: it must be a whole number, not 'x'": (
        lambda _: footnote.Client("http://a", retries="x")  # type: ignore[arg-type]  # on purpose
    ),
}


def test_what_only_a_server_does_refuses_them_too() -> None:
    with footnote.Client("http://127.0.0.1:9", retries=0) as client:
        for said, mistake in REMOTE_MISTAKES.items():
            with pytest.raises(footnote.InvalidRequest) as refused:
                mistake(client)
            assert str(refused.value) == said


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"base_url": "http://a:port"}, "no address"),
        ({"base_url": "http://"}, "no address"),
        ({"base_url": "ftp://a"}, "no address"),
        ({"timeout_seconds": 0}, "timeout_seconds is 0"),
        ({"timeout_seconds": float("nan")}, "timeout_seconds is nan"),
        ({"retries": -1}, "tried -1 times"),
        ({"first_pause_seconds": float("inf")}, "inf seconds later"),
        ({"headers": {"a b": "c"}}, "no header can be called 'a b'"),
    ],
)
def test_a_client_that_could_reach_no_server_is_not_made(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(footnote.InvalidRequest, match=said):
        footnote.Client(**{"base_url": "http://127.0.0.1:9", **wrong})


def test_what_no_request_can_carry_is_refused() -> None:
    filters = footnote.SearchFilters(min_similarity=float("nan"))
    with footnote.Client("http://127.0.0.1:9", retries=0) as client:
        with pytest.raises(footnote.InvalidRequest, match="NaN"):
            client.search(footnote.SearchRequest(query="fee", filters=filters))
        with pytest.raises(footnote.NotFound, match="no lane"):
            client.reembed("int8", lane="../documents")


async def test_collections_that_are_no_tuples_are_taken(client: footnote.AsyncClient) -> None:
    filters = footnote.SearchFilters(collections=["default"])  # type: ignore[arg-type]  # a list
    found = await client.search(footnote.SearchRequest(query=QUESTION, filters=filters))
    assert found.query == QUESTION
    assert await client.statuses({uuid4()}) == {}  # type: ignore[arg-type]  # a set


# --- the same surface, the same values ------------------------------------------------------


def test_the_client_has_the_verbs_of_the_engine_with_their_arguments() -> None:
    for name, verb in inspect.getmembers(footnote.AsyncClient, inspect.isfunction):
        original = getattr(WorkspaceEngine, name, None)
        if name.startswith("_") or original is None:
            continue
        ours, theirs = (
            [
                each
                for key, each in inspect.signature(of).parameters.items()
                if key not in LOCAL_ONLY
            ]
            for of in (verb, original)
        )
        assert [each.name for each in ours[1:]] == [each.name for each in theirs[1:]], name
        assert [each.default for each in ours[1:]] == [each.default for each in theirs[1:]], name


CONVERSATION_VERBS = {
    "create": "create_conversation",
    "get": "conversation",
    "list": "conversations",
    "change": "change_conversation",
    "delete": "delete_conversation",
    "attach": "attach_document",
    "detach": "detach_document",
    "messages": "messages",
    "ask": "ask_in_conversation",
    "ask_stream": "ask_in_conversation_stream",
    "edit": "edit_question",
    "regenerate": "regenerate_answer",
    "suggest": "suggest_in_conversation",
    "go_on_from": "go_on_from",
    "give_feedback": "give_feedback",
    "withdraw_feedback": "withdraw_feedback",
}
"""What the client's conversations call the verbs of the engine."""
LOCAL_VERBS = set(
    "receive_stream has_room push_url push_content push_status select_documents document_called "
    "unknown_collections original original_file text passages source_entries remember_source_entry "
    "rename_source_entry remove_source_entry page_fingerprint all_messages export_conversation "
    "export_docx export_pdf find_conversations "
    "golden_candidates next_question edited_question question_again answered answered_stream "
    "follow_events webhook_and_secret users user add_user "
    "change_user remove_user user_groups user_group add_user_group change_user_group "
    "remove_user_group export_audit keep_evaluation admitted_source entity_called".split()
)
"""What other ways into the engine use, or a route without a verb of the client."""


def test_the_client_has_every_verb_of_a_workspace() -> None:
    assert all(hasattr(AsyncConversations, name) for name in CONVERSATION_VERBS)
    bound = {name for name in vars(WorkspaceVerbs) if not name.startswith("_")}
    missing = {name for name in bound if not hasattr(footnote.AsyncClient, name)}
    assert missing == LOCAL_VERBS | set(CONVERSATION_VERBS.values())


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
    assert_same(
        replace(there, timings_ms={}),
        replace(local, timings_ms={}, evidence=told_evidence(local.evidence)),
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
    assert_same(told_answer(there), told_answer(local))
    assert there.text == local.text


async def test_a_stream_gives_the_events_of_the_engine(
    client: footnote.AsyncClient, here: WorkspaceEngine
) -> None:
    there = [each async for each in client.ask_stream(QUESTION)]
    local = [each async for each in here.ask_stream(QUESTION)]
    known = (footnote.TextWritten, footnote.CitationMade, footnote.SentenceGrounded)
    assert_same(
        tuple(each for each in there if isinstance(each, known)),
        tuple(each for each in local if isinstance(each, known)),
    )
    first, last = there[0], there[-1]
    assert isinstance(first, footnote.SourcesFound)
    assert isinstance(last, footnote.AnswerDone)
    assert first.evidence == last.answer.evidence
    assert_same(told_answer(last.answer), told_answer(await here.ask(QUESTION)))


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
    assert told_answer(decoded(Answer, object_of(answer))) == told_answer(answer)


@given(
    quote=st.text(min_size=1, max_size=40),
    page=st.none() | st.integers(1, 999),
    starts=st.none() | st.floats(0, 1e6),
)
def test_a_citation_survives_its_way_through_json(
    quote: str, page: int | None, starts: float | None
) -> None:
    citation = replace(an_answer().citations[0], quote=quote, page=page, start_seconds=starts)
    assert decoded(Citation, object_of(citation)) == citation


def test_what_a_newer_server_adds_is_passed_over() -> None:
    shape = object_of(an_evidence())
    found = answer_event("sources", {"evidence": [{**shape, "new": 1}], "more": 2})
    assert found == footnote.SourcesFound(
        evidence=(replace(an_evidence(), passage=told(a_passage())),)
    )
    assert answer_event("tomorrow", {}) is None


def test_what_cannot_be_understood_says_where() -> None:
    with pytest.raises(footnote.FootnoteError, match="chunk_id") as raised:
        decoded(Citation, {"marker": 1})
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
            path.read_bytes(),
            "note.md",
            collection="notes",
            external_id=str(path),
            metadata={"year": 2025},
        )
        assert again.duplicate
        assert again.document.metadata == {"year": 2025}
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


async def test_a_page_is_seen_with_its_quotes_marked(
    http: httpx.AsyncClient, settings: Settings
) -> None:
    async with (
        footnote.AsyncClient(str(http.base_url)) as client,
        footnote.open(settings) as engine,
    ):
        here = await engine.workspace()
        document_id = (await client.receive(policy(), "policy.pdf")).document.document_id
        await footnote.work_until_resting(engine, here, [document_id])
        [citation, *_] = (await client.ask(QUESTION)).citations
        assert citation.page == 2
        span = footnote.Highlight(char_start=citation.char_start, char_end=citation.char_end)
        quotes = [span, footnote.Highlight(text=OTHER)]
        image = await client.page_image(document_id, 2, quotes, dpi=72)
        assert image == await here.page_image(document_id, 2, quotes, dpi=72)
        assert [each.match.value for each in image.rectangles.quotes] == ["exact"] * 2
        found = await client.pages_of_quote(document_id, quotes[1])
        assert found == await here.pages_of_quote(document_id, quotes[1])
        with pytest.raises(footnote.InvalidRequest, match="neither a text"):
            await client.page_rectangles(document_id, 1, [footnote.Highlight(char_start=1)])


# --- conversations --------------------------------------------------------------------------


async def test_a_conversation_is_held_and_read_again(
    client: footnote.AsyncClient, here: WorkspaceEngine
) -> None:
    talks = client.conversations
    made = await talks.create(document_mode="first")
    first = await talks.ask(made.conversation_id, QUESTION, top_k=3)
    assert "14 days" in first.reply.text
    assert first.evidence[0].passage.filename.startswith("policy")
    events = [each async for each in talks.ask_stream(made.conversation_id, "And the premium?")]
    assert isinstance(events[0], footnote.SourcesFound)
    assert isinstance(events[-1], footnote.AnswerDone)
    judged = await talks.give_feedback(
        made.conversation_id, first.reply.message_id, "up", "just so"
    )
    assert judged.feedback is not None
    assert judged.feedback.comment == "just so"
    page = await talks.messages(made.conversation_id, all_branches=True)
    assert page == await here.messages(made.conversation_id, all_branches=True)
    assert [each.role for each in page.messages] == ["user", "assistant"] * 2
    again = await talks.regenerate(made.conversation_id, first.reply.message_id)
    assert again.question.message_id == first.question.message_id
    edited = await talks.edit(made.conversation_id, first.question.message_id, "What is due?")
    assert edited.question.text == "What is due?"
    back = await talks.go_on_from(made.conversation_id, first.reply.message_id)
    assert first.reply.message_id in {each.message_id for each in back.messages}
    await talks.withdraw_feedback(made.conversation_id, first.reply.message_id)
    document = (await client.documents(limit=1)).documents[0]
    attached = await talks.attach(made.conversation_id, document.document_id)
    assert attached.document_ids == (document.document_id,)
    assert (await talks.detach(made.conversation_id, document.document_id)).document_ids == ()
    renamed = await talks.change(made.conversation_id, title="Claims")
    assert (await talks.get(made.conversation_id)) == renamed
    assert renamed in (await talks.list()).conversations
    await talks.delete(made.conversation_id)
    with pytest.raises(footnote.NotFound):
        await talks.get(made.conversation_id)


async def test_a_conversation_that_is_cut_is_asked_once(
    library: Library, client: footnote.AsyncClient
) -> None:
    made = await client.conversations.create()
    async with (
        before(str(library.http.base_url), ("cut-after", 3000)) as breaker,
        footnote.AsyncClient(breaker.url, first_pause_seconds=0) as cut,
    ):
        told = cut.conversations.ask_stream(made.conversation_id, QUESTION)
        events = [each async for each in told]
    assert isinstance(events[-1], footnote.AnswerDone)
    assert [type(each) for each in events].count(footnote.SourcesFound) == 1
    assert breaker.heads[1].startswith("GET /v1/answers/")
    page = await client.conversations.messages(made.conversation_id, all_branches=True)
    assert len(page.messages) == 2


async def test_an_edit_and_another_answer_that_are_cut_are_kept_once(
    library: Library, client: footnote.AsyncClient
) -> None:
    talks = client.conversations
    made = await talks.create()
    first = await talks.ask(made.conversation_id, QUESTION)
    here, question = made.conversation_id, first.question.message_id
    async with (
        before(str(library.http.base_url), ("cut-after", 300), ("cut-after", -1)) as breaker,
        footnote.AsyncClient(breaker.url, first_pause_seconds=0) as cut,
    ):
        edited = await cut.conversations.edit(here, question, "When?")
    async with (
        before(str(library.http.base_url), ("cut-after", 300), ("cut-after", -1)) as breaker,
        footnote.AsyncClient(breaker.url, first_pause_seconds=0) as cut,
    ):
        again = await cut.conversations.regenerate(here, first.reply.message_id)
    page = await talks.messages(here, all_branches=True)
    assert len(page.messages) == 5  # two questions with their answers, and one answer more
    known = {each.message_id for each in page.messages}
    assert {edited.reply.message_id, again.reply.message_id} < known


async def test_a_key_of_an_edit_is_sent_along(client: footnote.AsyncClient) -> None:
    talks = client.conversations
    made = await talks.create()
    first = await talks.ask(made.conversation_id, QUESTION)
    here, question = made.conversation_id, first.question.message_id
    edited = [await talks.edit(here, question, "When?", idempotency_key="e1") for _ in range(2)]
    assert edited[0].reply.message_id == edited[1].reply.message_id
    with pytest.raises(footnote.Conflict):
        await talks.edit(here, question, "Where?", idempotency_key="e1")
    again = [
        await talks.regenerate(here, first.reply.message_id, idempotency_key="a1") for _ in range(2)
    ]
    assert again[0].reply.message_id == again[1].reply.message_id


async def test_an_agent_without_a_model_says_so(client: footnote.AsyncClient) -> None:
    with pytest.raises(footnote.InvalidRequest, match="needs a model"):
        [_ async for _ in client.agent_stream("Compare the notice periods.")]


# --- the blocking twin ----------------------------------------------------------------------


async def test_the_blocking_twin_asks_searches_and_streams(library: Library) -> None:
    def work() -> tuple[footnote.Answer, list[footnote.AnswerEvent], bool]:
        with footnote.Client(str(library.http.base_url)) as client:
            found = client.search(footnote.SearchRequest(query=QUESTION))
            events = list(client.ask_stream(QUESTION))
            for _ in client.ask_stream(QUESTION):
                break
            talk = client.conversations.create(title="Of claims")
            assert client.conversations.ask(talk.conversation_id, QUESTION).reply.answer
            client.conversations.delete(talk.conversation_id)
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


def test_the_closest_passage_comes_back_as_it_went_out() -> None:
    answer = unanswered()
    assert decoded(Answer, object_of(answer)).closest == answer.closest


def test_conflicts_come_back_as_they_went_out() -> None:
    answer = contested()
    assert decoded(Answer, object_of(answer)).conflicts == answer.conflicts
