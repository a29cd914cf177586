"""The queue's application: its tasks, and how they are tried again."""

from __future__ import annotations

from uuid import UUID

from procrastinate import App, JobContext, PsycopgConnector, RetryStrategy

from footnote.engine import Engine
from footnote.ingestion.pipeline import Ingestion
from footnote.jobs.ingest import IngestionJob, ingest_version
from footnote.jobs.maintenance import maintain
from footnote.store.database import configure_for_queue
from footnote.store.queue import INGEST_QUEUE, INGEST_TASK, MAINTAIN_TASK, MAINTENANCE_QUEUE

_FIRST_WAIT_SECONDS = 2  # Then twice as long each time.


def queue_app(engine: Engine, ingestion: Ingestion) -> App:
    """The tasks of this engine over its own connections to the queue."""
    app = App(
        connector=PsycopgConnector(
            conninfo=engine.database_url, min_size=1, max_size=4, configure=configure_for_queue
        )
    )
    retry = RetryStrategy(
        max_attempts=engine.settings.max_attempts, exponential_wait=_FIRST_WAIT_SECONDS
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
        await ingest_version(engine, ingestion, job)

    @app.task(name=MAINTAIN_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def maintain_index(workspace_id: str) -> None:
        await maintain(engine, UUID(workspace_id))

    return app
