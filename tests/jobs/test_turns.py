"""Workspaces take turns: the backlog of one does not keep the others waiting."""

from __future__ import annotations

from footnote.domain import DocumentStatus
from footnote.engine import open_engine
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings

BACKLOG = 20


async def test_a_file_does_not_wait_behind_the_backlog_of_another_workspace(
    settings: Settings,
) -> None:
    alone = settings.model_copy(update={"worker_concurrency": 1})
    async with await open_engine(alone) as engine:
        await engine.create_workspace("busy")
        busy, calm = await engine.workspace("busy"), await engine.workspace()
        waiting = [
            (await busy.receive(f"Paper {number}.".encode(), f"{number}.md")).document.document_id
            for number in range(BACKLOG)
        ]
        late = (await calm.receive(b"Just one.", "one.md")).document.document_id
        one = (await work_until_resting(engine, calm, [late], lambda _: None))[late]
        assert one.status is DocumentStatus.INDEXED
        # Nothing is lost.
        rested = await work_until_resting(engine, busy, waiting, lambda _: None)
        assert {each.status for each in rested.values()} == {DocumentStatus.INDEXED}
        assert any(each.updated_at > one.updated_at for each in rested.values())
