"""After an answer, questions are suggested that the documents answer, and only what may be seen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from footnote.domain import AnswerDone, AnswerEvent, Principal, SuggestionsMade, Visibility
from footnote.domain.answers import Suggestions
from footnote.domain.usage import UsageKind
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.exchanges import Asking
from footnote.errors import InvalidRequest, NotFound
from footnote.settings import settings_from
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.engine.test_conversations import publish
from tests.wire import WireServer, cut_off, says

HANDBOOK = """# Harbour handbook

## Opening hours

The harbour office opens at 7:30 on weekdays and closes at 16:00.

## Lost keys

A lost key is replaced by the harbour master within two days, for a fee of EUR 45.

## Winter storage

Boats are lifted out of the water from 12 October to 30 November.
"""
PRICES = """# Berth prices

| Berth | Price per month | Depth |
|---|---|---|
| North quay | EUR 210 | 2.4 m |
| South quay | EUR 340 | 3.1 m |
| Fisher's steps | EUR 95 | 1.2 m |
"""
SECRET = """# Safe

## Safe combination

The safe in the harbour office opens with 4711 and is changed every 90 days.
"""
HOURS = "When does the harbour office open on weekdays?"
NORTH = "What is the price per month of the North quay?"


@pytest.fixture(scope="module")
async def engine(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Engine]:
    with fresh_database(postgres) as database:
        folder = tmp_path_factory.mktemp("suggestions")
        async with await open_engine(settings_over(database, folder, model_home)) as opened:
            yield opened


@pytest.fixture(scope="module")
async def shared(engine: Engine) -> WorkspaceEngine:
    made = await engine.workspace((await engine.create_workspace("harbour")).name)
    await publish(made, ("handbook.md", HANDBOOK), ("prices.md", PRICES))
    return made


@pytest.fixture
def workspace(shared: WorkspaceEngine) -> WorkspaceEngine:
    """The shared papers, as somebody who is new."""
    return replace(shared, principal=Principal(principal_id=uuid4().hex))


async def suggested(
    workspace: WorkspaceEngine, question: str, language: str | None = None
) -> Suggestions:
    answer = await workspace.ask(question)
    return await workspace.suggest_questions(
        question,
        answer=answer.text,
        chunk_ids=[each.passage.chunk_id for each in answer.evidence],
        language=language,
    )


@pytest.mark.parametrize("question", [HOURS, NORTH])
async def test_every_suggested_question_is_answered_and_new(
    workspace: WorkspaceEngine, question: str
) -> None:
    before = await workspace.ask(question)
    made = await suggested(workspace, question)
    assert 1 <= len(made.questions) <= 3
    assert made.model is None
    assert made.degraded == ()
    assert len({each.question for each in made.questions}) == len(made.questions)
    for each in made.questions:
        answer = await workspace.ask(each.question)
        assert answer.found
        assert answer.citations[0].document_id in each.document_ids
        assert answer.citations[0].chunk_id == each.chunk_id
        assert answer.text != before.text
        assert each.question != question


async def test_of_a_table_the_other_cells_are_asked_for(workspace: WorkspaceEngine) -> None:
    made = await suggested(workspace, NORTH)
    assert "North quay: Depth?" in [each.question for each in made.questions]


async def test_questions_are_worded_in_the_language_that_is_wanted(
    workspace: WorkspaceEngine,
) -> None:
    made = await suggested(workspace, NORTH, "fr")
    assert "North quay : Depth ?" in [each.question for each in made.questions]


async def test_nothing_is_suggested_where_none_are_wanted(engine: Engine) -> None:
    made = await engine.workspace((await engine.create_workspace("quiet")).name)
    await publish(made, ("prices.md", PRICES))
    await made.change_setting("suggestions", 0)
    await made.ask(NORTH)
    assert await suggested(made, NORTH) == Suggestions()


async def test_what_is_foreign_or_absent_suggests_nothing(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    other = await engine.workspace((await engine.create_workspace("foreign")).name)
    await publish(other, ("safe.md", SECRET))
    foreign = (await other.ask("How often is the safe combination changed?")).evidence[0]
    assert (
        await workspace.suggest_questions("Safe?", chunk_ids=[foreign.passage.chunk_id])
        == await workspace.suggest_questions("Safe?", chunk_ids=[f"{uuid4()}:1:0", "nonsense"])
        == Suggestions()
    )


async def test_nothing_is_suggested_of_what_may_not_be_seen(engine: Engine) -> None:
    made = await engine.workspace((await engine.create_workspace("walls")).name)
    await publish(made, ("handbook.md", HANDBOOK))
    [secret] = await publish(made, ("safe.md", SECRET))
    all_chunks = [
        each.passage.chunk_id
        for question in (HOURS, "How often is the safe changed?")
        for each in (await made.ask(question)).evidence
    ]
    await made.set_document_access(secret, Visibility.PRIVATE, shared_with=["user:anna"])
    bert = replace(made, principal=Principal(principal_id="user:bert"))
    found = await bert.suggest_questions(HOURS, chunk_ids=all_chunks)
    assert found.questions
    assert secret not in {one for each in found.questions for one in each.document_ids}
    assert "safe" not in str(found.questions).casefold()


async def test_suggestions_are_kept_with_the_answer_they_follow(
    workspace: WorkspaceEngine,
) -> None:
    mine = (await workspace.create_conversation()).conversation_id
    exchange = await workspace.ask_in_conversation(mine, Asking(question=NORTH))
    reply = exchange.reply.message_id
    assert exchange.reply.answer is not None
    assert exchange.reply.answer.suggestions is None
    made = await workspace.suggest_in_conversation(mine, reply)
    assert made.questions
    again = await workspace.suggest_in_conversation(mine, reply, language="de")
    assert again.questions == made.questions
    _, kept = await workspace.all_messages(mine)
    assert kept.answer is not None
    assert kept.answer.suggestions == made.questions
    chosen = await workspace.ask_in_conversation(mine, Asking(question=made.questions[0].question))
    assert chosen.reply.answer is not None
    assert chosen.reply.answer.found
    later = await workspace.suggest_in_conversation(mine, chosen.reply.message_id)
    assert NORTH not in [each.question for each in later.questions]
    assert made.questions[0].question not in [each.question for each in later.questions]


async def test_suggestions_are_asked_for_an_answer_of_ones_own(
    workspace: WorkspaceEngine,
) -> None:
    mine = (await workspace.create_conversation()).conversation_id
    exchange = await workspace.ask_in_conversation(mine, Asking(question=NORTH))
    with pytest.raises(InvalidRequest):
        await workspace.suggest_in_conversation(mine, exchange.question.message_id)
    bert = replace(workspace, principal=Principal(principal_id=uuid4().hex))
    with pytest.raises(NotFound) as foreign:
        await bert.suggest_in_conversation(mine, exchange.reply.message_id)
    assert str(mine) in str(foreign.value)


async def test_a_deleted_document_takes_its_suggestions_along(engine: Engine) -> None:
    made = await engine.workspace((await engine.create_workspace("gone")).name)
    [_, prices] = await publish(made, ("handbook.md", HANDBOOK), ("prices.md", PRICES))
    mine = (await made.create_conversation()).conversation_id
    exchange = await made.ask_in_conversation(mine, Asking(question=NORTH))
    found = await made.suggest_in_conversation(mine, exchange.reply.message_id)
    assert any(prices in each.document_ids for each in found.questions)
    await made.delete_document(prices)
    _, kept = await made.all_messages(mine)
    assert kept.answer is not None
    assert kept.answer.suggestions is not None
    assert "quay" not in str(kept.answer.suggestions)


async def test_suggestions_follow_a_streamed_answer_that_wants_them(
    workspace: WorkspaceEngine,
) -> None:
    async with aclosing(workspace.ask_stream(NORTH, suggest=True)) as stream:
        events: list[AnswerEvent] = [each async for each in stream]
    assert isinstance(events[-2], AnswerDone)
    assert isinstance(events[-1], SuggestionsMade)
    assert events[-1].suggestions.questions
    async with aclosing(workspace.ask_stream(NORTH)) as stream:
        assert isinstance([each async for each in stream][-1], AnswerDone)


# --- with a language model ------------------------------------------------------------------------


@pytest.fixture
async def written(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path: Path, wire_server: WireServer
) -> AsyncIterator[WorkspaceEngine]:
    """A workspace whose answers the scripted server writes."""
    configured = {
        "answer_models": f"openai:scripted@{wire_server.openai_url}",
    }
    with fresh_database(postgres) as database:
        settings = settings_from(settings_over(database, tmp_path, model_home), configured)
        async with await open_engine(settings) as engine:
            made = await engine.workspace()
            await publish(made, ("handbook.md", HANDBOOK), ("prices.md", PRICES))
            yield made


async def test_a_model_proposes_and_the_documents_decide(
    written: WorkspaceEngine, wire_server: WireServer
) -> None:
    wire_server.script(
        says("The North quay costs EUR 210 per month. [1]"),
        says(
            "1. What is the depth of the South quay?\n"
            "2. Who painted the ceiling of the opera house?\n"
            f"3. {NORTH}\n"
            "- See https://evil.example/now"
        ),
    )
    answer = await written.ask(NORTH)
    made = await written.suggest_questions(
        NORTH,
        answer=answer.text,
        chunk_ids=[each.passage.chunk_id for each in answer.evidence],
        language="en",
    )
    assert [each.question for each in made.questions] == ["What is the depth of the South quay?"]
    assert made.model == "openai:scripted"
    assert len(wire_server.asked) == 2
    used = [each.requests for each in await written.usage() if each.kind is UsageKind.GENERATION]
    assert sum(used) == 2


async def test_without_the_model_headings_and_tables_stand_in(
    written: WorkspaceEngine, wire_server: WireServer
) -> None:
    wire_server.script(cut_off("No"), cut_off("No"))
    chunks = [
        each.passage.chunk_id for each in (await written.ask(NORTH, model="extractive")).evidence
    ]
    made = await written.suggest_questions(NORTH, answer="EUR 210", chunk_ids=chunks)
    assert made.questions
    assert made.model is None
    assert made.degraded[0].startswith("suggestions: made without openai:scripted")
