"""Questions about the whole of documents are answered from their summaries, down to passages."""

from __future__ import annotations

from uuid import uuid4

import pytest

from footnote.domain import Answer, Role, SearchFilters, Visibility
from footnote.engine import Engine, WorkspaceEngine
from footnote.engine.exchanges import Asking
from tests.engine.conftest import KeptEngine
from tests.engine.test_summaries import BERTHS, CHESS, TRAINS, acting, put

OVERVIEW = "What are the main topics across all these documents?"


SETTINGS = {"summaries": "rules"}


@pytest.fixture(scope="module")
async def shared(kept_engine: KeptEngine) -> WorkspaceEngine:
    """A workspace that no test changes."""
    return await filled(kept_engine.engine)


@pytest.fixture
async def workspace(encrypted_engine: Engine) -> WorkspaceEngine:
    """One of the test's own."""
    return await filled(encrypted_engine)


async def filled(engine: Engine) -> WorkspaceEngine:
    found = await engine.workspace((await engine.create_workspace(f"overview-{uuid4()}")).name)
    await put(found, BERTHS, "berths.md", collection="harbour")
    await put(found, CHESS, "chess.md", collection="town")
    await put(found, TRAINS, "trains.md", collection="town")
    return found


def titles(answer: Answer) -> set[str]:
    return {each.document_title for each in answer.citations}


async def assert_quoted(workspace: WorkspaceEngine, answer: Answer) -> None:
    """Each statement is the words of its footnote, and these stand where it says."""
    by_marker = {each.marker: each for each in answer.citations}
    assert answer.sentences
    for sentence in answer.sentences:
        (marker,) = sentence.markers
        citation = by_marker[marker]
        assert sentence.text == citation.quote
        text = await workspace.text(citation.document_id, most_characters=1_000_000)
        assert text is not None
        assert text.text[citation.char_start : citation.char_end] == citation.quote


async def test_it_is_answered_from_several_documents(shared: WorkspaceEngine) -> None:
    answer = await shared.ask(OVERVIEW)
    assert answer.found
    assert answer.summarised_documents == 3
    assert titles(answer) == {"Harbour fees", "Chess club", "Trains"}
    assert {each.passage.document_title for each in answer.evidence} == titles(answer)
    await assert_quoted(shared, answer)


async def test_its_filters_hold(shared: WorkspaceEngine) -> None:
    answer = await shared.ask(OVERVIEW, filters=SearchFilters(collections=("town",)))
    assert titles(answer) == {"Chess club", "Trains"}
    assert answer.summarised_documents == 2


async def test_one_document_is_answered_as_ever(shared: WorkspaceEngine) -> None:
    answer = await shared.ask(OVERVIEW, filters=SearchFilters(collections=("harbour",)))
    assert answer.summarised_documents == 0


async def test_something_particular_is_answered_as_ever(shared: WorkspaceEngine) -> None:
    answer = await shared.ask("When does the chess club meet?")
    assert answer.summarised_documents == 0
    assert "Tuesdays" in answer.text


async def test_nobody_is_told_of_what_is_hidden_from_them(workspace: WorkspaceEngine) -> None:
    owner, reader = (acting(workspace, name, Role.WRITER) for name in ("ann", "bob"))
    await put(
        owner,
        "# Wedding\n\nThe wedding of ann is in June. The guests of the wedding sleep in tents.\n",
        "wedding.md",
        visibility=Visibility.PRIVATE,
    )
    assert "Wedding" in titles(await owner.ask(OVERVIEW))
    told = await reader.ask(OVERVIEW)
    assert "Wedding" not in titles(told)
    assert told.summarised_documents == 3


async def test_what_is_deleted_is_told_no_more(workspace: WorkspaceEngine) -> None:
    page = await workspace.documents(limit=10)
    chess = next(each for each in page.documents if each.title == "Chess club")
    await workspace.delete_document(chess.document_id)
    answer = await workspace.ask(OVERVIEW)
    assert titles(answer) == {"Harbour fees", "Trains"}


async def test_without_summaries_it_is_answered_as_ever(workspace: WorkspaceEngine) -> None:
    await workspace.change_setting("summaries", "off")
    answer = await workspace.ask(OVERVIEW)
    assert answer.summarised_documents == 0


async def test_a_conversation_keeps_from_how_many_documents(shared: WorkspaceEngine) -> None:
    conversation = await shared.create_conversation()
    exchange = await shared.ask_in_conversation(
        conversation.conversation_id, Asking(question=OVERVIEW)
    )
    assert exchange.reply.answer is not None
    assert exchange.reply.answer.summarised_documents == 3
    page = await shared.messages(conversation.conversation_id)
    last = page.messages[-1].answer
    assert last is not None
    assert last.summarised_documents == 3
