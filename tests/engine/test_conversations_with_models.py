"""Conversations in a workspace where a model writes: it reads what was said, and is asked once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from footnote.domain import AnswerDone, SourcesFound
from footnote.engine import WorkspaceEngine, open_engine
from footnote.engine.exchanges import Asking
from footnote.errors import NotFound
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from
from tests.wire import WireServer, cut_off, says

NOTE = "# Claims\n\nA claim must be reported within 14 days of the loss.\n"
QUESTION = "How soon must a claim be reported?"
WRITTEN = says("A claim must be reported within 14 days of the loss. [1]")


@pytest.fixture
async def workspace(settings: Settings, wire_server: WireServer) -> AsyncIterator[WorkspaceEngine]:
    """A workspace with a note, whose answers the scripted server writes."""
    configured = {
        "answer_models": f"openai:scripted@{wire_server.openai_url}",
    }
    async with await open_engine(settings_from(settings, configured)) as engine:
        made = await engine.workspace()
        received = await made.receive(NOTE.encode(), "claims.md")
        await work_until_resting(engine, made, [received.document.document_id], lambda _: None)
        yield made


async def test_a_model_is_asked_once_for_the_same_question(
    workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    wire_server.script(WRITTEN, WRITTEN)
    first, again = await workspace.ask(QUESTION), await workspace.ask(QUESTION)
    assert len(wire_server.asked) == 1
    assert (first.cached, again.cached) == (False, True)
    assert (first.usage.requests, again.usage.requests) == (1, 0)
    assert again.text == first.text
    await workspace.use_models(["extractive"])
    quoted = await workspace.ask(QUESTION)
    assert (quoted.cached, quoted.model) == (False, None)


async def test_a_model_reads_what_was_said_and_its_answer_is_kept_with_its_trace(
    workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    wire_server.script(WRITTEN, WRITTEN, WRITTEN)
    mine = (await workspace.create_conversation()).conversation_id
    first = await workspace.ask_in_conversation(mine, Asking(question=QUESTION))
    assert first.reply.answer is not None
    assert first.reply.answer.model is not None
    assert first.reply.answer.usage.input_tokens == 100
    assert first.reply.answer.citations[0].quote in NOTE
    await workspace.ask_in_conversation(
        mine, Asking(question="Within how many days must a claim be reported, and why?")
    )
    assert QUESTION in str(wire_server.asked[-1])
    again = await workspace.regenerate_answer(mine, first.reply.message_id)
    assert len(wire_server.asked) == 3
    assert "Within how many days must a claim be reported, and why?" not in str(
        wire_server.asked[-1]
    )
    assert again.question == first.question

    wire_server.script(says("A claim must be ", "reported within 14 days. [1]", waits_after=1))
    asked = workspace.ask_in_conversation_stream(mine, Asking(question="And by when exactly?"))
    async with aclosing(asked) as events:
        assert isinstance(await anext(events), SourcesFound)
        await workspace.delete_conversation(mine)
        wire_server.release()
        with pytest.raises(NotFound):
            assert not [each async for each in events if isinstance(each, AnswerDone)]
    assert (await workspace.conversations()).conversations == ()


async def test_an_answer_that_broke_off_is_kept_as_such_and_not_given_again(
    workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    wire_server.script(cut_off("A claim must be "), WRITTEN)
    mine = (await workspace.create_conversation()).conversation_id
    broken = await workspace.ask_in_conversation(mine, Asking(question=QUESTION))
    assert broken.reply.answer is not None
    assert broken.reply.answer.degraded
    other = (await workspace.create_conversation()).conversation_id
    whole = await workspace.ask_in_conversation(other, Asking(question=QUESTION))
    assert whole.reply.answer is not None
    assert (whole.reply.answer.degraded, whole.reply.answer.cached) == ((), False)
    assert len(wire_server.asked) == 2
