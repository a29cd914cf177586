"""Workspaces keep the packaged model they were embedded with, whichever is the default."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.domain import ReembeddingState
from footnote.engine import Engine, WorkspaceEngine
from footnote.settings import Settings
from tests.jobs.lanes import current, found, opened, work
from tests.store.shelves import Shelf

TEXTS = (
    "The tenant pays the rent on the first working day of each month.",
    "Penguins hatch their eggs during the polar winter.",
)


def with_model(settings: Settings, model: str) -> Settings:
    return settings.model_copy(update={"embedding_model": model})


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
