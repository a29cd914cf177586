"""An answer says what documents do not agree about, to whoever may see all that is told."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from uuid import UUID

import pytest

from footnote.domain import AnswerConflict, AnswerDone, Principal, Role, Visibility
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.conversation_export import as_docx
from footnote.engine.conversations import as_markdown
from footnote.engine.exchanges import Asking
from footnote.engine.facts import contradicting_facts
from footnote.jobs.extracting import extract_fact_slice
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from
from tests.wire import WireServer, says

QUESTION = "How many people does Acme Insurance employ?"
FEW = "# Staff\n\nAcme Insurance employs 450 people."
MANY = "# Notice of the board\n\nThe offices were painted.\n\nAcme Insurance employs 470 people."


SETTINGS = {"facts": "rules"}


@pytest.fixture
def engine(encrypted_engine: Engine) -> Engine:
    return encrypted_engine


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    return await engine.workspace((await engine.create_workspace("disagreed")).name)


async def put(workspace: WorkspaceEngine, text: str, name: str) -> UUID:
    """Ingest a text and have its facts extracted."""
    received = await workspace.receive(text.encode(), name, external_id=name)
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    await extract_fact_slice(workspace.engine, workspace.workspace_id)
    return document_id


async def test_an_answer_says_what_documents_do_not_agree_about(
    workspace: WorkspaceEngine,
) -> None:
    few, many = await put(workspace, FEW, "few.md"), await put(workspace, MANY, "many.md")
    answer = await workspace.ask(QUESTION)
    assert answer.found
    [conflict] = answer.conflicts
    assert (conflict.subject, conflict.predicate) == ("Acme Insurance", "employs")
    assert {each.value for each in conflict.statements} == {"450", "470"}
    assert conflict.document_ids == {few, many}
    first, *_ = conflict.statements
    assert first.citation in answer.citations
    for each in conflict.statements:
        text = await workspace.text(each.citation.document_id, most_characters=10_000)
        assert text is not None
        place = slice(each.citation.char_start, each.citation.char_end)
        assert text.text[place] == each.citation.quote
        assert each.text in each.citation.quote
        assert (await workspace.fact(each.fact_id)).object == each.text
    markers = {each.citation.marker: each.citation for each in conflict.statements}
    assert len(markers) == 2
    async with aclosing(workspace.ask_stream(QUESTION)) as events:
        done = [each async for each in events][-1]
    assert isinstance(done, AnswerDone)
    assert done.answer.conflicts == answer.conflicts


async def test_what_is_not_quoted_or_agreed_upon_is_no_conflict(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, f"{FEW}\n\nThe canteen opens at noon.", "few.md")
    await put(workspace, FEW.replace("Staff", "People"), "same.md")
    assert (await workspace.ask(QUESTION)).conflicts == ()
    await put(workspace, MANY, "many.md")
    canteen = await workspace.ask("When does the canteen open?")
    assert (canteen.found, canteen.conflicts) == (True, ())


async def test_an_answer_that_is_given_again_tells_conflicts_as_they_are_now(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, FEW, "few.md")
    await put(workspace, MANY, "many.md")
    answer = await workspace.ask(QUESTION)
    assert len(answer.conflicts) == 1
    again = await workspace.ask(QUESTION)
    assert again.cached
    assert again.conflicts == answer.conflicts
    *_, denied = answer.conflicts[0].statements
    await workspace.decide_fact(denied.fact_id, "rejected")
    after = await workspace.ask(QUESTION)
    assert (after.cached, after.conflicts) == (True, ())
    await workspace.decide_fact(denied.fact_id, "confirmed")
    await workspace.change_setting("facts", "off")
    assert (await workspace.ask(QUESTION)).conflicts == ()


async def test_a_document_that_may_not_be_seen_makes_no_conflict(
    workspace: WorkspaceEngine,
) -> None:
    few, many = await put(workspace, FEW, "few.md"), await put(workspace, MANY, "many.md")
    ann = acting(workspace, "ann")
    bob = acting(workspace, "bob")
    await workspace.set_document_access(many, Visibility.PRIVATE, shared_with=["ann"])
    assert (await ann.ask(QUESTION)).conflicts[0].document_ids == {few, many}
    answer = await bob.ask(QUESTION)
    assert (answer.found, answer.conflicts) == (True, ())
    # The number alone could stand in an id or a timing.
    assert "470 people" not in repr(answer)
    [fact] = (await bob.facts(document_id=few)).facts
    assert await contradicting_facts(bob, [fact.fact_id]) == {}
    [denied] = (await contradicting_facts(ann, [fact.fact_id]))[fact.fact_id]
    assert denied.value == "470"


async def test_a_kept_answer_shows_of_a_conflict_what_may_still_be_seen(
    workspace: WorkspaceEngine,
) -> None:
    few, many = await put(workspace, FEW, "few.md"), await put(workspace, MANY, "many.md")
    third = await put(workspace, MANY.replace("470", "480"), "third.md")
    bob = acting(workspace, "bob")
    talk = await bob.create_conversation()
    exchange = await bob.ask_in_conversation(talk.conversation_id, Asking(question=QUESTION))
    answer = exchange.reply.answer
    assert answer is not None
    [conflict] = answer.conflicts
    assert conflict.document_ids == {few, many, third}
    said = conflict.statements
    found, messages = await bob.export_conversation(talk.conversation_id)
    written = as_markdown(found, messages)
    assert "The documents disagree about Acme Insurance – employs: “" in written
    for each in said:
        assert f"“{each.text}”[^1-{each.citation.marker}]" in written
        assert f"\n[^1-{each.citation.marker}]: " in written
    assert as_docx(found, messages).startswith(b"PK")

    first, second, last = (each.citation.document_id for each in said)
    await workspace.set_document_access(last, Visibility.PRIVATE)
    [seen] = await conflicts_of(bob, talk.conversation_id)
    assert seen.statements == said[:2]
    await workspace.delete_document(second)
    assert await conflicts_of(bob, talk.conversation_id) == ()
    await workspace.set_document_access(last, Visibility.WORKSPACE)
    [seen] = await conflicts_of(bob, talk.conversation_id)
    assert seen.statements == (said[0], said[2])
    await workspace.delete_document(first)
    assert await conflicts_of(bob, talk.conversation_id) == ()


async def test_what_a_model_writes_is_held_against_the_facts_too(
    own_settings: Settings, wire_server: WireServer
) -> None:
    configured = {
        "facts": "rules",
        "answer_models": f"openai:scripted@{wire_server.openai_url}",
    }
    async with await open_engine(settings_from(own_settings, configured)) as engine:
        workspace = await engine.workspace((await engine.create_workspace("written")).name)
        await put(workspace, FEW, "few.md")
        await put(workspace, MANY, "many.md")
        wire_server.script(says("Acme Insurance employs 450 people. [1]"))
        answer = await workspace.ask(QUESTION)
    assert answer.model is not None
    assert {each.value for each in answer.conflicts[0].statements} == {"450", "470"}


def acting(workspace: WorkspaceEngine, name: str) -> WorkspaceEngine:
    return replace(workspace, principal=Principal(principal_id=name, role=Role.READER))


async def conflicts_of(
    workspace: WorkspaceEngine, conversation_id: UUID
) -> tuple[AnswerConflict, ...]:
    page = await workspace.messages(conversation_id)
    answer = page.messages[-1].answer
    assert answer is not None
    return answer.conflicts
