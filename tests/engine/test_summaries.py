"""Summaries are in the words of documents that may be seen, and go with these."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from footnote.domain import Principal, Role, Visibility
from footnote.domain.summaries import Summary
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import InvalidRequest, NotFound
from footnote.jobs.inline import work_until_resting
from footnote.jobs.summaries import summarise_slice
from footnote.store.lanes import current_lane
from tests.store.cluster_factories import keep_one_cluster

EXAMPLES = Path(__file__).parents[2] / "examples" / "documents"
READ = [path for path in sorted(EXAMPLES.iterdir()) if path.suffix != ".png"][:4]
"""What is told of it does not depend on how letters are read from pictures."""
BERTHS = """# Harbour fees

The harbour raises the fees for all berths in March. Ferries pay half of the fee for a berth.
A ship that leaves its berth late pays the fee of another day. The harbour master keeps the list of
berths and fees. Fees for berths are due before a ship leaves the harbour.
"""
CHESS = """# Chess club

The chess club meets on Tuesdays in the library. Members of the club play two games each evening.
Chess clocks and boards belong to the club and stay in the library. New members of the chess club
learn the openings first.
"""
TRAINS = """# Trains

Trains to the coast leave every hour from the main station. A ticket for the train is valid on all
trains of that day. The train of six in the morning carries bicycles without another ticket.
"""


SETTINGS = {"summaries": "rules"}


@pytest.fixture
def engine(encrypted_engine: Engine) -> Engine:
    return encrypted_engine


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    return await engine.workspace((await engine.create_workspace("told")).name)


async def put(workspace: WorkspaceEngine, text: str, name: str, **more: object) -> UUID:
    """Ingest a text and have all that is there summarised."""
    received = await workspace.receive(text.encode(), name, **more)  # type: ignore[arg-type]
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    await summarise_slice(workspace.engine, workspace.workspace_id)
    return document_id


async def assert_quoted(workspace: WorkspaceEngine, summary: Summary) -> None:
    """Each sentence stands where it is said to."""
    for each in summary.sentences:
        text = await workspace.text(each.document_id, most_characters=1_000_000)
        assert text is not None
        assert text.text[each.char_start : each.char_end] == each.text
        assert each.chunk_id is not None
        context = await workspace.context(each.chunk_id, window=0)
        assert context.chunk.char_start <= each.char_start < context.chunk.char_end


def acting(workspace: WorkspaceEngine, name: str, role: Role | None) -> WorkspaceEngine:
    return replace(workspace, principal=Principal(principal_id=name, role=role))


async def test_a_document_is_summarised_in_its_own_sentences(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await put(workspace, BERTHS, "berths.md")
    summary = await workspace.summary(document_id=document_id, sentences=3)
    assert len(summary.sentences) == 3
    assert summary.documents == 1
    await assert_quoted(workspace, summary)
    starts = [each.char_start for each in summary.sentences]
    assert starts == sorted(starts)
    assert {each.document_title for each in summary.sentences} == {"Harbour fees"}


async def test_a_collection_is_summarised_from_all_its_documents(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    ids = {
        await put(workspace, text, f"{name}.md", collection="town")
        for name, text in (("a", BERTHS), ("b", CHESS), ("c", TRAINS))
    }
    other = await put(workspace, "The river is closed for ships in winter.", "d.md")
    summary = await workspace.summary(collection="town", sentences=6)
    assert {each.document_id for each in summary.sentences} == ids
    assert summary.documents == 3
    assert other not in ids
    await assert_quoted(workspace, summary)
    with pytest.raises(NotFound, match="collection 'nowhere'"):
        await workspace.summary(collection="nowhere")


async def test_a_summary_says_nothing_of_hidden_documents(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    for name, text in (("a", BERTHS), ("b", CHESS), ("c", TRAINS)):
        await put(workspace, text, f"{name}.md", collection="town")
    secret = await put(workspace, "The club was sold for nine barrels of herring.", "s.md")
    async with workspace.system_scope() as scope:
        lane = await current_lane(scope, engine.lane.name)
        assert lane is not None
        cluster_id = await keep_one_cluster(scope, lane[0], "town")
    whole = await workspace.summary(cluster_id=cluster_id, sentences=8)
    assert secret in {each.document_id for each in whole.sentences}
    await workspace.set_document_access(secret, Visibility.PRIVATE, shared_with=["ann"])
    bob = acting(workspace, "bob", Role.WRITER)
    seen = await bob.summary(cluster_id=cluster_id, sentences=8)
    assert seen.documents == 3
    assert "herring" not in str(seen)
    await assert_quoted(bob, seen)
    with pytest.raises(NotFound):
        await bob.summary(document_id=secret)
    assert (await bob.summary_progress()).documents == 3
    for each in whole.sentences:
        await workspace.set_document_access(
            each.document_id, Visibility.PRIVATE, shared_with=["ann"]
        )
    with pytest.raises(NotFound) as hidden:
        await bob.summary(cluster_id=cluster_id)
    with pytest.raises(NotFound) as absent:
        await bob.summary(cluster_id=(absent_id := uuid4()))
    assert str(hidden.value).replace(str(cluster_id), "") == str(absent.value).replace(
        str(absent_id), ""
    )
    with pytest.raises(NotFound) as hidden:
        await bob.summary(collection="town")
    with pytest.raises(NotFound) as absent:
        await bob.summary(collection="gone")
    assert str(hidden.value).replace("town", "") == str(absent.value).replace("gone", "")


async def test_a_summary_follows_versions_and_goes_with_its_document(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await put(workspace, BERTHS, "a.md", external_id="a")
    await workspace.receive(CHESS.encode(), "a.md", external_id="a")
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    # What the version before says is shown no more, whether the new one was read yet or not.
    shown = await workspace.summary(document_id=document_id)
    assert "berth" not in str(shown)
    await summarise_slice(workspace.engine, workspace.workspace_id)
    summary = await workspace.summary(document_id=document_id)
    assert {each.version for each in summary.sentences} == {2}
    await assert_quoted(workspace, summary)
    await workspace.delete_document(document_id)
    async with workspace.system_scope() as scope:
        for table in ("summary_sets", "summary_sentences"):
            assert await scope.all(f"SELECT FROM {table}") == []


async def test_nothing_is_summarised_where_it_is_switched_off_and_all_when_it_is_on(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await workspace.change_setting("summaries", "off")
    document_id = await put(workspace, BERTHS, "a.md")
    assert (await workspace.summary(document_id=document_id)).sentences == ()
    progress = await workspace.summary_progress()
    assert (progress.enabled, progress.documents, progress.done) == (False, 1, 0)
    await workspace.change_setting("summaries", "rules")
    assert (await workspace.summary_progress()).running
    await summarise_slice(workspace.engine, workspace.workspace_id)
    progress = await workspace.summary_progress()
    assert (progress.done, progress.failed, progress.failures) == (1, 0, ())


async def test_a_workspace_knows_nothing_of_the_summaries_of_another(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await put(workspace, BERTHS, "a.md", collection="town")
    other = await engine.workspace((await engine.create_workspace("other")).name)
    await put(other, CHESS, "b.md", collection="town")
    assert "harbour" not in str(await other.summary(collection="town"))
    with pytest.raises(NotFound):
        await other.summary(document_id=document_id)


async def test_a_summary_is_of_one_thing(engine: Engine, workspace: WorkspaceEngine) -> None:
    with pytest.raises(InvalidRequest):
        await workspace.summary()
    with pytest.raises(InvalidRequest):
        await workspace.summary(document_id=uuid4(), collection="town")
    with pytest.raises(NotFound):
        await workspace.summary(document_id=uuid4())


async def test_a_document_without_sentences_has_an_empty_summary(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    document_id = await put(workspace, "| a | b |\n|---|---|\n| 1 | 2 |\n", "table.md")
    assert (await workspace.summary(document_id=document_id)).sentences == ()
    assert (await workspace.summary_progress()).done == 1


async def test_every_sentence_of_the_examples_stands_where_it_is_said_to(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    ids = []
    for path in READ:
        received = await workspace.receive_file(path)
        ids.append(received.document.document_id)
    await work_until_resting(workspace.engine, workspace, ids, lambda _: None)
    while (progress := await workspace.summary_progress()).done < progress.documents:
        assert progress.failed == 0
        await summarise_slice(workspace.engine, workspace.workspace_id)
    told = 0
    for document_id in ids:
        summary = await workspace.summary(document_id=document_id, sentences=20)
        await assert_quoted(workspace, summary)
        told += len(summary.sentences)
    assert told > len(ids)
