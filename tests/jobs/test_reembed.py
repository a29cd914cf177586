"""A workspace is embedded anew while it is searched, and switched when nothing is missing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import LiteralString

import psycopg
import pytest

from footnote.domain import LaneState, ReembeddingState
from footnote.engine import Engine, WorkspaceEngine
from footnote.errors import (
    Conflict,
    DocumentInterrupted,
    InvalidRequest,
    LaneMismatch,
    LaneUnavailable,
    NotFound,
)
from footnote.jobs import reembed
from footnote.jobs.maintenance import maintain
from footnote.settings import Settings
from tests.conftest import TestDatabase
from tests.jobs.lanes import (
    NEW,
    OLD,
    current,
    found,
    listen,
    opened,
    settings_with,
    shelf_in,
    work,
)
from tests.store.shelves import Shelf

TOPICS = ("harbour dues", "storm damage", "crew wages", "fuel costs", "anchor chains")


@pytest.fixture
async def engine(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Engine]:
    monkeypatch.setattr(reembed, "BATCH_TEXTS", 2)
    async with await opened(settings_with(settings)) as engine:
        yield engine


@pytest.fixture
async def shelf(engine: Engine, workspace: WorkspaceEngine) -> Shelf:
    shelf = shelf_in(engine, workspace)
    for topic in TOPICS:
        await shelf.put(f"all about {topic}", f"more on {topic}", about=f"all about {topic}")
    return shelf


async def rows(database: TestDatabase, query: LiteralString) -> list[tuple[object, ...]]:
    async with await psycopg.AsyncConnection.connect(database.superuser_url) as connection:
        await connection.execute("SET search_path = footnote, public")
        return await (await connection.execute(query)).fetchall()


async def test_a_search_goes_on_in_the_old_lane_until_the_new_one_is_complete(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    heard = listen(engine)
    begun = await workspace.reembed(NEW)
    assert begun.state is LaneState.PENDING
    seen: list[str] = []

    async def search(_: Sequence[str]) -> None:
        response = await found(workspace, "all about storm damage")
        seen.append(response.evidence[0].passage.text)
        assert (await current(workspace)).lane.model == "old"

    heard.before = search
    heard.texts.clear()
    done = await work(engine, workspace)
    assert done.state is ReembeddingState.SWITCHED
    assert len(seen) == 5
    assert set(seen) == {"all about storm damage"}
    assert (await current(workspace)).lane.model == "new"
    assert (done.chunks_embedded, done.chunks, done.progress) == (10, 10, 1.0)
    response = await found(workspace, "all about storm damage")
    assert response.evidence[0].passage.text == "all about storm damage"
    assert not response.degraded
    assert (await workspace.stats()).lane.model == "new"


async def test_every_text_is_embedded_once_and_equal_texts_share_a_vector(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    await shelf.put("all about storm damage", "all about crew wages", "something else")
    heard = listen(engine)
    await workspace.reembed(NEW)
    heard.texts.clear()
    done = await work(engine, workspace)
    assert sorted(heard.texts) == sorted(set(heard.texts))
    assert done.texts_embedded == len(heard.texts) == 10 + 1
    assert done.texts_reused == 2 + len(TOPICS)
    assert done.chunks_embedded == 13


async def test_a_crash_costs_no_more_than_the_batch_it_happens_in(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    heard = listen(engine)
    await workspace.reembed(NEW)
    heard.texts.clear()

    def crash(_: Sequence[str]) -> None:
        if len(heard.texts) >= 6:
            raise RuntimeError("kill -9")

    heard.before = crash
    with pytest.raises(RuntimeError):
        await work(engine, workspace)
    assert len(heard.texts) == 6
    assert (await workspace.reembedding()).chunks_embedded == 6
    heard.before = lambda _: None
    done = await work(engine, workspace)
    assert done.state is ReembeddingState.SWITCHED
    assert len(heard.texts) == len(set(heard.texts)) == 10


async def test_what_is_published_meanwhile_is_in_the_new_lane_when_it_is_switched(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    heard = listen(engine)
    await workspace.reembed(NEW)
    texts = ["pilots board outside", "tugs wait upstream", "fog closes everything", "ice comes"]
    late = list(texts)

    async def publish(_: Sequence[str]) -> None:
        if late:
            text = late.pop()
            await shelf.put(text, about=text)

    heard.before = publish
    done = await work(engine, workspace)
    assert not late
    assert done.state is ReembeddingState.SWITCHED
    assert done.chunks_embedded == done.chunks == 14
    for text in texts:
        [first, *_] = (await found(workspace, text)).evidence
        assert first.passage.text == text


async def test_what_is_deleted_meanwhile_leaves_no_vector(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf, own_database: TestDatabase
) -> None:
    doomed = await shelf.put("doomed one", "doomed two", about="doomed one")
    heard = listen(engine)
    await workspace.reembed(NEW)

    async def delete(texts: Sequence[str]) -> None:
        if "doomed one" in texts:
            await shelf.remove(doomed)

    heard.before = delete
    done = await work(engine, workspace)
    assert "doomed one" in heard.texts
    assert done.state is ReembeddingState.SWITCHED
    orphans = await rows(
        own_database,
        "SELECT chunk_no FROM embeddings LEFT JOIN chunks USING (workspace_id, chunk_no)"
        " WHERE document_id IS NULL",
    )
    assert orphans == []


async def test_a_version_that_was_embedded_before_the_switch_is_embedded_again(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    listen(engine)
    await workspace.reembed(NEW)
    await work(engine, workspace)
    with pytest.raises(LaneMismatch):
        await shelf.put("embedded with the old model")
    async with workspace.scope() as scope:
        from footnote.store.lanes import require_current  # noqa: PLC0415

        with pytest.raises(DocumentInterrupted) as caught:
            await require_current(scope, 1)
        assert caught.value.retryable
        await require_current(scope, 2)


async def test_vectors_of_whole_documents_change_with_their_chunks(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf, own_database: TestDatabase
) -> None:
    listen(engine)
    await workspace.reembed(NEW)
    await work(engine, workspace)
    counted = await rows(
        own_database,
        "SELECT lane_id, count(*), min(vector_dims(embedding)) FROM document_embeddings"
        " GROUP BY lane_id ORDER BY lane_id",
    )
    assert counted == [(1, len(TOPICS), 256), (2, len(TOPICS), 192)]


# --- back and forth ---------------------------------------------------------------------------


async def test_a_rollback_is_done_at_once_where_nothing_came_since(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    heard = listen(engine)
    await workspace.reembed(NEW)
    await work(engine, workspace)
    back = await workspace.rollback_lane()
    assert back.state is LaneState.CURRENT
    assert back.lane.model == "old"
    response = await found(workspace, "all about crew wages")
    assert response.evidence[0].passage.text == "all about crew wages"
    embedded = len(heard.texts)
    again = await workspace.reembed(NEW)
    assert again.state is LaneState.CURRENT
    assert len(heard.texts) == embedded + 1  # It was asked whether it is there.
    response = await found(workspace, "all about crew wages")
    assert response.evidence[0].passage.text == "all about crew wages"


async def test_a_rollback_catches_up_with_what_came_since(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    listen(engine)
    await workspace.reembed(NEW)
    await work(engine, workspace)
    text = "published in the new lane"
    await shelf_in(engine, workspace, NEW).put(text, about=text)
    begun = await workspace.rollback_lane()
    assert begun.state is LaneState.PREVIOUS
    assert (await current(workspace)).lane.model == "new"
    done = await work(engine, workspace)
    assert done.rollback
    assert (done.texts_embedded, done.texts_reused) == (1, 1)  # A chunk, and its document.
    [first, *_] = (await found(workspace, "published in the new lane")).evidence
    assert first.passage.text == "published in the new lane"
    assert (await current(workspace)).lane.model == "old"


async def test_without_a_previous_lane_there_is_nothing_to_go_back_to(
    workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    with pytest.raises(Conflict, match="no previous lane"):
        await workspace.rollback_lane()


async def test_what_was_cancelled_goes_on_where_it_was(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    heard = listen(engine)
    await workspace.reembed(NEW)
    heard.texts.clear()

    async def cancel(_: Sequence[str]) -> None:
        if len(heard.texts) == 4:
            heard.before = lambda _: None
            await workspace.cancel_reembedding()

    heard.before = cancel
    stopped = await work(engine, workspace)
    assert stopped.state is ReembeddingState.CANCELLED
    assert stopped.chunks_embedded == 6  # The batch in hand was paid for and is kept.
    with pytest.raises(NotFound):
        await workspace.cancel_reembedding()
    assert (await current(workspace)).lane.model == "old"
    await workspace.reembed(NEW)
    done = await work(engine, workspace)
    assert done.state is ReembeddingState.SWITCHED
    once = [text for text in heard.texts if text != "Is anybody there?"]
    assert len(once) == len(set(once)) == 10


async def test_a_workspace_without_documents_changes_at_once(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    listen(engine)
    assert (await workspace.reembed(NEW)).state is LaneState.CURRENT
    await shelf_in(engine, workspace, NEW).put("the first text")
    assert (await found(workspace, "first text")).evidence


# --- refusals and failures --------------------------------------------------------------------


async def test_what_makes_no_sense_is_refused(workspace: WorkspaceEngine, shelf: Shelf) -> None:
    with pytest.raises(Conflict, match="already"):
        await workspace.reembed(OLD)
    with pytest.raises(InvalidRequest, match="not among") as caught:
        await workspace.reembed("testing:another")
    assert "FOOTNOTE_EMBEDDING_MODELS" in (caught.value.hint or "")
    with pytest.raises(NotFound, match="no lane"):
        await workspace.reembed(NEW, lane="image")
    with pytest.raises(InvalidRequest, match="texts_per_second"):
        await workspace.reembed(NEW, texts_per_second=0)
    with pytest.raises(NotFound, match="never"):
        await workspace.reembedding()
    await workspace.reembed(NEW)
    with pytest.raises(Conflict, match="already"):
        await workspace.reembed(NEW)


async def test_a_model_that_fails_for_good_ends_it_with_its_reason(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    heard = listen(engine)
    await workspace.reembed(NEW)

    def refuse(_: Sequence[str]) -> None:
        error = LaneUnavailable("the model refused the key", hint="check the key")
        error.retryable = False
        raise error

    heard.before = refuse
    failed = await work(engine, workspace)
    assert failed.state is ReembeddingState.FAILED
    assert failed.failure == "the model refused the key; check the key"
    assert (await found(workspace, "all about storm damage")).evidence
    heard.before = lambda _: None
    await workspace.reembed(NEW)
    assert (await work(engine, workspace)).state is ReembeddingState.SWITCHED


async def test_a_model_that_is_away_for_a_moment_is_left_to_the_queue(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    heard = listen(engine)
    await workspace.reembed(NEW)

    def away(_: Sequence[str]) -> None:
        raise LaneUnavailable("the model is away")

    heard.before = away
    with pytest.raises(LaneUnavailable):
        await work(engine, workspace)
    assert (await workspace.reembedding()).is_under_way


async def test_a_process_without_the_model_says_what_to_set(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf, settings: Settings
) -> None:
    async with await opened(settings_with(settings, embedding_models=OLD)) as late:
        there = await late.workspace()
        assert (await found(there, "all about storm damage")).evidence
        listen(engine)
        await workspace.reembed(NEW)
        await work(engine, workspace)
        with pytest.raises(LaneMismatch, match="testing/new/192") as caught:
            await found(there, "all about storm damage")
    assert "testing:new" in (caught.value.hint or "")
    assert "FOOTNOTE_EMBEDDING_MODELS" in (caught.value.hint or "")


async def test_a_process_that_has_the_model_notices_the_switch_by_itself(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf, settings: Settings
) -> None:
    async with await opened(settings_with(settings)) as other:
        there = await other.workspace()
        assert (await found(there, "all about storm damage")).evidence
        listen(engine)
        await workspace.reembed(NEW)
        await work(engine, workspace)
        response = await found(there, "all about storm damage")
    assert response.evidence[0].passage.text == "all about storm damage"
    assert not response.degraded


# --- pace, index and purge --------------------------------------------------------------------


async def test_a_limit_on_texts_leaves_the_rest_to_later_slices(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf, own_database: TestDatabase
) -> None:
    heard = listen(engine)
    begun = await workspace.reembed(NEW, texts_per_second=0.1)
    heard.texts.clear()
    await work(engine, workspace, slices=1)
    assert len(heard.texts) == 2
    assert (await workspace.reembedding()).is_under_way
    [(delay,)] = await rows(
        own_database,
        "SELECT extract(epoch FROM max(scheduled_at) - now()) FROM procrastinate_jobs"
        " WHERE task_name = 'reembed_lane'",
    )
    assert 10 < float(str(delay)) < 21
    assert begun.reembedding is not None
    assert begun.reembedding.texts_per_second == pytest.approx(0.1)


async def test_a_slice_ends_so_that_documents_have_their_turn(
    engine: Engine,
    workspace: WorkspaceEngine,
    shelf: Shelf,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reembed, "SLICE_SECONDS", 0.0)
    heard = listen(engine)
    await workspace.reembed(NEW)
    heard.texts.clear()
    await work(engine, workspace, slices=1)
    assert len(heard.texts) == 2
    assert (await work(engine, workspace)).state is ReembeddingState.SWITCHED


async def test_a_large_workspace_has_its_index_when_it_is_switched_and_when_it_goes_back(
    settings: Settings, own_database: TestDatabase
) -> None:
    large = settings_with(settings, hnsw_threshold_chunks=100)
    async with await opened(large) as engine:
        workspace = await engine.workspace()
        shelf = shelf_in(engine, workspace)
        # Unlike one another, as real texts are: an HNSW graph of equal distances falls apart.
        texts = [" ".join(hex(number * 7919 + k)[2:] for k in range(5)) for number in range(120)]
        await shelf.put(*texts)
        await maintain(engine, workspace.workspace.workspace_id)
        listen(engine)
        for target, lane_id in ((NEW, 2), (OLD, 1)):
            if target == NEW:
                await workspace.reembed(NEW)
                await work(engine, workspace)
            else:
                await workspace.rollback_lane()
            assert await rows(own_database, "SELECT hnsw_lane FROM index_states") == [(lane_id,)]
            response = await found(workspace, texts[77])
            assert response.evidence[0].similarity == pytest.approx(1, abs=0.01)
        await workspace.purge_lanes(at_once=True)
        await maintain(engine, workspace.workspace.workspace_id)
        names = await rows(
            own_database, "SELECT right(relname, 2) FROM pg_class WHERE relname LIKE 'hnsw%'"
        )
    assert names == [("_1",)]


async def test_a_purge_removes_vectors_and_its_number_is_never_given_again(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf, own_database: TestDatabase
) -> None:
    listen(engine)
    await workspace.reembed(NEW)
    await work(engine, workspace)
    kept = await workspace.purge_lanes()
    assert [each.state for each in kept] == [LaneState.PREVIOUS, LaneState.CURRENT]
    left = await workspace.purge_lanes(at_once=True)
    assert [each.lane.model for each in left] == ["new"]
    left_over = await rows(
        own_database,
        "SELECT lane_id FROM embeddings UNION SELECT lane_id FROM document_embeddings"
        " UNION SELECT lane_id FROM staged_embeddings",
    )
    assert left_over == [(2,)]
    with pytest.raises(Conflict, match="no previous"):
        await workspace.rollback_lane()
    assert (await found(workspace, "all about storm damage")).evidence
    again = await workspace.reembed(OLD)
    assert again.lane_id == 3


async def test_lanes_that_are_being_filled_are_not_purged(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    listen(engine)
    await workspace.reembed(NEW)
    left = await workspace.purge_lanes(at_once=True)
    assert [each.state for each in left] == [LaneState.CURRENT, LaneState.PENDING]
    await workspace.cancel_reembedding()
    left = await workspace.purge_lanes(at_once=True)
    assert [each.state for each in left] == [LaneState.CURRENT]


async def test_two_commands_at_once_begin_one_change(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    listen(engine)
    outcomes = await asyncio.gather(
        *(workspace.reembed(NEW) for _ in range(4)), return_exceptions=True
    )
    refused = [each for each in outcomes if isinstance(each, Conflict)]
    assert len(refused) == 3
    assert len(await workspace.lanes()) == 2


async def test_lanes_of_another_workspace_are_another_matter(
    engine: Engine, workspace: WorkspaceEngine, shelf: Shelf
) -> None:
    await engine.create_workspace("annex")
    annex = await engine.workspace("annex")
    await shelf_in(engine, annex).put("a text of the annex")
    listen(engine)
    await workspace.reembed(NEW)
    await work(engine, workspace)
    assert (await current(annex)).lane.model == "old"
    assert (await found(annex, "a text of the annex")).evidence
    assert (await found(workspace, "all about storm damage")).evidence
