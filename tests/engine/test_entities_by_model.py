"""A language model reads documents for names, too: part by part, paid once, and never believed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from footnote.domain.backfill import BackgroundWork
from footnote.domain.entities import EntityKind, EntityProgress
from footnote.engine import WorkspaceEngine
from footnote.jobs.extracting import extract_entity_slice
from footnote.settings import Settings
from tests.engine.model_readings import in_slices, put_unread, read_by_a_model
from tests.wire import WireServer, fails, says

NOTE = "# Staff\n\nthe quillfen board met on 3 June 2024 and wrote to desk@quillfen.example.\n"


def named(name: str = "quillfen board", kind: str = "organisation") -> str:
    return json.dumps([{"passage": 1, "kind": kind, "name": name}])


@pytest.fixture
async def workspace(
    own_settings: Settings, wire_server: WireServer
) -> AsyncIterator[WorkspaceEngine]:
    async with read_by_a_model(own_settings, wire_server, entities="model") as opened:
        yield opened


async def put(workspace: WorkspaceEngine, text: str = NOTE, name: str = "note.md") -> UUID:
    return await put_unread(workspace, "entities", text, name)


async def extracted(workspace: WorkspaceEngine, slices: int = 2) -> EntityProgress:
    await in_slices(workspace, extract_entity_slice, slices)
    return await workspace.entity_progress()


async def kinds(workspace: WorkspaceEngine) -> dict[str, EntityKind]:
    page = await workspace.entities(limit=200)
    return {each.name: each.kind for each in page.entities}


async def test_what_the_model_names_stands_beside_what_has_a_form(
    workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    document_id = await put(workspace)
    before = await workspace.entity_progress()
    assert before.model is not None
    assert before.model.remaining_input_tokens > 0
    assert wire_server.asked == []
    wire_server.script(says(named()))
    progress = await extracted(workspace)
    found = await kinds(workspace)
    assert found["quillfen board"] is EntityKind.ORGANISATION
    assert found["3 June 2024"] is EntityKind.DATE
    assert found["desk@quillfen.example"] is EntityKind.EMAIL
    [mention] = (
        await workspace.entity_mentions(await workspace.entity_called("quillfen board"))
    ).mentions
    text = await workspace.text(document_id, most_characters=10_000)
    assert text is not None
    assert text.text[mention.char_start : mention.char_end] == "quillfen board"
    assert progress.model is not None
    assert (progress.done, progress.failed, progress.model.remaining_input_tokens) == (1, 0, 0)
    assert (progress.model.input_tokens, progress.model.output_tokens) == (100, 20)
    assert progress.model.cost_usd == pytest.approx(0.0014)
    # Nothing is read twice.
    await extracted(workspace)
    assert len(wire_server.asked) == 1


async def test_what_the_model_makes_up_is_left_out_and_counted(
    workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    await put(workspace)
    wire_server.script(says(named("Zenith Holding")))
    progress = await extracted(workspace)
    assert "Zenith Holding" not in await kinds(workspace)
    assert progress.model is not None
    assert progress.model.left_out == 1


async def test_a_failing_model_leaves_what_is_there_and_is_asked_again_three_times(
    workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    await put(workspace)
    wire_server.script(*(fails(401, retry_after=None) for _ in range(9)))
    progress = await extracted(workspace, slices=5)
    assert (progress.done, progress.failed) == (0, 1)
    assert "parts could not be read by the model" in progress.failures[0].reason
    assert "desk@quillfen.example" in await kinds(workspace)


async def test_it_is_a_kind_of_its_own_to_pause_and_to_count(
    workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    kind = BackgroundWork.ENTITIES_BY_MODEL
    await put(workspace)
    await workspace.pause_backfill((kind,))
    await extracted(workspace)
    assert wire_server.asked == []
    counted = {each.kind: each for each in (await workspace.backfill()).kinds}
    assert (counted[BackgroundWork.ENTITIES].done, counted[kind].done) == (1, 0)
    assert (counted[kind].waiting, counted[kind].paused) == (1, True)
    assert counted[kind].model is not None
    await workspace.resume_backfill((kind,))
    wire_server.script(says(named()))
    await extracted(workspace)
    counted = {each.kind: each for each in (await workspace.backfill()).kinds}
    assert (counted[kind].done, counted[kind].waiting) == (1, 0)


async def test_switched_off_its_names_go_and_nothing_is_asked(
    workspace: WorkspaceEngine, wire_server: WireServer
) -> None:
    await put(workspace)
    wire_server.script(says(named()))
    await extracted(workspace)
    assert "quillfen board" in await kinds(workspace)
    await workspace.change_setting("entities", "rules")
    progress = await extracted(workspace)
    assert "quillfen board" not in await kinds(workspace)
    assert len(wire_server.asked) == 1
    assert progress.model is not None
    assert not progress.model.enabled
    assert progress.model.remaining_input_tokens > 0
