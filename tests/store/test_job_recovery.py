"""What a dead worker leaves behind goes on, whatever has been queued meanwhile."""

from __future__ import annotations

from uuid import UUID

import pytest

from footnote.domain import Document, DocumentStatus, Stage
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.inline import work_until_resting
from footnote.store import ingesting, publishing
from footnote.store.ingesting import PostgresVersionInWork, open_version
from footnote.store.job_recovery import recover_stalled_jobs, set_aside_waits
from footnote.store.queue import (
    INGEST_QUEUE,
    INGEST_TASK,
    MAINTAIN_TASK,
    SET_ASIDE_QUEUE,
    enqueue_maintenance,
)

pytestmark = pytest.mark.usefixtures("own_database")


async def states(workspace: WorkspaceEngine) -> list[tuple[str, int]]:
    async with workspace.scope() as scope:
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
    async with workspace.scope() as scope:
        await enqueue_maintenance(scope)


async def begin(workspace: WorkspaceEngine, *names: str) -> None:
    """Take what is queued in hand, as a worker that begins with files of these names and dies."""
    async with workspace.scope() as scope:
        await scope.connection.execute(
            "UPDATE procrastinate_jobs SET status = 'doing' WHERE status = 'todo'"
        )
        await scope.connection.execute(
            "UPDATE documents SET status = 'ingesting' WHERE filename = ANY (%s)", [list(names)]
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
    taken = await recover_stalled_jobs(engine.database, silence_seconds=0)
    assert [each.task for each in taken] == [MAINTAIN_TASK]
    assert await states(workspace) == [("todo", 1), ("todo", 0)]


async def test_documents_beside_one_that_killed_their_worker_lose_no_try(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    for number in range(3):
        await workspace.receive(f"Buoy {number} is moored.".encode(), f"{number}.md")
    await begin(workspace, "0.md", "1.md", "2.md")
    await recover_stalled_jobs(engine.database, silence_seconds=0)
    assert await documents_in_line(workspace) == [(SET_ASIDE_QUEUE, 0)] * 3
    assert await set_aside_waits(engine.database)


async def test_of_what_was_in_hand_only_what_was_worked_on_is_suspected(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    for name in ("begun.md", "waiting.md"):
        await workspace.receive(name.encode(), name)
    await begin(workspace, "begun.md")
    await recover_stalled_jobs(engine.database, silence_seconds=0)
    assert await documents_in_line(workspace) == [(SET_ASIDE_QUEUE, 1), (INGEST_QUEUE, 0)]


async def test_a_document_that_waited_alone_with_its_worker_has_had_no_try(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await workspace.receive(b"Buoys are moored at berth 4.", "a.md")
    await begin(workspace)
    await recover_stalled_jobs(engine.database, silence_seconds=0)
    assert await documents_in_line(workspace) == [(INGEST_QUEUE, 0)]


async def test_a_document_that_an_earlier_try_had_begun_waits_until_the_next_one_begins(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    received, work = await received_and_opened(engine, workspace)
    assert await work.begin(Stage.EMBED)
    again = await opened(engine, workspace, received)
    assert (await workspace.document(received.document_id)).status is DocumentStatus.QUEUED
    await begin(workspace)
    await recover_stalled_jobs(engine.database, silence_seconds=0)
    assert await documents_in_line(workspace) == [(INGEST_QUEUE, 0)]
    assert await again.begin(Stage.PARSE)
    await begin(workspace)
    await recover_stalled_jobs(engine.database, silence_seconds=0)
    assert await documents_in_line(workspace) == [(SET_ASIDE_QUEUE, 1)]


async def test_the_smallest_is_tried_first_and_what_killed_before_last(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    sizes = {"killed.md": 10, "large.md": 100_000, "small.md": 20, "middle.md": 50_000}
    for name, size in sizes.items():
        await workspace.receive(name.encode().ljust(size), name)
    async with workspace.scope() as scope:
        await scope.connection.execute(
            "UPDATE procrastinate_jobs SET attempts = 1 WHERE lock = "
            "(SELECT document_id::text FROM documents WHERE filename = 'killed.md')"
        )
    await begin(workspace, *sizes)
    await recover_stalled_jobs(engine.database, silence_seconds=0)
    async with workspace.scope() as scope:
        rows = await (
            await scope.connection.execute(
                "SELECT filename FROM procrastinate_jobs JOIN documents"
                " ON lock = document_id::text ORDER BY priority DESC"
            )
        ).fetchall()
    assert [row["filename"] for row in rows] == ["small.md", "middle.md", "large.md", "killed.md"]


async def test_a_document_that_was_alone_with_its_worker_has_had_a_try(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await workspace.receive(b"Buoys are moored at berth 4.", "a.md")
    await queue_maintenance(workspace)
    await begin(workspace, "a.md")
    await recover_stalled_jobs(engine.database, silence_seconds=0)
    assert await documents_in_line(workspace) == [(SET_ASIDE_QUEUE, 1)]
    assert await states(workspace) == [("todo", 1)]


async def test_a_worker_takes_nothing_over_from_itself(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    await queue_maintenance(workspace)
    async with workspace.scope() as scope:
        await scope.connection.execute(
            """
            WITH worker AS (
                INSERT INTO procrastinate_workers (last_heartbeat)
                VALUES (now() - interval '1 hour')
                RETURNING id
            )
            UPDATE procrastinate_jobs SET status = 'doing', worker_id = worker.id FROM worker
            """
        )
        row = await (
            await scope.connection.execute("SELECT id FROM procrastinate_workers")
        ).fetchone()
    assert row is not None
    assert await recover_stalled_jobs(engine.database, silence_seconds=0, own=[row["id"]]) == ()
    assert await states(workspace) == [("doing", 0)]
    assert await recover_stalled_jobs(engine.database, silence_seconds=0, own=[row["id"] + 1])
    assert await states(workspace) == [("todo", 1)]


async def documents_in_line(workspace: WorkspaceEngine) -> list[tuple[str, int]]:
    async with workspace.scope() as scope:
        rows = await (
            await scope.connection.execute(
                "SELECT queue_name, attempts FROM procrastinate_jobs WHERE task_name = %s"
                " ORDER BY id",
                [INGEST_TASK],
            )
        ).fetchall()
    return [(row["queue_name"], row["attempts"]) for row in rows]


async def test_work_of_several_workspaces_waits_for_each(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    created = await engine.create_workspace("other")
    assert isinstance(created.workspace_id, UUID)
    await queue_maintenance(workspace)
    await queue_maintenance(await engine.workspace("other"))
    assert await states(workspace) == [("todo", 0), ("todo", 0)]


async def received_and_opened(
    engine: Engine, workspace: WorkspaceEngine
) -> tuple[Document, PostgresVersionInWork]:
    """A document that waits, and its version as a worker has it in hand."""
    document = (await workspace.receive(b"Buoys are moored at berth 4.", "a.md")).document
    return document, await opened(engine, workspace, document)


async def opened(
    engine: Engine, workspace: WorkspaceEngine, document: Document
) -> PostgresVersionInWork:
    work = await open_version(
        engine.database,
        engine.blobs,
        workspace_id=workspace.workspace.workspace_id,
        document_id=document.document_id,
        version=document.version,
        lane=engine.lane,
        limits=engine.maintenance_limits,
    )
    assert work is not None
    return work


async def test_a_worker_thought_dead_leaves_nothing_with_a_document_that_rests(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    received, slow = await received_and_opened(engine, workspace)
    assert await slow.begin(Stage.PARSE)
    await work_until_resting(engine, workspace, [received.document_id], lambda _: None)
    await slow.keep_parsed(b"what was read")
    assert await kept(workspace) == 0


async def test_much_that_was_read_is_kept_in_parts_and_comes_back_whole(
    engine: Engine, workspace: WorkspaceEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingesting, "_PART_BYTES", 4)
    _, work = await received_and_opened(engine, workspace)
    assert await work.begin(Stage.PARSE)
    assert await work.parsed() is None
    for packed in (b"0123456789", b"01234567", b"012", b""):
        await work.keep_parsed(packed)
        assert await work.parsed() == packed


async def test_a_long_text_is_published_in_parts(
    engine: Engine, workspace: WorkspaceEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "_CHARACTERS_AT_ONCE", 5)
    monkeypatch.setattr(publishing, "_ROWS_AT_ONCE", 2)
    text = "\n\n".join(f"# Berth {number}\n\nBuöys are moored." for number in range(5))
    received = (await workspace.receive(text.encode(), "a.md")).document
    await work_until_resting(engine, workspace, [received.document_id], lambda _: None)
    async with workspace.scope() as scope:
        row = await (
            await scope.connection.execute(
                "SELECT canonical_text, (SELECT count(*) FROM chunks) AS chunks"
                " FROM document_versions"
            )
        ).fetchone()
    assert row is not None
    assert row["canonical_text"] == text.replace("# ", "")
    assert row["chunks"] == 5


async def kept(workspace: WorkspaceEngine) -> int:
    async with workspace.scope() as scope:
        row = await (
            await scope.connection.execute("SELECT count(*) AS kept FROM stage_results")
        ).fetchone()
    assert row is not None
    return int(row["kept"])
