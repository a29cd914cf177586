"""Conversations are found by what was said in them, by their owner alone, encrypted or not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from footnote.domain import Principal, Visibility
from footnote.engine import WorkspaceEngine, open_engine
from footnote.engine import conversation_search as module
from footnote.engine.conversation_search import excerpt
from footnote.engine.exchanges import Asking
from footnote.errors import InvalidRequest
from footnote.settings import settings_from
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.engine.test_conversations import (
    BOATS,
    FIRE_QUESTION,
    STORM,
    STORM_QUESTION,
    asked,
    begun,
    publish,
)
from tests.engine.test_conversations import FIRE as FIRE_PAPER


@pytest.fixture(scope="module", params=["off", "on"], ids=["plain", "encrypted"])
async def papers(
    postgres: EmbeddedPostgres,
    model_home: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> AsyncIterator[tuple[WorkspaceEngine, list[UUID]]]:
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path_factory.mktemp("found"), model_home)
        given = {"encryption": request.param}
        async with await open_engine(settings_from(settings, given)) as engine:
            made = await engine.workspace((await engine.create_workspace("found")).name)
            yield (
                made,
                await publish(made, ("storm.md", STORM), ("fire.md", FIRE_PAPER), BOATS),
            )


@pytest.fixture
def workspace(papers: tuple[WorkspaceEngine, list[UUID]]) -> WorkspaceEngine:
    """The papers, as somebody who is new."""
    return replace(papers[0], principal=Principal(principal_id=uuid4().hex))


async def test_questions_answers_and_titles_are_found_with_their_message(
    workspace: WorkspaceEngine,
) -> None:
    storm, fire = await begun(workspace), await begun(workspace)
    of_storm = await asked(workspace, storm, STORM_QUESTION)
    of_fire = await asked(workspace, fire, FIRE_QUESTION)
    found = await workspace.find_conversations("EVENT 900")
    assert [each.conversation_id for each in found.conversations] == [fire]
    [match] = found.matches
    assert (match.message_id, match.role) == (of_fire.reply.message_id, "assistant")
    assert "EUR 900" in match.excerpt
    found = await workspace.find_conversations("storm")
    assert {each.message_id for each in found.matches} == {
        None,  # the title
        of_storm.question.message_id,
        of_storm.reply.message_id,
    }
    both = await workspace.find_conversations("deductible")
    assert [each.conversation_id for each in both.conversations] == [fire, storm]
    assert (await workspace.find_conversations("deductible zebra")).conversations == ()


async def test_versions_that_were_left_are_found_too(workspace: WorkspaceEngine) -> None:
    talk = await begun(workspace)
    first = await asked(workspace, talk, STORM_QUESTION)
    await workspace.edit_question(
        talk, first.question.message_id, Asking(question="Where was the Marlin built?")
    )
    found = await workspace.find_conversations("storm damage")
    assert first.question.message_id in {each.message_id for each in found.matches}


async def test_nobody_else_finds_them(workspace: WorkspaceEngine) -> None:
    await asked(workspace, await begun(workspace), STORM_QUESTION)
    other = replace(workspace, principal=Principal(principal_id=uuid4().hex))
    found = await other.find_conversations("storm")
    assert (found.conversations, found.matches, found.next_cursor) == ((), (), None)


async def test_what_a_document_said_is_found_no_more_once_it_may_not_be_seen(
    papers: tuple[WorkspaceEngine, list[UUID]], workspace: WorkspaceEngine
) -> None:
    owner, ids = papers
    talk = await begun(workspace)
    await asked(workspace, talk, FIRE_QUESTION)
    assert (await workspace.find_conversations("EUR 900")).conversations
    await owner.set_document_access(ids[1], Visibility.PRIVATE)
    try:
        assert (await workspace.find_conversations("EUR 900")).conversations == ()
    finally:
        await owner.set_document_access(ids[1], Visibility.WORKSPACE)


async def test_pages_go_on_where_the_last_one_ended(
    workspace: WorkspaceEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    talks = [await begun(workspace) for _ in range(5)]
    for talk in talks:
        await asked(workspace, talk, STORM_QUESTION)
    first = await workspace.find_conversations("storm", limit=2)
    rest = await workspace.find_conversations("storm", cursor=first.next_cursor)
    seen = [each.conversation_id for page in (first, rest) for each in page.conversations]
    assert seen == list(reversed(talks))
    # Many messages that say nothing of it end a page as well.
    monkeypatch.setattr(module, "MAX_SCANNED_MESSAGES", 4)
    monkeypatch.setattr(module, "_CONVERSATIONS_AT_ONCE", 2)
    empty = await workspace.find_conversations("zebra")
    assert empty.conversations == ()
    assert empty.next_cursor is not None


@pytest.mark.parametrize("query", ["", "   ", "x" * 201])
async def test_a_query_has_words(workspace: WorkspaceEngine, query: str) -> None:
    with pytest.raises(InvalidRequest):
        await workspace.find_conversations(query)


def test_an_excerpt_shows_the_words_amid_a_long_text() -> None:
    text = f"{'before ' * 60}needle{' after' * 60}"
    shown = excerpt(text, ["needle"])
    assert "needle" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) < 210
