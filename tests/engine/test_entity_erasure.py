"""Of what was decided about entities, nothing of an erased document is left."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

from footnote.domain.erasure import Erasure
from footnote.engine import Engine, WorkspaceEngine
from footnote.store.entity_decisions import content_of
from tests.engine.test_entities import called, put

ROOFS = "Peter Marsh mends roofs."
CHOIR = "Peter Marsh sings in the choir."
TENANT = "Maria Keller moved in."
SETTINGS = {"entities": "rules"}


@pytest.fixture(params=[False, True], ids=["plain", "encrypted"])
def engine(request: pytest.FixtureRequest) -> Engine:
    engine: Engine = request.getfixturevalue("encrypted_engine" if request.param else "engine")
    return engine


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    workspace = await engine.workspace((await engine.create_workspace("decided")).name)
    await workspace.change_setting("entities", "rules")
    return workspace


async def contents(workspace: WorkspaceEngine) -> str:
    """All that decisions, assignments and given names say, decisions without encryption."""
    async with workspace.system_scope() as scope:
        decisions, assignments, names = [
            await scope.all(f"SELECT * FROM {table} WHERE workspace_id = %(workspace_id)s")
            for table in ("entity_decisions", "entity_assignments", "entity_names")
        ]
        rows = [*(content_of(scope, row) for row in decisions), *assignments, *names]
    return json.dumps(rows, default=str)


def counted(erasure: Erasure, place: str) -> tuple[int, int]:
    [check] = [each for each in erasure.checks if each.place == place]
    return check.held, check.left


async def assert_certified(workspace: WorkspaceEngine, erasure: Erasure) -> None:
    assert erasure.complete, [each for each in erasure.checks if each.left and not each.kept]
    assert (await workspace.verify_erasure(erasure)).valid


async def test_a_document_that_was_split_off_is_erased_completely(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, ROOFS, "roofs.md")
    choir = await put(workspace, CHOIR, "choir.md")
    whole = await called(workspace, "Peter Marsh")
    await workspace.split_entity(whole.entity_id, documents=[choir])
    assert str(choir) in await contents(workspace)
    erasure = await workspace.erase_document(choir)
    await assert_certified(workspace, erasure)
    assert str(choir) not in await contents(workspace)
    assert counted(erasure, "entity_assignments") == (1, 0)
    assert counted(erasure, "decisions about entities") == (1, 0)
    [split] = await workspace.entity_decisions(whole.entity_id)
    await workspace.undo_entity_decision(split.decision_id)
    assert str(choir) not in await contents(workspace)


async def test_names_that_were_given_go_with_the_last_document_that_names_the_entity(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, ROOFS, "roofs.md")
    tenant = await put(workspace, TENANT, "tenant.md")
    roofer, keller = await called(workspace, "Peter Marsh"), await called(workspace, "Maria Keller")
    await workspace.rename_entity(keller.entity_id, "Quillwort")
    await workspace.rename_entity(keller.entity_id, "Quillwort the Second")
    erasure = await workspace.erase_document(tenant)
    await assert_certified(workspace, erasure)
    assert counted(erasure, "names given to entities") == (1, 0)
    assert counted(erasure, "decisions about entities") == (2, 0)
    assert "Quillwort" not in await contents(workspace)
    assert (await workspace.entity(roofer.entity_id)).documents == 1


async def test_the_name_of_an_entity_that_was_merged_away_goes_as_well(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, ROOFS, "roofs.md")
    tenant = await put(workspace, TENANT, "tenant.md")
    roofer, keller = await called(workspace, "Peter Marsh"), await called(workspace, "Maria Keller")
    await workspace.rename_entity(keller.entity_id, "Quillwort")
    await workspace.merge_entities(roofer.entity_id, keller.entity_id)
    await assert_certified(workspace, await workspace.erase_document(tenant))
    assert "Quillwort" not in await contents(workspace)


async def test_what_other_documents_name_keeps_its_names_and_can_be_undone(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, ROOFS, "roofs.md")
    await put(workspace, TENANT, "tenant.md")
    other = await put(workspace, "The weather in Hamburg was fine.", "weather.md")
    roofer, keller = await called(workspace, "Peter Marsh"), await called(workspace, "Maria Keller")
    await workspace.rename_entity(roofer.entity_id, "The roofer")
    await workspace.rename_entity(keller.entity_id, "The tenant")
    await workspace.merge_entities(roofer.entity_id, keller.entity_id)
    await assert_certified(workspace, await workspace.erase_document(other))
    assert (await workspace.entity(roofer.entity_id)).name == "The roofer"
    merge = (await workspace.entity_decisions(roofer.entity_id))[0]
    await workspace.undo_entity_decision(merge.decision_id)
    assert (await workspace.entity(keller.entity_id)).name == "The tenant"


async def test_what_was_decided_of_a_document_goes_when_it_is_deleted(
    workspace: WorkspaceEngine,
) -> None:
    await put(workspace, ROOFS, "roofs.md")
    choir = await put(workspace, CHOIR, "choir.md")
    whole = await called(workspace, "Peter Marsh")
    await workspace.split_entity(whole.entity_id, documents=[choir])
    assert await assigned_in(workspace, choir) == 1
    await workspace.delete_document(choir)
    assert await assigned_in(workspace, choir) == 0


async def assigned_in(workspace: WorkspaceEngine, document_id: UUID) -> int:
    async with workspace.system_scope() as scope:
        rows = await scope.all(
            "SELECT entity_id FROM entity_assignments"
            " WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s",
            {"document_id": document_id},
        )
    return len(rows)
