"""The procrastinate application: its tasks and their retry strategies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from uuid import UUID

from procrastinate import App, JobContext, PsycopgConnector, RetryStrategy

from footnote.domain.events import EventCursor
from footnote.engine import Services
from footnote.engine.redaction import model_use_of_job
from footnote.ingestion.pipeline import Ingestion
from footnote.jobs.backfilling import keyword_slice, mark_slice
from footnote.jobs.bookkeeping import Bookkeeping
from footnote.jobs.clusters import cluster_slice
from footnote.jobs.evaluating import EvaluationJob, evaluate_in_background
from footnote.jobs.extracting import extract_entity_slice, extract_fact_slice
from footnote.jobs.fetch import FetchJob, fetch_pushed
from footnote.jobs.ingest import IngestionJob, ingest_version
from footnote.jobs.maintenance import maintain, retain, rotate, sweep
from footnote.jobs.reembed import ReembeddingJob, purge_workspace, reembed_slice
from footnote.jobs.running_jobs import InHand, WorkerRetryStrategy
from footnote.jobs.sources.running import FollowJob, follow_once
from footnote.jobs.summaries import summarise_slice
from footnote.jobs.tracing import traced_task
from footnote.jobs.webhooks import ATTEMPTS, DeliveryJob, deliver
from footnote.store.key_rotation import ROTATE_TASK
from footnote.store.pools import QUEUE_POOL, configure_for_queue
from footnote.store.pushes import FETCH_TASK
from footnote.store.queue import (
    CLUSTERS_TASK,
    ENTITIES_TASK,
    EVALUATE_TASK,
    FACTS_TASK,
    INGEST_QUEUE,
    INGEST_TASK,
    KEYWORDS_TASK,
    MAINTAIN_TASK,
    MAINTENANCE_QUEUE,
    MARKS_TASK,
    PURGE_TASK,
    REEMBED_TASK,
    RETAIN_TASK,
    SUMMARIES_TASK,
    SWEEP_TASK,
    WEBHOOK_QUEUE,
)
from footnote.store.worker_presence import Presence
from footnote.store.workspace_sources import FOLLOW_TASK

_FIRST_WAIT_SECONDS = 2  # Then twice as long each time.
DELIVER_TASK = "deliver_webhook"
"""As the trigger on documents names it, in the migration that created it."""
NEWCOMERS = 10
"""Extra slots of a worker at its limit, for documents of workspaces of which it processes none."""


def queue_app(
    engine: Services, ingestion: Ingestion, in_hand: InHand, on_idle: Callable[[], None] | None
) -> tuple[App, Bookkeeping]:
    """Return the application with this engine's tasks and its own connections, and its manager."""
    connector = PsycopgConnector(
        conninfo=engine.urls.direct,
        name=QUEUE_POOL,
        min_size=1,
        max_size=4,
        configure=configure_for_queue,
    )
    app = App(connector=connector)
    books = Bookkeeping(
        connector,
        Presence(engine.urls.direct),
        documents=engine.settings.worker_concurrency,
        newcomers=NEWCOMERS,
        on_idle=on_idle,
    )
    app.job_manager = books
    settings = engine.settings

    def retrying(attempts: int) -> WorkerRetryStrategy:
        failed = RetryStrategy(max_attempts=attempts, exponential_wait=_FIRST_WAIT_SECONDS)
        return WorkerRetryStrategy(failed, books.spare)

    retry = retrying(settings.limits.attempts)
    _add_upkeep(app, engine, retry)
    _add_derivation(app, engine, retry)

    @traced_task(app, engine.database, INGEST_TASK, INGEST_QUEUE, retry, in_hand=in_hand)
    def ingest_document(
        context: JobContext, workspace_id: str, document_id: str, version: int
    ) -> Awaitable[None]:
        job = IngestionJob(
            workspace_id=UUID(workspace_id),
            document_id=UUID(document_id),
            version=version,
            attempt=context.job.attempts,
        )
        return ingest_version(engine, ingestion, job)

    @traced_task(app, engine.database, REEMBED_TASK, MAINTENANCE_QUEUE, retry, in_hand=in_hand)
    async def reembed_lane(context: JobContext, workspace_id: str, lane_id: int) -> None:
        job = ReembeddingJob(
            workspace_id=UUID(workspace_id), lane_id=lane_id, attempt=context.job.attempts
        )
        async with model_use_of_job(engine, job.workspace_id):
            await reembed_slice(engine, job)

    @traced_task(app, engine.database, EVALUATE_TASK, MAINTENANCE_QUEUE, retry, in_hand=in_hand)
    def evaluate(context: JobContext, workspace_id: str, run_id: str) -> Awaitable[None]:
        job = EvaluationJob(
            workspace_id=UUID(workspace_id), run_id=UUID(run_id), attempt=context.job.attempts
        )
        return evaluate_in_background(engine, job)

    @traced_task(app, engine.database, FOLLOW_TASK, MAINTENANCE_QUEUE, retry, in_hand=in_hand)
    def follow_source(
        context: JobContext, workspace_id: str, source_id: str, job_id: str
    ) -> Awaitable[None]:
        job = FollowJob(
            workspace_id=UUID(workspace_id),
            source_id=UUID(source_id),
            job_id=UUID(job_id),
            attempt=context.job.attempts,
        )
        return follow_once(engine, job)

    @traced_task(app, engine.database, FETCH_TASK, INGEST_QUEUE, retry)
    def fetch_url(context: JobContext, workspace_id: str, ingest_id: str) -> Awaitable[None]:
        job = FetchJob(
            workspace_id=UUID(workspace_id),
            ingest_id=UUID(ingest_id),
            attempt=context.job.attempts,
        )
        return fetch_pushed(engine, job)

    @traced_task(app, engine.database, DELIVER_TASK, WEBHOOK_QUEUE, retrying(ATTEMPTS))
    def deliver_webhook(
        context: JobContext,
        workspace_id: str,
        endpoint_id: str,
        transaction_id: int,
        event_no: int,
    ) -> Awaitable[None]:
        job = DeliveryJob(
            workspace_id=UUID(workspace_id),
            endpoint_id=UUID(endpoint_id),
            event=EventCursor(transaction_id=transaction_id, event_no=event_no),
            attempt=context.job.attempts,
        )
        return deliver(engine, job)

    return app, books


def _add_upkeep(app: App, engine: Services, retry: WorkerRetryStrategy) -> None:
    """Register the maintenance tasks of a workspace."""

    @traced_task(app, engine.database, MAINTAIN_TASK, MAINTENANCE_QUEUE, retry)
    def maintain_index(_: JobContext, workspace_id: str) -> Awaitable[object]:
        return maintain(engine, UUID(workspace_id))

    @traced_task(app, engine.database, SWEEP_TASK, MAINTENANCE_QUEUE, retry)
    def sweep_workspace(_: JobContext, workspace_id: str) -> Awaitable[object]:
        return sweep(engine, UUID(workspace_id))

    @traced_task(app, engine.database, RETAIN_TASK, MAINTENANCE_QUEUE, retry)
    def apply_retention(_: JobContext, workspace_id: str) -> Awaitable[None]:
        return retain(engine, UUID(workspace_id))

    @traced_task(app, engine.database, PURGE_TASK, MAINTENANCE_QUEUE, retry)
    def purge_lanes(_: JobContext, workspace_id: str) -> Awaitable[None]:
        return purge_workspace(engine, UUID(workspace_id))

    @traced_task(app, engine.database, ROTATE_TASK, MAINTENANCE_QUEUE, retry)
    def rotate_data_key(_: JobContext, workspace_id: str, step: str) -> Awaitable[None]:
        return rotate(engine, UUID(workspace_id), step)


def _add_derivation(app: App, engine: Services, retry: WorkerRetryStrategy) -> None:
    """Register the tasks that derive data from documents, in time slices."""

    @traced_task(app, engine.database, FACTS_TASK, MAINTENANCE_QUEUE, retry)
    def extract_facts(_: JobContext, workspace_id: str) -> Awaitable[None]:
        return extract_fact_slice(engine, UUID(workspace_id))

    @traced_task(app, engine.database, CLUSTERS_TASK, MAINTENANCE_QUEUE, retry)
    def cluster_documents(_: JobContext, workspace_id: str) -> Awaitable[None]:
        return cluster_slice(engine, UUID(workspace_id))

    @traced_task(app, engine.database, ENTITIES_TASK, MAINTENANCE_QUEUE, retry)
    def extract_entities(_: JobContext, workspace_id: str) -> Awaitable[None]:
        return extract_entity_slice(engine, UUID(workspace_id))

    @traced_task(app, engine.database, SUMMARIES_TASK, MAINTENANCE_QUEUE, retry)
    def summarise_documents(_: JobContext, workspace_id: str) -> Awaitable[None]:
        return summarise_slice(engine, UUID(workspace_id))

    @traced_task(app, engine.database, MARKS_TASK, MAINTENANCE_QUEUE, retry)
    def mark_suspicion(_: JobContext, workspace_id: str) -> Awaitable[None]:
        return mark_slice(engine, UUID(workspace_id))

    @traced_task(app, engine.database, KEYWORDS_TASK, MAINTENANCE_QUEUE, retry)
    def choose_keywords(_: JobContext, workspace_id: str) -> Awaitable[None]:
        return keyword_slice(engine, UUID(workspace_id))
