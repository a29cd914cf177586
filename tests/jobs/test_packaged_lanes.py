"""Workspaces keep the packaged model they were embedded with, whichever is the default."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.domain import DocumentStatus, ReembeddingState, SearchRequest
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.inline import work_until_resting
from footnote.jobs.maintenance import maintain
from footnote.settings import Settings
from footnote.store.database import SYSTEM
from tests.jobs.lanes import current, found, opened, work
from tests.store.shelves import Shelf

TEXTS = (
    "The tenant pays the rent on the first working day of each month.",
    "Penguins hatch their eggs during the polar winter.",
)


def with_model(settings: Settings, model: str) -> Settings:
    return settings.model_copy(update={"embedding_models": model})


def shelf_of(engine: Engine, workspace: WorkspaceEngine) -> Shelf:
    return Shelf(
        database=engine.database,
        workspace=workspace.workspace,
        embedder=engine.embedder,
        limits=replace(engine.maintenance_limits, merge_fan_in=64),
    )


@pytest.mark.parametrize(
    ("before", "after"), [("minilm", "e5"), ("e5", "minilm")], ids=["to e5", "to MiniLM"]
)
async def test_a_workspace_outlives_a_change_of_the_default_and_can_follow_it(
    settings: Settings, before: str, after: str
) -> None:
    async with await opened(with_model(settings, before)) as engine:
        workspace = await engine.workspace()
        await shelf_of(engine, workspace).put(*TEXTS, about=TEXTS[0])
        old = engine.lane.model

    async with await opened(with_model(settings, after)) as engine:
        new = engine.lane.model
        assert new != old
        workspace = await engine.workspace()
        kept = await found(workspace, "when is the rent paid?")
        assert kept.evidence[0].passage.text == TEXTS[0]
        assert not kept.degraded
        assert (await current(workspace)).lane.model == old

        await engine.create_workspace("younger")
        younger = await engine.workspace("younger")
        await shelf_of(engine, younger).put(*TEXTS, about=TEXTS[0])
        assert (await current(younger)).lane.model == new

        await workspace.reembed(after)
        done = await work(engine, workspace)
        assert done.state is ReembeddingState.SWITCHED
        assert (await current(workspace)).lane.model == new
        followed = await found(workspace, "when is the rent paid?")
        assert followed.evidence[0].passage.text == TEXTS[0]
        assert not followed.degraded


async def _brought_by_an_earlier_version(engine: Engine, workspace: WorkspaceEngine) -> None:
    """As if the weights in the package had been others when the workspace was embedded."""
    async with engine.database.workspace(workspace.workspace.workspace_id, SYSTEM) as scope:
        await scope.execute("UPDATE lanes SET revision = 'earlier'")


async def _ingest(engine: Engine, workspace: WorkspaceEngine, filename: str, text: str) -> None:
    received = await workspace.receive(text.encode(), filename)
    wanted = received.document.document_id
    done = await work_until_resting(engine, workspace, [wanted], lambda _: None)
    assert done[wanted].status is DocumentStatus.INDEXED


async def test_other_weights_in_a_package_break_no_workspace(own_settings: Settings) -> None:
    async with await opened(with_model(own_settings, "minilm")) as engine:
        workspace = await engine.workspace()
        await _ingest(engine, workspace, "rent.txt", TEXTS[0])
        await _brought_by_an_earlier_version(engine, workspace)

    async with await opened(with_model(own_settings, "minilm")) as engine:
        workspace = await engine.workspace()
        meanwhile = await workspace.search(SearchRequest(query="when is the rent paid?"))
        assert meanwhile.evidence[0].passage.text == TEXTS[0]
        assert len(meanwhile.degraded) == 1
        assert meanwhile.degraded[0].startswith("dense: ")
        assert "came with an earlier version" in meanwhile.degraded[0]

        # A document that comes meanwhile waits for the new lane, and does not fail.
        await _ingest(engine, workspace, "storm.txt", "Storm damage is reported within a day.")
        assert (await workspace.reembedding()).state is ReembeddingState.SWITCHED
        after = await found(workspace, "when is the rent paid?")
        assert after.evidence[0].passage.text == TEXTS[0]
        assert not after.degraded
        assert (await current(workspace)).lane.revision == engine.lane.revision


async def test_maintenance_notices_other_weights_by_itself(own_settings: Settings) -> None:
    async with await opened(with_model(own_settings, "minilm")) as engine:
        workspace = await engine.workspace()
        await shelf_of(engine, workspace).put(*TEXTS, about=TEXTS[0])
        await _brought_by_an_earlier_version(engine, workspace)
        await maintain(engine, workspace.workspace.workspace_id)
        assert (await workspace.reembedding()).is_under_way
        await maintain(engine, workspace.workspace.workspace_id)  # Once more changes nothing.
        assert (await work(engine, workspace)).state is ReembeddingState.SWITCHED
