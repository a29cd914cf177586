"""A run of the AG-UI protocol tells the answer, its sources and its footnotes."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from ag_ui.core import (
    CustomEvent,
    Event,
    EventType,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunStartedEvent,
    StateSnapshotEvent,
    TextMessageContentEvent,
    UserMessage,
)
from pydantic import TypeAdapter
from structlog.testing import capture_logs

from footnote.domain import (
    AnswerDone,
    AnswerEvent,
    AnswerFailed,
    SourcesFound,
    TextWritten,
    ToolCalled,
    ToolReturned,
)
from footnote.interfaces.agui.events import Conversion
from tests.interfaces.conftest import Library
from tests.interfaces.records import an_answer
from tests.interfaces.serving import scripted, served
from tests.interfaces.sse import streaming
from tests.interfaces.test_refusals import assert_problem
from tests.wire import WireServer, says

QUESTION = "How soon must a claim be reported?"
EVENTS: TypeAdapter[Event] = TypeAdapter(Event)


def run_of(text: str = QUESTION, **more: Any) -> RunAgentInput:
    return RunAgentInput(
        thread_id="t1",
        run_id="r1",
        state={},
        messages=[UserMessage(id="m1", content=text)],
        tools=[],
        context=[],
        **more,
    )


async def events_of(
    library: Library, run: RunAgentInput, headers: dict[str, str] | None = None
) -> list[Any]:
    body = json.loads(run.model_dump_json(by_alias=True))
    async with streaming(library.http, "/agui", body, headers) as told:
        return [EVENTS.validate_python(each.data) async for each in told]


async def test_a_run_tells_the_answer_and_its_sources(library: Library) -> None:
    events = await events_of(library, run_of())
    assert isinstance(events[0], RunStartedEvent)
    assert isinstance(events[-1], RunFinishedEvent)
    assert {(each.thread_id, each.run_id) for each in (events[0], events[-1])} == {("t1", "r1")}
    kinds = [each.type for each in events]
    start, end = (
        kinds.index(EventType.TEXT_MESSAGE_START),
        kinds.index(EventType.TEXT_MESSAGE_END),
    )
    pieces = [each for each in events if isinstance(each, TextMessageContentEvent)]
    assert all(start < events.index(each) < end for each in pieces)
    text = "".join(each.delta for each in pieces)
    assert "14 days" in text
    first, last = (each for each in events if isinstance(each, StateSnapshotEvent))
    assert first.snapshot["evidence"] == last.snapshot["evidence"]
    assert first.snapshot["answer"] is None
    assert last.snapshot["answer"]["text"] == text
    custom = [each for each in events if isinstance(each, CustomEvent)]
    assert {each.name for each in custom} == {
        "footnote:sources",
        "footnote:citation",
        "footnote:grounding",
    }
    cited = [each.value for each in custom if each.name == "footnote:citation"]
    assert cited == last.snapshot["answer"]["citations"]


async def test_a_run_says_more_in_its_forwarded_properties(library: Library) -> None:
    extras = {"footnote": {"top_k": 1, "workspace": "annex"}, "other": 1}
    events = await events_of(
        library, run_of("To whom is a claim abroad reported?", forwarded_props=extras)
    )
    [evidence] = events[-2].snapshot["evidence"]
    assert evidence["filename"] == "annex.md"


async def test_the_body_may_not_choose_another_workspace_than_the_header(
    library: Library,
) -> None:
    async def asked(header: str, body: str) -> httpx.Response:
        run = run_of(forwarded_props={"footnote": {"workspace": body}})
        content = run.model_dump_json(by_alias=True)
        return await library.http.post(
            "/agui", content=content, headers={"Footnote-Workspace": header}
        )

    assert (await asked("annex", "annex")).status_code == 200
    for header, body in (("annex", "default"), ("default", "annex")):
        response = await asked(header, body)
        assert_problem(response, 422, "invalid-request")
        assert header in response.json()["detail"]
        assert body in response.json()["detail"]


@pytest.mark.parametrize("path", ["/agui", "/mcp"])
async def test_a_client_that_leaves_before_its_body_is_read_is_no_failure(
    library: Library, path: str
) -> None:
    address = library.http.base_url
    with capture_logs() as lines:
        _, writer = await asyncio.open_connection(address.host, address.port)
        head = f"POST {path} HTTP/1.1\r\nHost: {address.host}\r\nContent-Length: 1000\r\n\r\n{{"
        writer.write(head.encode())
        await writer.drain()
        # Its route waits for the rest by then.
        await asyncio.sleep(0.2)
        writer.close()
        async with asyncio.timeout(20):
            while not lines:  # noqa: ASYNC110  # a log has no event
                await asyncio.sleep(0.01)
    assert [(each["event"], each["log_level"]) for each in lines] == [
        ("the client left before it was answered", "debug")
    ]


async def test_a_run_says_that_its_model_was_of_no_use(library: Library) -> None:
    with WireServer(respond=lambda _: says("Ships are blue.")) as model:
        settings = scripted(library.settings, model)
        async with served(settings) as client:
            events = await events_of(replace(library, http=client), run_of())
    text = "".join(each.delta for each in events if isinstance(each, TextMessageContentEvent))
    answer = events[-2].snapshot["answer"]
    [note] = [each for each in answer["degraded"] if each.startswith("answer: ")]
    assert text == f"{answer['text']}\n\nNote: {note.removeprefix('answer: ')}"
    assert sum(each.type == EventType.TEXT_MESSAGE_START for each in events) == 1


PICTURE = {"type": "image", "source": {"type": "url", "value": "https://example.com/a.png"}}


def told(role: str, content: object) -> dict[str, Any]:
    """A run with one message, as a client that is not the official one might send it."""
    message = {"id": "m", "role": role, "content": content}
    return {**json.loads(run_of().model_dump_json(by_alias=True)), "messages": [message]}


@pytest.mark.parametrize(
    ("body", "status", "where"),
    [
        ({}, 422, "body.threadId"),
        (run_of(forwarded_props={"footnote": {"top_k": 0}}), 422, "forwardedProps.footnote.top_k"),
        (run_of(forwarded_props={"footnote": {"plan": "nonsense"}}), 422, "nonsense"),
        (run_of(""), 422, "no text of a user"),
        (told("king", "Hello"), 422, "messages.0: its 'role' must be 'developer', 'system'"),
        (told("user", [PICTURE]), 422, "a part of type 'image' cannot be answered"),
        (told("user", [{"type": "text", "text": "Why?"}, PICTURE]), 422, "type 'image' cannot"),
        (b"{", 400, "no"),
    ],
    ids=["empty", "extra", "plan", "no question", "role", "picture", "pictured", "no json"],
)
async def test_what_is_wrong_with_a_run_is_a_problem(
    library: Library, body: object, status: int, where: str
) -> None:
    if isinstance(body, RunAgentInput):
        content = body.model_dump_json(by_alias=True).encode()
    else:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = await library.http.post("/agui", content=content)
    assert response.status_code == status
    assert where in response.text


async def test_a_foreign_workspace_looks_like_none(library: Library) -> None:
    content = run_of(forwarded_props={"footnote": {"workspace": "nobody"}}).model_dump_json()
    response = await library.http.post("/agui", content=content)
    assert response.status_code == 404


def converted(*events: AnswerEvent) -> list[Any]:
    conversion = Conversion(run_of())
    return [each for event in events for each in conversion(event)]


def test_a_tool_call_stands_between_messages() -> None:
    events = converted(
        TextWritten(text="Let me look. "),
        ToolCalled(call_id="c1", name="search_documents", arguments='{"query": "x"}'),
        ToolReturned(call_id="c1", name="search_documents", result="nothing", failed=True),
        TextWritten(text="Found."),
        AnswerDone(answer=an_answer()),
    )
    assert [each.type.value for each in events] == [
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS",
        "TOOL_CALL_END",
        "TOOL_CALL_RESULT",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "STATE_SNAPSHOT",
        "RUN_FINISHED",
    ]
    assert events[0].message_id != events[7].message_id


def test_a_failure_ends_the_open_message_first() -> None:
    events = converted(
        SourcesFound(evidence=()),
        TextWritten(text="A claim "),
        TextWritten(text=""),
        AnswerFailed(code="ModelUnavailable", message="gone", hint="ask again"),
    )
    assert [each.type.value for each in events[-2:]] == ["TEXT_MESSAGE_END", "RUN_ERROR"]
    assert isinstance(events[-1], RunErrorEvent)
    assert events[-1].code == "model-unavailable"
    assert events[-1].message == "gone (ask again)"


# --- the official client --------------------------------------------------------------------


@pytest.fixture
def node_modules() -> str:
    """Where the official client of AG-UI is installed."""
    folder = os.environ.get("FOOTNOTE_TEST_NODE_MODULES", "")
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    if not Path(folder, "@ag-ui", "client").is_dir():
        pytest.skip("FOOTNOTE_TEST_NODE_MODULES names no folder with the package @ag-ui/client")
    return folder


async def test_the_official_client_understands_a_run(library: Library, node_modules: str) -> None:
    process = await asyncio.create_subprocess_exec(
        "node",
        str(Path(__file__).with_name("agui_client.cjs")),
        f"{str(library.http.base_url).rstrip('/')}/agui",
        QUESTION,
        env={**os.environ, "NODE_PATH": node_modules},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    told = json.loads(out)
    assert told["types"][0] == "RUN_STARTED"
    assert told["types"][-1] == "RUN_FINISHED"
    assert {"footnote:sources", "footnote:citation", "footnote:grounding"} == set(told["names"])
    [message] = told["messages"]
    assert message["role"] == "assistant"
    assert message["content"] == told["state"]["answer"]["text"]
    assert "14 days" in message["content"]


async def test_where_nothing_answers_the_closest_passage_is_told(library: Library) -> None:
    question = "Who decides about the deductible for storm damage to a moored buoy?"
    events = await events_of(library, run_of(question))
    text = "".join(each.delta for each in events if isinstance(each, TextMessageContentEvent))
    assert text.startswith("I could not find this in your documents.\n\nClosest passage: “")
    assert text.endswith("” [1]")
    state = [each for each in events if isinstance(each, StateSnapshotEvent)][-1].snapshot
    custom = [each for each in events if isinstance(each, CustomEvent)]
    cited = [each.value for each in custom if each.name == "footnote:citation"]
    assert cited == [state["answer"]["closest"]["citation"]]
