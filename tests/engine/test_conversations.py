"""Conversations mind what was said, keep what was answered, and forget what was deleted."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from footnote.domain import (
    AnswerDone,
    AnswerEvent,
    PlanChanges,
    Principal,
    SearchFilters,
    SourcesFound,
)
from footnote.domain.conversations import Exchange
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.conversations import as_markdown, escaped, title_from
from footnote.engine.exchanges import Asking
from footnote.errors import Conflict, InvalidRequest, NotFound
from footnote.evaluation.golden import read_golden
from footnote.jobs.inline import work_until_resting
from footnote.models.testing import scripted_model
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over

STORM = "# Storm\n\nThe deductible for storm damage is EUR 500 for each event."
FIRE = "# Fire\n\nThe deductible for fire damage is EUR 900 for each event."
BOATS = ("boats.md", "# Boats\n\nThe Marlin was built in Cadiz in 1987.")
STORM_QUESTION = "What is the deductible for storm damage?"
FIRE_QUESTION = "What is the deductible for fire damage?"


async def publish(workspace: WorkspaceEngine, *papers: tuple[str, str]) -> list[UUID]:
    """The ids of texts that were received under their names and published."""
    received = [
        await workspace.receive(text.encode(), name, external_id=name) for name, text in papers
    ]
    ids = [each.document.document_id for each in received]
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
    return ids


@pytest.fixture(scope="module")
async def engine(
    postgres: EmbeddedPostgres, model_home: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Engine]:
    """One engine for all these tests, each of which has workspaces of its own."""
    with fresh_database(postgres) as database:
        folder = tmp_path_factory.mktemp("conversations")
        async with await open_engine(settings_over(database, folder, model_home)) as opened:
            yield opened


@pytest.fixture(scope="module")
async def shared(engine: Engine) -> tuple[WorkspaceEngine, dict[str, UUID]]:
    """A workspace whose papers are not changed."""
    made = await engine.workspace((await engine.create_workspace("shared")).name)
    ids = await publish(made, ("storm.md", STORM), ("fire.md", FIRE), BOATS)
    return made, dict(zip(("storm", "fire", "boats"), ids, strict=True))


@pytest.fixture
def workspace(shared: tuple[WorkspaceEngine, dict[str, UUID]]) -> WorkspaceEngine:
    """The shared papers, as somebody who is new."""
    return replace(shared[0], principal=Principal(principal_id=uuid4().hex))


@pytest.fixture
def papers(shared: tuple[WorkspaceEngine, dict[str, UUID]]) -> dict[str, UUID]:
    return shared[1]


@pytest.fixture
async def own(engine: Engine) -> tuple[WorkspaceEngine, dict[str, UUID]]:
    """A workspace whose papers may be changed."""
    made = await engine.workspace((await engine.create_workspace(f"w{uuid4().hex}")).name)
    ids = await publish(made, ("storm.md", STORM), ("fire.md", FIRE))
    return made, dict(zip(("storm", "fire"), ids, strict=True))


async def asked(
    workspace: WorkspaceEngine, conversation_id: UUID, question: str, **how: object
) -> Exchange:
    asking = replace(Asking(question=question), **how)  # type: ignore[arg-type]  # passed on
    return await workspace.ask_in_conversation(conversation_id, asking)


async def begun(workspace: WorkspaceEngine) -> UUID:
    return (await workspace.create_conversation()).conversation_id


async def said(workspace: WorkspaceEngine, conversation_id: UUID) -> list[str]:
    page = await workspace.messages(conversation_id)
    return [message.text for message in page.messages if message.role == "user"]


# --- the life of a conversation ---------------------------------------------------------------


async def test_what_changes_nothing_is_no_use_of_it(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    before = await workspace.create_conversation(title="Mine", document_ids=(papers["storm"],))
    mine = before.conversation_id
    assert await workspace.change_conversation(mine) == before
    assert await workspace.detach_document(mine, papers["fire"]) == before
    assert await workspace.attach_document(mine, papers["storm"]) == before
    attached = await workspace.attach_document(mine, papers["fire"])
    detached = await workspace.detach_document(mine, papers["fire"])
    renamed = await workspace.change_conversation(mine, title="Ours")
    used = [each.updated_at for each in (before, attached, detached, renamed)]
    assert used == sorted(set(used))


@pytest.mark.parametrize("question", ["a\0b", "a\ud800b"], ids=ascii)
async def test_a_question_that_cannot_be_kept_is_refused_before_the_search(
    workspace: WorkspaceEngine, question: str
) -> None:
    mine = await begun(workspace)
    exchange = await asked(workspace, mine, STORM_QUESTION)
    asking = Asking(question=question)
    with pytest.raises(InvalidRequest, match="a character that cannot be stored"):
        await workspace.ask_in_conversation(mine, asking)
    with pytest.raises(InvalidRequest, match="a character that cannot be stored"):
        async with aclosing(workspace.ask_in_conversation_stream(mine, asking)) as events:
            await anext(events)
    with pytest.raises(InvalidRequest, match="a character that cannot be stored"):
        await workspace.edit_question(mine, exchange.question.message_id, asking)
    assert await said(workspace, mine) == [STORM_QUESTION]


@pytest.mark.parametrize("unseen", ["\u200b", "\u200b\u202e", " \u2060\ufeff\u3164\n"], ids=ascii)
async def test_what_nobody_sees_is_neither_a_question_nor_a_title(
    workspace: WorkspaceEngine, unseen: str
) -> None:
    mine = (await workspace.create_conversation(title=unseen)).conversation_id
    with pytest.raises(InvalidRequest, match="the query is empty"):
        await workspace.ask(unseen)
    with pytest.raises(InvalidRequest, match="the query is empty"):
        await workspace.ask_in_conversation(mine, Asking(question=unseen))
    with pytest.raises(InvalidRequest, match="title"):
        await workspace.change_conversation(mine, title=unseen)
    assert await said(workspace, mine) == []
    await asked(workspace, mine, "\u200bWho paid the premium?")
    assert (await workspace.conversation(mine)).title.endswith("Who paid the premium?")


async def test_a_conversation_takes_its_title_from_its_first_question(
    workspace: WorkspaceEngine,
) -> None:
    mine = await begun(workspace)
    await asked(workspace, mine, "Who  paid\nthe premium?")
    await asked(workspace, mine, "And who did not?")
    assert (await workspace.conversation(mine)).title == "Who paid the premium?"
    renamed = await workspace.change_conversation(mine, title=" The\u202e\a  premium ")
    assert renamed.title == "The premium"
    await asked(workspace, mine, "And when?")
    assert (await workspace.conversation(mine)).title == "The premium"
    for wrong in ("", " ", "x" * 201, "a\0b"):
        with pytest.raises(InvalidRequest, match="title"):
            await workspace.change_conversation(mine, title=wrong)
    await workspace.delete_conversation(mine)
    with pytest.raises(NotFound):
        await workspace.messages(mine)


def test_a_title_is_cut_at_a_word() -> None:
    title = title_from("What does the very long and winding contract say about " * 3)
    assert len(title) <= 82
    assert title.endswith(" …")
    assert "contract" in title


async def test_a_conversation_is_begun_once_for_each_key(workspace: WorkspaceEngine) -> None:
    anna = replace(workspace, principal=Principal(principal_id="anna"))
    bert = replace(workspace, principal=Principal(principal_id="bert"))
    first = await anna.create_conversation(idempotency_key="one")
    assert await anna.create_conversation(idempotency_key="one") == first
    others = [
        await anna.create_conversation(idempotency_key="two"),
        await anna.create_conversation(),
        await bert.create_conversation(idempotency_key="one"),
    ]
    ids = {each.conversation_id for each in (first, *others)}
    assert len(ids) == 4


async def test_nobody_else_sees_or_touches_a_conversation(workspace: WorkspaceEngine) -> None:
    anna, bert = workspace, replace(workspace, principal=Principal(principal_id=uuid4().hex))
    mine = await begun(anna)
    exchange = await asked(anna, mine, "Who paid the premium?")
    reply_id = exchange.reply.message_id
    assert (await bert.conversations()).conversations == ()
    for attempt in (
        lambda: bert.conversation(mine),
        lambda: bert.messages(mine),
        lambda: asked(bert, mine, "Who?"),
        lambda: bert.regenerate_answer(mine, reply_id),
        lambda: bert.edit_question(mine, exchange.question.message_id, Asking(question="Who?")),
        lambda: bert.go_on_from(mine, reply_id),
        lambda: bert.give_feedback(mine, reply_id, "up"),
        lambda: bert.delete_conversation(mine),
    ):
        with pytest.raises(NotFound):
            await attempt()


async def test_a_message_belongs_to_its_conversation_alone(workspace: WorkspaceEngine) -> None:
    one, other = await begun(workspace), await begun(workspace)
    exchange = await asked(workspace, one, "Who paid the premium?")
    with pytest.raises(NotFound):
        await workspace.regenerate_answer(other, exchange.reply.message_id)
    with pytest.raises(NotFound):
        await workspace.give_feedback(other, exchange.reply.message_id, "up")


# --- asking -----------------------------------------------------------------------------------


async def test_an_answer_is_kept_with_its_footnotes_and_its_trace(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    mine = await begun(workspace)
    exchange = await asked(workspace, mine, STORM_QUESTION)
    kept = (await workspace.messages(mine)).messages[1]
    assert kept == exchange.reply
    assert kept.answer is not None
    assert "EUR 500" in kept.text
    assert kept.answer.citations[0].document_id == papers["storm"]
    assert kept.answer.citations[0].quote in STORM
    assert kept.answer.evidence[0].stages
    assert kept.answer.asked_as == STORM_QUESTION
    assert [each.passage.chunk_id for each in exchange.evidence] == [
        each.chunk_id for each in kept.answer.evidence
    ]


async def test_a_follow_up_is_asked_so_that_it_stands_alone(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    mine = await begun(workspace)
    await asked(workspace, mine, STORM_QUESTION)
    exchange = await asked(workspace, mine, "And for fire?")
    assert exchange.question.text == "And for fire?"
    assert exchange.reply.answer is not None
    assert exchange.reply.answer.asked_as == "What is the deductible for fire?"
    assert "EUR 900" in exchange.reply.text
    again = await asked(workspace, mine, "What about storm damage?")
    assert again.reply.answer is not None
    assert again.reply.answer.asked_as == STORM_QUESTION
    assert papers["storm"] in again.reply.answer.document_ids


async def test_a_model_condenses_a_follow_up_where_there_is_one(
    workspace: WorkspaceEngine, papers: dict[str, UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = await begun(workspace)
    await asked(workspace, mine, STORM_QUESTION)
    search = workspace.engine.search_stages
    model = scripted_model(FIRE_QUESTION)
    monkeypatch.setattr(
        workspace.engine,
        "search_stages",
        replace(search, phrase=replace(search.phrase, model=model)),
    )
    exchange = await asked(
        workspace, mine, "And the other one?", changes=PlanChanges(condense=True)
    )
    assert exchange.reply.answer is not None
    assert exchange.reply.answer.asked_as == FIRE_QUESTION
    assert exchange.reply.answer.document_ids >= {papers["fire"]}


async def test_a_repeated_request_is_answered_once(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    mine = await begun(workspace)
    asking = Asking(question=STORM_QUESTION)
    several = await asyncio.gather(
        *(workspace.ask_in_conversation(mine, asking, idempotency_key="one") for _ in range(3))
    )
    assert papers
    assert len({exchange.reply.message_id for exchange in several}) == 1
    assert len((await workspace.messages(mine)).messages) == 2
    await workspace.regenerate_answer(mine, several[0].reply.message_id)
    again = await workspace.ask_in_conversation(mine, asking, idempotency_key="one")
    assert again.reply.message_id == several[0].reply.message_id
    with pytest.raises(Conflict):
        await workspace.ask_in_conversation(
            mine, Asking(question=FIRE_QUESTION), idempotency_key="one"
        )


async def test_a_wrong_question_leaves_nothing_behind(workspace: WorkspaceEngine) -> None:
    mine = await begun(workspace)
    for asking in (
        Asking(question=" "),
        Asking(question="x" * 10_001),
        Asking(question="When?", plan="slow"),
        Asking(question="When?", top_k=0),
    ):
        with pytest.raises(InvalidRequest):
            await workspace.ask_in_conversation(mine, asking)
    assert (await workspace.messages(mine)).messages == ()


async def test_a_stream_ends_once_its_answer_is_kept(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    mine = await begun(workspace)
    await asked(workspace, mine, STORM_QUESTION)
    events: list[AnswerEvent] = []
    async for event in workspace.ask_in_conversation_stream(mine, Asking(question="And for fire?")):
        if isinstance(event, AnswerDone):
            assert await said(workspace, mine) == [STORM_QUESTION, "And for fire?"]
        events.append(event)
    assert isinstance(events[0], SourcesFound)
    done = events[-1]
    assert isinstance(done, AnswerDone)
    assert done.answer.question == "And for fire?"
    assert done.answer.citations[0].document_id == papers["fire"]


async def test_a_stream_that_is_left_keeps_nothing(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    mine = await begun(workspace)
    events = workspace.ask_in_conversation_stream(mine, Asking(question=STORM_QUESTION))
    async with aclosing(events):
        assert isinstance(await anext(events), SourcesFound)
    assert papers
    assert await said(workspace, mine) == []


# --- branches ---------------------------------------------------------------------------------


async def test_editing_begins_a_branch_and_minds_what_came_before_it(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    mine = await begun(workspace)
    await asked(workspace, mine, STORM_QUESTION)
    second = await asked(workspace, mine, "Who paid?")
    await asked(workspace, mine, "Why?")
    edited = await workspace.edit_question(
        mine, second.question.message_id, Asking(question="And for fire?")
    )
    assert await said(workspace, mine) == [STORM_QUESTION, "And for fire?"]
    assert papers["fire"] in (edited.reply.answer or pytest.fail("no answer")).document_ids
    assert edited.question.parent_id == second.question.parent_id
    everything = (await workspace.messages(mine, all_branches=True)).messages
    assert [each.text for each in everything if each.role == "user"] == [
        *(STORM_QUESTION, "Who paid?", "Why?", "And for fire?")
    ]
    back = await workspace.go_on_from(mine, second.reply.message_id)
    texts = [each.text for each in back.messages if each.role == "user"]
    assert texts == [STORM_QUESTION, "Who paid?", "Why?"]


async def test_a_first_question_can_be_edited(workspace: WorkspaceEngine) -> None:
    mine = await begun(workspace)
    first = await asked(workspace, mine, "Who paid?")
    edited = await workspace.edit_question(
        mine, first.question.message_id, Asking(question="Who did not?")
    )
    assert edited.question.parent_id is None
    assert await said(workspace, mine) == ["Who did not?"]


async def test_regenerating_keeps_the_old_answer_and_passes_the_cache(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    mine = await begun(workspace)
    first = await asked(workspace, mine, STORM_QUESTION)
    again = await workspace.regenerate_answer(mine, first.reply.message_id)
    assert papers
    assert again.question == first.question
    assert again.reply.parent_id == first.reply.parent_id
    assert again.reply.answer is not None
    assert not again.reply.answer.cached
    shown = (await workspace.messages(mine)).messages
    assert [each.message_id for each in shown] == [
        first.question.message_id,
        again.reply.message_id,
    ]
    old = (await workspace.messages(mine, all_branches=True)).messages[1]
    assert (old.message_id, old.active) == (first.reply.message_id, False)


async def test_questions_are_edited_and_answers_are_regenerated(
    workspace: WorkspaceEngine,
) -> None:
    mine = await begun(workspace)
    exchange = await asked(workspace, mine, "Who paid?")
    with pytest.raises(InvalidRequest, match="is an answer"):
        await workspace.edit_question(mine, exchange.reply.message_id, Asking(question="x"))
    with pytest.raises(InvalidRequest, match="is a question"):
        await workspace.regenerate_answer(mine, exchange.question.message_id)
    with pytest.raises(InvalidRequest, match="is a question"):
        await workspace.give_feedback(mine, exchange.question.message_id, "up")


# --- documents --------------------------------------------------------------------------------


async def test_attached_documents_are_searched_first_and_then_all(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    mine = await begun(workspace)
    await workspace.attach_document(mine, papers["fire"])
    first = await asked(workspace, mine, FIRE_QUESTION)
    assert first.reply.answer is not None
    assert first.reply.answer.document_ids == {papers["fire"]}
    second = await asked(workspace, mine, "Where was the Marlin built?")
    assert second.reply.answer is not None
    assert second.reply.answer.citations[0].document_id == papers["boats"]
    await workspace.detach_document(mine, papers["fire"])
    third = await asked(workspace, mine, STORM_QUESTION)
    assert "EUR 500" in third.reply.text


async def test_attached_documents_are_searched_alone_where_that_is_wanted(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    made = await workspace.create_conversation(document_mode="only", document_ids=(papers["fire"],))
    mine = made.conversation_id
    exchange = await asked(workspace, mine, "Where was the Marlin built?")
    assert exchange.reply.answer is not None
    assert not exchange.reply.answer.found
    assert exchange.reply.answer.document_ids <= {papers["fire"]}
    only_storm = SearchFilters(document_ids=(papers["storm"],))
    with pytest.raises(InvalidRequest, match="filter"):
        await asked(workspace, mine, "How much?", filters=only_storm)
    await workspace.detach_document(mine, papers["fire"])
    with pytest.raises(InvalidRequest, match="none is attached"):
        await asked(workspace, mine, STORM_QUESTION)
    with pytest.raises(InvalidRequest, match="document_mode: it must be"):
        await workspace.change_conversation(mine, document_mode="never")  # type: ignore[arg-type]  # the point
    with pytest.raises(NotFound):
        await workspace.attach_document(mine, uuid4())


async def test_an_answer_from_attached_documents_is_streamed_as_one(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    mine = await begun(workspace)
    await workspace.attach_document(mine, papers["fire"])
    for question in ("How much is the deductible for fire?", "Where was the Marlin built?"):
        events = [
            event
            async for event in workspace.ask_in_conversation_stream(mine, Asking(question=question))
        ]
        assert [type(event) for event in events].count(SourcesFound) == 1
        done = events[-1]
        assert isinstance(done, AnswerDone)
        assert done.answer.found


async def test_erasing_a_document_looks_into_conversations(
    own: tuple[WorkspaceEngine, dict[str, UUID]],
) -> None:
    workspace, papers = own
    mine = await begun(workspace)
    await workspace.attach_document(mine, papers["storm"])
    exchange = await asked(workspace, mine, STORM_QUESTION)
    await workspace.give_feedback(mine, exchange.reply.message_id, "up")
    erasure = await workspace.erase_document(papers["storm"])
    assert erasure.complete
    checks = {check.place: check for check in erasure.checks}
    assert (checks["answers in conversations"].held, checks["message_sources"].held) == (1, 1)
    assert checks["conversation_documents"].held == 1
    for place in ("answers in conversations", "message_sources", "conversation_documents"):
        assert checks[place].left == 0
    reply = (await workspace.messages(mine)).messages[1]
    assert reply.answer is not None
    assert reply.answer.removed_markers
    found, everything = await workspace.export_conversation(mine)
    assert "EUR 500" not in as_markdown(found, everything)
    assert "[removed" in as_markdown(found, everything).replace("\\", "")
    assert [line async for line in workspace.golden_candidates()] == []
    # What was said is still there to go on from.
    assert (await asked(workspace, mine, "And for fire?")).reply.answer is not None


# --- export and feedback ----------------------------------------------------------------------


async def test_an_export_has_its_footnotes(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    mine = await begun(workspace)
    await asked(workspace, mine, STORM_QUESTION)
    other = await asked(workspace, mine, "Who won the chess championship of 1972?")
    await workspace.edit_question(mine, other.question.message_id, Asking(question=FIRE_QUESTION))
    found, everything = await workspace.export_conversation(mine)
    assert papers
    assert len(everything) == 6
    markdown = as_markdown(found, everything)
    assert markdown.startswith(f"# {STORM_QUESTION}\n")
    assert "chess" not in markdown
    for number, (question, money) in enumerate(
        ((STORM_QUESTION, "EUR 500"), (FIRE_QUESTION, "EUR 900")), 1
    ):
        assert f"> {question}" in markdown
        assert f"{money} for each event.[^{number}-1]" in markdown
        assert f"[^{number}-1]: " in markdown


def test_nothing_in_an_export_means_anything_to_a_reader_of_markdown() -> None:
    hostile = (
        "![x](http://evil) www.evil.example <img src=x> # head `code` *bold* [^1]: note\n\n| a |"
    )
    shown = escaped(hostile)
    assert "\n" not in shown
    assert re.search(r"(?<!\\)[\[\]!<#`*|]|(?<!\\)://|www\.", shown) is None


async def test_feedback_becomes_candidates_for_a_golden_set(
    workspace: WorkspaceEngine, papers: dict[str, UUID], tmp_path: Path
) -> None:
    mine = await begun(workspace)
    liked = await asked(workspace, mine, STORM_QUESTION)
    refused = await asked(workspace, mine, "Who won the chess championship of 1972?")
    disliked = await asked(workspace, mine, FIRE_QUESTION)
    await workspace.give_feedback(mine, liked.reply.message_id, "down")
    await workspace.give_feedback(mine, liked.reply.message_id, "up", " right ")
    await workspace.give_feedback(mine, refused.reply.message_id, "up")
    judged = await workspace.give_feedback(mine, disliked.reply.message_id, "down", "old")
    assert judged.feedback is not None
    lines = [line async for line in workspace.golden_candidates()]
    golden = tmp_path / "golden.jsonl"
    golden.write_text("\n".join(lines))
    questions = {each.question: each for each in read_golden(golden).questions}
    assert set(questions) == {STORM_QUESTION, "Who won the chess championship of 1972?"}
    storm = questions[STORM_QUESTION]
    assert storm.relevant[0].document == str(papers["storm"])
    assert storm.relevant[0].quote in STORM
    assert not questions["Who won the chess championship of 1972?"].answerable
    assert json.loads(lines[0])["comment"] in {"right", ""}

    all_lines = [line async for line in workspace.golden_candidates(down=True)]
    golden.write_text("\n".join(all_lines))
    with pytest.raises(InvalidRequest, match="relevant names no document"):
        read_golden(golden)
    withdrawn = await workspace.withdraw_feedback(mine, disliked.reply.message_id)
    assert withdrawn.feedback is None
    with pytest.raises(InvalidRequest, match="comment"):
        await workspace.give_feedback(mine, liked.reply.message_id, "up", "x" * 5001)


# --- answers given again ----------------------------------------------------------------------


async def answer_cached(workspace: WorkspaceEngine, question: str, **how: object) -> bool:
    return (await workspace.ask(question, **how)).cached  # type: ignore[arg-type]  # passed on


async def test_a_repeated_question_gets_its_answer_again(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    before = (await workspace.stats()).answer_cache
    first = await workspace.ask(STORM_QUESTION)
    again = await workspace.ask(f"  {STORM_QUESTION.replace(' ', '  ')} ")
    assert papers
    assert (first.cached, again.cached) == (False, True)
    assert (again.sentences, again.citations) == (first.sentences, first.citations)
    stats = (await workspace.stats()).answer_cache
    assert stats.exact_hits - before.exact_hits == 1
    assert stats.misses - before.misses == 1
    assert stats.entries - before.entries == 1
    assert 0 < stats.hit_rate < 1
    assert not await answer_cached(workspace, STORM_QUESTION.lower())
    assert not await answer_cached(workspace, STORM_QUESTION + "?")


async def test_an_answer_never_hides_a_change(
    own: tuple[WorkspaceEngine, dict[str, UUID]],
) -> None:
    workspace, papers = own
    assert "EUR 500" in (await workspace.ask(STORM_QUESTION)).text
    await publish(workspace, ("storm.md", STORM.replace("500", "700")))
    changed = await workspace.ask(STORM_QUESTION)
    assert not changed.cached
    assert "EUR 700" in changed.text
    assert await answer_cached(workspace, STORM_QUESTION)
    await workspace.delete_document(papers["storm"])
    gone = await workspace.ask(STORM_QUESTION)
    assert not gone.cached
    assert "EUR 700" not in gone.text
    assert papers["storm"] not in {each.passage.document_id for each in gone.evidence}


async def test_answers_are_shared_with_nobody_and_with_no_other_way_of_asking(
    engine: Engine, workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    await workspace.ask(STORM_QUESTION)
    assert await answer_cached(workspace, STORM_QUESTION)
    await engine.create_workspace("bolt")
    for other in (
        replace(workspace, principal=Principal(principal_id="bert")),
        await engine.workspace("bolt"),
    ):
        assert not await answer_cached(other, STORM_QUESTION)
    only_fire = SearchFilters(document_ids=(papers["fire"],))
    for how in (
        {"top_k": 3},
        {"filters": only_fire},
        {"plan": "fast"},
        {"changes": PlanChanges(fusion="rrf")},
        {"changes": PlanChanges(cache=False)},
    ):
        assert not await answer_cached(workspace, STORM_QUESTION, **how)


async def test_an_answer_given_again_is_told_like_one_that_is_made(
    workspace: WorkspaceEngine, papers: dict[str, UUID]
) -> None:
    async def told() -> list[AnswerEvent]:
        stream: AsyncIterator[AnswerEvent] = workspace.ask_stream(STORM_QUESTION)
        return [event async for event in stream]

    first, again = await told(), await told()
    assert papers
    assert [type(event) for event in first] == [type(event) for event in again]
    assert first[:-1] == again[:-1]
    done = again[-1]
    assert isinstance(done, AnswerDone)
    assert done.answer.cached
