"""The map by way of the engine: what narrows it, what it hides, how it is made and kept."""

from __future__ import annotations

import asyncio
from uuid import UUID

import numpy as np
import pytest

from footnote.domain import (
    DocumentClass,
    DocumentMap,
    DocumentStatus,
    MapPoint,
    Principal,
    Progress,
    Role,
    Visibility,
)
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.map_layouts import Layout, LayoutKey, MapLayouts
from footnote.errors import InvalidRequest
from footnote.filters import condition_from
from footnote.jobs.inline import work_until_resting
from footnote.knowledge.layout import STEPS
from footnote.settings import Settings
from tests.knowledge.groups import grouped

BERTHS = ("berth fees", "the berth of the ferry", "late fees of a berth", "a berth for the night")
GAMES = ("the queen's gambit", "chess openings", "the end of a chess game", "chess for children")


async def filled(workspace: WorkspaceEngine, *, secret: bool = False) -> dict[str, UUID]:
    """Two collections of documents, and one that its owner alone may see; ids by title."""
    ids = {}
    texts = [("harbour", each) for each in BERTHS] + [("games", each) for each in GAMES]
    if secret:
        texts.append(("harbour", "a secret berth"))
    for collection, title in texts:
        received = await workspace.receive(
            f"# {title}\n\nAll about {title}, and what it costs.\n".encode(),
            f"{title}.md",
            collection=collection,
            visibility=Visibility.PRIVATE if "secret" in title else None,
        )
        ids[title] = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [*ids.values()], lambda _: None)
    return ids


def places(found: DocumentMap) -> dict[UUID, tuple[float, float]]:
    return {each.document_id: (each.x, each.y) for each in found.points}


async def test_every_document_has_a_place_and_areas_have_labels(
    workspace: WorkspaceEngine,
) -> None:
    ids = await filled(workspace)
    found = await workspace.document_map()
    assert {each.document_id for each in found.points} == set(ids.values())
    assert (found.total, found.unplaced, found.left_out, found.progress) == (8, 0, 0, None)
    assert all(abs(each.x) <= 1 and abs(each.y) <= 1 for each in found.points)
    assert {each.area for each in found.points} == {each.area for each in found.areas}
    assert sum(each.documents for each in found.areas) == 8
    first = next(each for each in found.points if each.document_id == ids["berth fees"])
    assert isinstance(first, MapPoint)
    assert (first.title, first.collection, first.status) == (
        "berth fees",
        "harbour",
        DocumentStatus.INDEXED,
    )
    assert await workspace.document_map() == found


async def test_what_narrows_the_map_moves_nothing_on_it(workspace: WorkspaceEngine) -> None:
    ids = await filled(workspace)
    await workspace.change_document(ids["berth fees"], tags=["dues"])
    everything = places(await workspace.document_map())
    for expected, narrowed in (
        (4, await workspace.document_map(collection="games")),
        (1, await workspace.document_map(tag="dues")),
        (2, await workspace.document_map(query="fees")),
        (8, await workspace.document_map(document_class=DocumentClass.GENERIC)),
        (0, await workspace.document_map(status=DocumentStatus.FAILED)),
        (2, await workspace.document_map(where=condition_from({"title": {"contains": "fees"}}))),
    ):
        assert len(narrowed.points) == narrowed.total == expected
        assert places(narrowed).items() <= everything.items()
        assert sum(each.documents for each in narrowed.areas) == expected


async def test_what_is_hidden_leaves_no_trace_on_the_map_of_others(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    ids = await filled(workspace)
    ann = await engine.workspace(principal=Principal(principal_id="ann", role=Role.READER))
    before = await ann.document_map()
    hidden = (
        await workspace.receive(
            b"# A secret berth\n\nOf a berth that nobody may know.\n",
            "secret.md",
            visibility=Visibility.PRIVATE,
        )
    ).document.document_id
    await work_until_resting(engine, workspace, [hidden], lambda _: None)
    assert await ann.document_map() == before
    own = await workspace.document_map()
    assert {each.document_id for each in own.points} == {*ids.values(), hidden}
    assert own.total == 9


async def test_maps_of_two_workspaces_have_nothing_in_common(engine: Engine) -> None:
    for name in ("one", "two"):
        await engine.create_workspace(name)
    one, two = [await engine.workspace(name) for name in ("one", "two")]
    await filled(one)
    assert (await two.document_map()).total == 0
    await filled(two)
    found = [places(await each.document_map()) for each in (one, two)]
    assert not found[0].keys() & found[1].keys()


async def test_an_empty_workspace_has_an_empty_map(engine: Engine) -> None:
    await engine.create_workspace("nothing")
    found = await (await engine.workspace("nothing")).document_map()
    assert found == DocumentMap(points=(), areas=(), total=0, unplaced=0, left_out=0)


async def test_what_is_not_indexed_has_no_place_and_is_counted(
    workspace: WorkspaceEngine,
) -> None:
    await filled(workspace)
    await workspace.receive(b"# Waiting\n\nNobody has taken it yet.\n", "waiting.md")
    found = await workspace.document_map()
    assert (len(found.points), found.total, found.unplaced) == (8, 9, 1)


async def test_a_map_of_an_encrypted_workspace_has_its_titles(own_settings: Settings) -> None:
    settings = own_settings.model_copy(update={"encryption": "on"})
    async with await open_engine(settings) as engine:
        await engine.create_workspace("sealed")
        workspace = await engine.workspace("sealed")
        ids = await filled(workspace)
        found = await workspace.document_map(query="chess")
        assert {each.title for each in found.points} == {each for each in ids if "chess" in each}


@pytest.mark.parametrize("seconds", [-1, 61])
async def test_a_wait_beyond_a_minute_is_refused(
    workspace: WorkspaceEngine, seconds: float
) -> None:
    with pytest.raises(InvalidRequest):
        await workspace.document_map(wait_seconds=seconds)


KEY = LayoutKey.of(UUID(int=1), 1, np.arange(300, dtype=np.int32))


async def test_a_layout_that_takes_longer_tells_how_far_it_is_and_is_there_later() -> None:
    layouts = MapLayouts()
    assert layouts.wants_vectors(KEY)
    layouts.begin(KEY, grouped(10, 30))
    assert not layouts.wants_vectors(KEY)
    under_way = await layouts.wait(KEY, 0)
    assert isinstance(under_way, Progress)
    assert under_way.total == STEPS
    made = await layouts.wait(KEY, 60)
    assert isinstance(made, Layout)
    assert made.places.shape == (300, 2)
    assert await layouts.wait(KEY, 0) is made


async def test_who_gives_up_waiting_stops_nothing() -> None:
    layouts = MapLayouts()
    layouts.begin(KEY, grouped(10, 30))
    waiting = asyncio.create_task(layouts.wait(KEY, 60))
    await asyncio.sleep(0)
    waiting.cancel()
    assert isinstance(await layouts.wait(KEY, 60), Layout)


async def test_only_so_many_layouts_are_begun_at_once_and_others_come_later() -> None:
    layouts = MapLayouts()
    keys = [LayoutKey.of(UUID(int=n), 1, np.arange(20, dtype=np.int32)) for n in range(9)]
    begun = []
    for key in keys:
        if layouts.wants_vectors(key):
            layouts.begin(key, grouped(2, 10))
            begun.append(key)
    assert 0 < len(begun) < len(keys)
    assert await layouts.wait(keys[-1], 60) == Progress(done=0, total=STEPS)
    for key in begun:
        assert isinstance(await layouts.wait(key, 60), Layout)
    assert layouts.wants_vectors(keys[-1])


async def test_memory_is_bounded_and_what_was_used_least_goes_first() -> None:
    layouts = MapLayouts(capacity_bytes=1500)
    keys = [LayoutKey.of(UUID(int=1), 1, np.arange(n, n + 30, dtype=np.int32)) for n in range(3)]
    for key in keys:
        layouts.begin(key, grouped(3, 10))
        await layouts.wait(key, 60)
        await layouts.wait(keys[0], 0)
    assert not layouts.wants_vectors(keys[0])
    assert layouts.wants_vectors(keys[1])
    assert not layouts.wants_vectors(keys[2])


async def test_a_forgotten_workspace_leaves_no_layout_and_none_is_finished() -> None:
    layouts = MapLayouts()
    other = LayoutKey.of(UUID(int=2), 1, np.arange(20, dtype=np.int32))
    for key in (KEY, other):
        layouts.begin(key, grouped(10, 30) if key is KEY else grouped(2, 10))
    assert layouts.forget(UUID(int=1)) == 1
    assert isinstance(await layouts.wait(other, 60), Layout)
    assert layouts.forget(UUID(int=2)) == 1
    assert layouts.wants_vectors(KEY)
    assert layouts.wants_vectors(other)
    layouts.begin(KEY, grouped(10, 30))
    await layouts.close()
    assert layouts.wants_vectors(KEY)
