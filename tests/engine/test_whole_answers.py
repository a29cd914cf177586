"""Questions about the whole of documents are answered from their summaries, down to passages."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from footnote.domain import Answer, Role, SearchFilters, Visibility
from footnote.engine import WorkspaceEngine, open_engine
from footnote.engine.exchanges import Asking
from footnote.settings import Settings
from tests.engine.test_summaries import BERTHS, CHESS, TRAINS, acting, put

OVERVIEW = "What are the main topics across all these documents?"


@pytest.fixture(params=["off", "on"], ids=["plain", "encrypted"])
async def workspace(
    request: pytest.FixtureRequest, own_settings: Settings
) -> AsyncIterator[WorkspaceEngine]:
    settings = own_settings.model_copy(update={"encryption": request.param, "summaries": "rules"})
    async with await open_engine(settings) as engine:
        found = await engine.workspace((await engine.create_workspace("overview")).name)
        await put(found, BERTHS, "berths.md", collection="harbour")
        await put(found, CHESS, "chess.md", collection="town")
        await put(found, TRAINS, "trains.md", collection="town")
        yield found


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


async def test_it_is_answered_from_several_documents(workspace: WorkspaceEngine) -> None:
    answer = await workspace.ask(OVERVIEW)
    assert answer.found
    assert answer.summarised_documents == 3
    assert titles(answer) == {"Harbour fees", "Chess club", "Trains"}
    assert {each.passage.document_title for each in answer.evidence} == titles(answer)
    await assert_quoted(workspace, answer)


async def test_its_filters_hold(workspace: WorkspaceEngine) -> None:
    answer = await workspace.ask(OVERVIEW, filters=SearchFilters(collections=("town",)))
    assert titles(answer) == {"Chess club", "Trains"}
    assert answer.summarised_documents == 2


async def test_one_document_is_answered_as_ever(workspace: WorkspaceEngine) -> None:
    answer = await workspace.ask(OVERVIEW, filters=SearchFilters(collections=("harbour",)))
    assert answer.summarised_documents == 0


async def test_something_particular_is_answered_as_ever(workspace: WorkspaceEngine) -> None:
    answer = await workspace.ask("When does the chess club meet?")
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


async def test_a_conversation_keeps_from_how_many_documents(workspace: WorkspaceEngine) -> None:
    conversation = await workspace.create_conversation()
    exchange = await workspace.ask_in_conversation(
        conversation.conversation_id, Asking(question=OVERVIEW)
    )
    assert exchange.reply.answer is not None
    assert exchange.reply.answer.summarised_documents == 3
    page = await workspace.messages(conversation.conversation_id)
    last = page.messages[-1].answer
    assert last is not None
    assert last.summarised_documents == 3
