"""The queue's application: its tasks, and how they are tried again."""

from __future__ import annotations

from uuid import UUID

from procrastinate import App, JobContext, PsycopgConnector, RetryStrategy

from footnote.engine import Services
from footnote.ingestion.pipeline import Ingestion
from footnote.jobs.bookkeeping import Bookkeeping
from footnote.jobs.in_hand import AgainAtOnce, InHand
from footnote.jobs.ingest import IngestionJob, ingest_version
from footnote.jobs.maintenance import maintain
from footnote.jobs.outward import add_outward_tasks
from footnote.jobs.reembed import ReembeddingJob, purge_workspace, reembed_slice
from footnote.jobs.sweep import sweep
from footnote.store.database import configure_for_queue
from footnote.store.queue import (
    INGEST_QUEUE,
    INGEST_TASK,
    MAINTAIN_TASK,
    MAINTENANCE_QUEUE,
    PURGE_TASK,
    REEMBED_TASK,
    SWEEP_TASK,
)

_FIRST_WAIT_SECONDS = 2  # Then twice as long each time.


NEWCOMERS = 10
"""Workspaces that a worker with its hands full still takes a document of each from."""


def queue_app(engine: Services, ingestion: Ingestion, in_hand: InHand) -> tuple[App, Bookkeeping]:
    """The tasks of this engine over its own connections to the queue, and its books."""
    connector = PsycopgConnector(
        conninfo=engine.database_url, min_size=1, max_size=4, configure=configure_for_queue
    )
    app = App(connector=connector)
    books = Bookkeeping(
        connector, documents=engine.settings.worker_concurrency, newcomers=NEWCOMERS
    )
    app.job_manager = books
    retry = AgainAtOnce(
        RetryStrategy(
            max_attempts=engine.settings.max_attempts, exponential_wait=_FIRST_WAIT_SECONDS
        ),
        books.spare,
    )

    @app.task(name=INGEST_TASK, queue=INGEST_QUEUE, retry=retry, pass_context=True)
    async def ingest_document(
        context: JobContext, workspace_id: str, document_id: str, version: int
    ) -> None:
        job = IngestionJob(
            workspace_id=UUID(workspace_id),
            document_id=UUID(document_id),
            version=version,
            attempt=context.job.attempts,
        )
        assert context.job.id is not None, "a job that runs was stored"
        async with in_hand.holding(context.job.id):
            await ingest_version(engine, ingestion, job)

    @app.task(name=MAINTAIN_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def maintain_index(workspace_id: str) -> None:
        await maintain(engine, UUID(workspace_id))

    @app.task(name=SWEEP_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def sweep_workspace(workspace_id: str) -> None:
        await sweep(engine, UUID(workspace_id))

    @app.task(name=REEMBED_TASK, queue=MAINTENANCE_QUEUE, retry=retry, pass_context=True)
    async def reembed_lane(context: JobContext, workspace_id: str, lane_id: int) -> None:
        job = ReembeddingJob(
            workspace_id=UUID(workspace_id), lane_id=lane_id, attempt=context.job.attempts
        )
        assert context.job.id is not None, "a job that runs was stored"
        async with in_hand.holding(context.job.id):
            await reembed_slice(engine, job)

    @app.task(name=PURGE_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def purge_lanes(workspace_id: str) -> None:
        await purge_workspace(engine, UUID(workspace_id))

    add_outward_tasks(app, engine, books.spare)
    return app, books
