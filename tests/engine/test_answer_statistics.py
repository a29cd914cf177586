"""What is cited and what is not answered is counted from conversations, with their rights."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from footnote.domain import Principal, Role, Visibility
from footnote.engine import WorkspaceEngine, open_engine
from footnote.errors import Forbidden, InvalidRequest
from footnote.evaluation.golden import read_golden
from footnote.settings import settings_from
from footnote.store.embedded import EmbeddedPostgres
from tests.conftest import fresh_database, settings_over
from tests.engine.test_conversations import (
    BOATS,
    FIRE,
    FIRE_QUESTION,
    STORM,
    STORM_QUESTION,
    asked,
    begun,
    publish,
)

UNKNOWN = "Who painted the lighthouse of Brest?"
AGAIN = "who painted the lighthouses of Brest"


@pytest.fixture(scope="module", params=["off", "on"], ids=["plain", "encrypted"])
async def papers(
    postgres: EmbeddedPostgres,
    model_home: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> AsyncIterator[tuple[WorkspaceEngine, dict[str, UUID]]]:
    """A workspace in which three papers lie, and two people have asked."""
    with fresh_database(postgres) as database:
        settings = settings_over(database, tmp_path_factory.mktemp("cited"), model_home)
        given = {"encryption": request.param}
        async with await open_engine(settings_from(settings, given)) as engine:
            made = await engine.workspace((await engine.create_workspace("cited")).name)
            ids = await publish(made, ("storm.md", STORM), ("fire.md", FIRE), BOATS)
            for name, questions in (
                ("ann", (STORM_QUESTION, FIRE_QUESTION, UNKNOWN)),
                ("ben", (STORM_QUESTION, UNKNOWN, AGAIN)),
            ):
                person = acting(made, name)
                for question in questions:
                    await asked(person, await begun(person), question)
            yield made, dict(zip(("storm", "fire", "boats"), ids, strict=True))


@pytest.fixture
def workspace(papers: tuple[WorkspaceEngine, dict[str, UUID]]) -> WorkspaceEngine:
    return papers[0]


def acting(
    workspace: WorkspaceEngine, name: str, role: Role | None = Role.READER, **roles: Role
) -> WorkspaceEngine:
    principal = Principal(principal_id=name, role=role, collections=tuple(roles.items()))
    return replace(workspace, principal=principal)


async def test_documents_are_counted_by_the_answers_that_cite_them(
    papers: tuple[WorkspaceEngine, dict[str, UUID]],
) -> None:
    workspace, ids = papers
    today = datetime.now(UTC).date()
    report = await workspace.citations()
    counted = {each.document_id: (each.answers, each.citations) for each in report.most_cited}
    assert counted[ids["storm"]][0] == 2
    assert counted[ids["fire"]][0] == 1
    assert all(citations >= answers for answers, citations in counted.values())
    assert [each.citations for each in report.most_cited] == sorted(
        (each.citations for each in report.most_cited), reverse=True
    )
    [never] = report.never_cited
    assert (never.document_id, never.filename, never.citations) == (ids["boats"], "boats.md", 0)
    assert (report.documents, report.never_cited_count) == (3, 1)
    assert all(each.last_cited_at for each in report.most_cited)
    assert report.until in {today, datetime.now(UTC).date()}


async def test_of_another_time_or_collection_nothing_is_counted(
    workspace: WorkspaceEngine,
) -> None:
    day = datetime.now(UTC).date() - timedelta(days=10)
    before = await workspace.citations(since=day, until=day)
    # What was not there yet is not "never cited" either.
    assert (before.most_cited, before.never_cited, before.documents) == ((), (), 0)
    elsewhere = await workspace.citations(collection="nowhere")
    assert (elsewhere.most_cited, elsewhere.never_cited, elsewhere.documents) == ((), (), 0)
    with pytest.raises(InvalidRequest):
        await workspace.citations(since=day, until=day - timedelta(days=1))
    with pytest.raises(InvalidRequest):
        await workspace.citations(limit=0)


@pytest.mark.parametrize("until", [date.min, date(1, 1, 29), date.max])
async def test_the_first_and_the_last_days_of_all_may_be_asked_for(
    workspace: WorkspaceEngine, until: date
) -> None:
    cited = await workspace.citations(until=until)
    unanswered = await workspace.unanswered_questions(until=until)
    first = date.min if until.year == 1 else until - timedelta(days=29)
    for report in (cited, unanswered):
        assert (report.since, report.until) == (first, until)
    assert unanswered.asked == 0
    assert UNKNOWN not in await workspace.export_unanswered("csv", until=until)
    assert await workspace.usage(until=until) == ()
    assert await workspace.usage_by_person(until=until) == ()


async def test_all_days_together_have_what_was_counted(workspace: WorkspaceEngine) -> None:
    whole = await workspace.unanswered_questions(since=date.min, until=date.max)
    assert whole.asked == (await workspace.unanswered_questions()).asked > 0


async def test_only_administrators_are_told_and_of_their_collections_alone(
    workspace: WorkspaceEngine,
) -> None:
    of_default = acting(workspace, "eve", None, default=Role.ADMIN, other=Role.READER)
    assert (await of_default.citations()).documents == 3
    with pytest.raises(Forbidden):
        await of_default.citations(collection="other")
    assert (await acting(workspace, "eve", None, other=Role.ADMIN).citations()).documents == 0
    for nobody in (acting(workspace, "eve"), of_default):
        with pytest.raises(Forbidden):
            await nobody.unanswered_questions()
        with pytest.raises(Forbidden):
            await nobody.export_unanswered("csv")
    with pytest.raises(Forbidden):
        await acting(workspace, "eve").citations()


async def test_documents_that_the_administrator_may_not_see_are_not_named(
    papers: tuple[WorkspaceEngine, dict[str, UUID]],
) -> None:
    workspace, ids = papers
    await workspace.set_document_access(ids["storm"], Visibility.PRIVATE)
    other = acting(workspace, "eve", Role.ADMIN)
    try:
        report = await other.citations()
        assert ids["storm"] not in {each.document_id for each in report.most_cited}
        assert report.documents == 2
        found = await other.unanswered_questions()
        near = {each.document_id for question in found.questions for each in question.nearest}
        assert ids["storm"] not in near
    finally:
        await workspace.set_document_access(ids["storm"], Visibility.WORKSPACE)


async def test_questions_of_the_same_words_are_one_without_who_asked(
    workspace: WorkspaceEngine,
) -> None:
    report = await workspace.unanswered_questions()
    [found] = report.questions
    assert (found.question, found.wordings) == (AGAIN, (UNKNOWN,))
    assert (found.asked, found.people, report.asked, report.complete) == (3, 2, 3, True)
    assert found.first_asked_at < found.last_asked_at
    assert sum(each.questions for each in report.days) == 3
    assert 0 <= found.confidence <= 1
    assert all(each.filename.endswith(".md") for each in found.nearest)
    assert "ann" not in repr(report)


async def test_they_are_written_as_lines_of_a_golden_set_to_be_completed(
    workspace: WorkspaceEngine, tmp_path: Path
) -> None:
    lines = await workspace.export_unanswered("golden")
    [line] = [json.loads(each) for each in lines.splitlines()]
    assert (line["question"], line["asked"]) == (AGAIN, 3)
    path = tmp_path / "golden.jsonl"
    path.write_text(lines)
    with pytest.raises(InvalidRequest, match="names no document"):
        read_golden(path)
    path.write_text(json.dumps({**line, "answerable": False}))
    assert read_golden(path).questions[0].question == AGAIN
    [names, row] = list(csv.reader(io.StringIO(await workspace.export_unanswered("csv"))))
    assert names[:3] == ["question", "asked", "people"]
    assert row[:3] == [AGAIN, "3", "2"]


async def test_what_is_deleted_with_its_conversation_or_person_is_counted_no_more(
    workspace: WorkspaceEngine,
) -> None:
    question = f"What did {uuid4().hex} say?"
    cleo, dan = acting(workspace, "cleo"), acting(workspace, "dan")
    conversation = await begun(cleo)
    await asked(cleo, conversation, question)
    await asked(dan, await begun(dan), question)

    async def counted() -> int:
        report = await workspace.unanswered_questions()
        return sum(each.asked for each in report.questions if each.question == question)

    assert await counted() == 2
    await cleo.delete_conversation(conversation)
    assert await counted() == 1
    await workspace.erase_principal("dan")
    assert await counted() == 0
