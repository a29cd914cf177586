"""What a dead worker leaves behind goes on, whatever has been queued meanwhile."""

from __future__ import annotations

from uuid import UUID

from footnote.engine import Engine, WorkspaceEngine
from footnote.store.handover import take_over
from footnote.store.queue import MAINTAIN_TASK, enqueue_maintenance


async def states(workspace: WorkspaceEngine) -> list[tuple[str, int]]:
    async with workspace._scope() as scope:
        rows = await (
            await scope.connection.execute(
                """
                SELECT status::text, attempts FROM procrastinate_jobs
                WHERE task_name = %s ORDER BY id
                """,
                [MAINTAIN_TASK],
            )
        ).fetchall()
    return [(row["status"], row["attempts"]) for row in rows]


async def queue_maintenance(workspace: WorkspaceEngine) -> None:
    async with workspace._scope() as scope:
        await enqueue_maintenance(scope)


async def begin(workspace: WorkspaceEngine) -> None:
    """Take what is queued in hand, as a worker that then dies."""
    async with workspace._scope() as scope:
        await scope.connection.execute(
            "UPDATE procrastinate_jobs SET status = 'doing' WHERE status = 'todo'"
        )


async def test_work_waits_once_however_often_it_is_asked_for(workspace: WorkspaceEngine) -> None:
    await queue_maintenance(workspace)
    await queue_maintenance(workspace)
    assert await states(workspace) == [("todo", 0)]


async def test_work_of_a_dead_worker_is_taken_over_though_the_same_waits_again(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await queue_maintenance(workspace)
    await begin(workspace)
    await queue_maintenance(workspace)
    taken = await take_over(engine.database, silence_seconds=0, max_attempts=3)
    assert [each.task for each in taken] == [MAINTAIN_TASK]
    assert await states(workspace) == [("todo", 1), ("todo", 0)]


async def test_work_of_several_workspaces_waits_for_each(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    created = await engine.create_workspace("other")
    assert isinstance(created.workspace_id, UUID)
    await queue_maintenance(workspace)
    await queue_maintenance(await engine.workspace("other"))
    assert await states(workspace) == [("todo", 0), ("todo", 0)]
