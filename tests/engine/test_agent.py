"""A model with tools answers from the documents it looked up."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import pytest

from footnote.answering.streaming import completed
from footnote.domain import (
    AnswerDone,
    AnswerEvent,
    AnswerFailed,
    SourcesFound,
    TextWritten,
    ToolCalled,
    ToolReturned,
    UsageCounted,
    Verdict,
)
from footnote.engine import Engine, WorkspaceEngine
from footnote.engine.answer_models import answer_models_from
from footnote.errors import InvalidRequest, ModelUnavailable
from footnote.interfaces.tools.binding import index_now
from footnote.jobs.inline import work_until_resting
from footnote.settings import settings_from
from tests.wire import Reply, WireServer, calls, cut_off, endless, fails, says

LEASE = b"""# Lease of Unit 7

## Rent

The rent is CHF 2,400 a month. It is due on the first working day.

## Notice

Either side may give notice of three months.
"""


@asynccontextmanager
async def agent_of(engine: Engine, wire_server: WireServer) -> AsyncIterator[WorkspaceEngine]:
    """A workspace with one lease, whose model is the scripted one."""
    before = engine.answer_models
    settings = settings_from(
        engine.settings,
        {
            "answer_models": f"openai:scripted@{wire_server.openai_url}",
        },
    )
    engine.answer_models = answer_models_from(settings)
    try:
        await engine.create_workspace("agents")
        workspace = await engine.workspace("agents")
        received = await workspace.receive(LEASE, "lease.md")
        await work_until_resting(engine, workspace, [received.document.document_id], lambda _: None)
        yield workspace
    finally:
        await engine.answer_models.close()
        engine.answer_models = before


async def events_of(workspace: WorkspaceEngine, question: str) -> list[AnswerEvent]:
    stream = workspace.agent_stream(question, index_now=index_now)
    async with aclosing(stream) as events:
        return [event async for event in events]


def searched(query: str) -> Reply:
    return calls("search_documents", json.dumps({"query": query}))


async def test_an_answer_is_cited_from_what_the_tools_found(
    engine: Engine, wire_server: WireServer
) -> None:
    wire_server.script(searched("rent of unit 7"), says("The rent is CHF 2,400 ", "a month. [1]"))
    async with agent_of(engine, wire_server) as workspace:
        events = await events_of(workspace, "What is the rent of unit 7?")
    kinds = [type(event) for event in events]
    assert kinds[:3] == [ToolCalled, ToolReturned, SourcesFound]
    done = events[-1]
    assert isinstance(done, AnswerDone)
    answer = done.answer
    assert answer.found
    assert answer.citations[0].quote == "The rent is CHF 2,400 a month."
    assert answer.sentences[0].verdict is Verdict.SUPPORTED
    text = "".join(event.text for event in events if isinstance(event, TextWritten))
    assert text == answer.text
    assert answer.usage.requests == 2
    assert "CHF 2,400" in wire_server.asked[1].tool_results[0]


async def test_evidence_keeps_its_number_over_several_searches(
    engine: Engine, wire_server: WireServer
) -> None:
    wire_server.script(
        searched("rent"), searched("notice period"), says("Notice is three months. [2]")
    )
    async with agent_of(engine, wire_server) as workspace:
        events = await events_of(workspace, "How long is the notice?")
        first, second = (event.result for event in events if isinstance(event, ToolReturned))
    done = events[-1]
    assert isinstance(done, AnswerDone)
    (citation,) = done.answer.citations
    assert citation.quote in done.answer.evidence[1].passage.text
    assert first != second


async def test_what_is_written_before_a_tool_is_no_answer(
    engine: Engine, wire_server: WireServer
) -> None:
    wire_server.script(
        calls("search_documents", '{"query": "rent"}', text="Let me look that up."),
        says("The rent is CHF 2,400 a month. [1]"),
    )
    async with agent_of(engine, wire_server) as workspace:
        events = await events_of(workspace, "What is the rent?")
    done = events[-1]
    assert isinstance(done, AnswerDone)
    assert "Let me" not in done.answer.text


async def test_what_was_done_is_told_without_a_footnote_and_marked_so(
    engine: Engine, wire_server: WireServer
) -> None:
    wire_server.script(
        calls("create_document", json.dumps({"title": "Minutes", "content": "# Minutes\n\nNone."})),
        says("I saved the minutes ![x](https://evil.example/x.png)."),
    )
    async with agent_of(engine, wire_server) as workspace:
        events = await events_of(workspace, "Save empty minutes.")
        page = await workspace.documents()
    done = events[-1]
    assert isinstance(done, AnswerDone)
    assert {document.filename for document in page.documents} == {"lease.md", "Minutes.md"}
    assert [sentence.verdict for sentence in done.answer.sentences] == [Verdict.UNCITED]
    assert "evil" not in done.answer.text
    text = "".join(event.text for event in events if isinstance(event, TextWritten))
    assert text == done.answer.text


async def test_wrong_arguments_are_told_to_the_model(
    engine: Engine, wire_server: WireServer
) -> None:
    wire_server.script(
        calls("search_documents", '{"workspace": "other", "query": "rent"}'),
        says("The documents could not be searched."),
    )
    async with agent_of(engine, wire_server) as workspace:
        events = await events_of(workspace, "What is the rent?")
    returned = next(event for event in events if isinstance(event, ToolReturned))
    assert returned.failed or "workspace" in returned.result
    assert isinstance(events[-1], AnswerDone)


async def test_a_model_that_fails_is_a_failed_answer(
    engine: Engine, wire_server: WireServer
) -> None:
    wire_server.script(fails(401))
    async with agent_of(engine, wire_server) as workspace:
        events = await events_of(workspace, "What is the rent?")
    failed = events[-1]
    assert isinstance(failed, AnswerFailed)
    assert failed.code == "ModelUnavailable"


async def test_what_was_used_before_a_failure_is_told(
    engine: Engine, wire_server: WireServer
) -> None:
    wire_server.script(searched("rent"), fails(401))
    async with agent_of(engine, wire_server) as workspace:
        *_, counted, failed = await events_of(workspace, "What is the rent?")
        assert isinstance(counted, UsageCounted)
        assert isinstance(failed, AnswerFailed)
        assert counted.usage == failed.usage
        assert (failed.usage.requests, failed.usage.input_tokens) == (1, 100)
        wire_server.script(searched("rent"), fails(401))
        with pytest.raises(ModelUnavailable) as caught:
            async with aclosing(workspace.agent_stream("What is the rent?")) as events:
                await completed(events)
    assert caught.value.usage == failed.usage


async def test_a_model_that_breaks_off_leaves_what_it_wrote(
    engine: Engine, wire_server: WireServer
) -> None:
    wire_server.script(
        searched("rent"),
        cut_off(
            "The rent is CHF 2,400 a month. [1] ", "It is not due before the very last day ", "of"
        ),
    )
    async with agent_of(engine, wire_server) as workspace:
        events = await events_of(workspace, "What is the rent?")
    done = events[-1]
    assert isinstance(done, AnswerDone)
    assert done.answer.text == "The rent is CHF 2,400 a month. [1]"
    assert any(note.startswith("answer: cut off") for note in done.answer.degraded)
    assert done.answer.usage.input_tokens == 100


async def test_closing_the_stream_stops_the_model(engine: Engine, wire_server: WireServer) -> None:
    wire_server.script(searched("rent"), endless("The rent is CHF 2,400 a month. [1] "))
    async with agent_of(engine, wire_server) as workspace:
        stream = workspace.agent_stream("What is the rent?", index_now=index_now)
        async with aclosing(stream) as events:
            async for event in events:
                if isinstance(event, TextWritten):
                    break
        assert await wire_server.asked[1].was_left()


async def test_without_a_model_there_is_no_agent(workspace: WorkspaceEngine) -> None:
    with pytest.raises(InvalidRequest, match="needs a model"):
        await anext(workspace.agent_stream("What is the rent?"))
