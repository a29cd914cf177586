"""The queue's application: its tasks, and how they are tried again."""

from __future__ import annotations

from uuid import UUID

from procrastinate import App, JobContext, PsycopgConnector, RetryStrategy

from footnote.domain.events import EventCursor
from footnote.engine import Services
from footnote.engine.redaction import model_use_of_job
from footnote.ingestion.pipeline import Ingestion
from footnote.jobs.bookkeeping import Bookkeeping
from footnote.jobs.clusters import cluster_slice
from footnote.jobs.entities import extract_entity_slice
from footnote.jobs.evaluating import EvaluationJob, evaluate_in_background
from footnote.jobs.facts import extract_slice
from footnote.jobs.fetch import FetchJob, fetch_pushed
from footnote.jobs.in_hand import AgainAtOnce, InHand
from footnote.jobs.ingest import IngestionJob, ingest_version
from footnote.jobs.maintenance import maintain, retain, rotate, sweep
from footnote.jobs.reembed import ReembeddingJob, purge_workspace, reembed_slice
from footnote.jobs.sources.running import FollowJob, follow_once
from footnote.jobs.summaries import summarise_slice
from footnote.jobs.suspicion import mark_slice
from footnote.jobs.webhooks import DeliveryJob, deliver
from footnote.store.database import configure_for_queue
from footnote.store.key_rotation import ROTATE_TASK
from footnote.store.pushes import FETCH_TASK
from footnote.store.queue import (
    CLUSTERS_TASK,
    ENTITIES_TASK,
    EVALUATE_TASK,
    FACTS_TASK,
    INGEST_QUEUE,
    INGEST_TASK,
    MAINTAIN_TASK,
    MAINTENANCE_QUEUE,
    MARKS_TASK,
    PURGE_TASK,
    REEMBED_TASK,
    RETAIN_TASK,
    SUMMARIES_TASK,
    SWEEP_TASK,
)
from footnote.store.workspace_sources import FOLLOW_TASK

_FIRST_WAIT_SECONDS = 2  # Then twice as long each time.
DELIVER_TASK = "deliver_webhook"
"""As the trigger on documents names it, in the migration that made it."""
WEBHOOK_QUEUE = "webhooks"
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
    settings = engine.settings

    def retrying(attempts: int) -> AgainAtOnce:
        failed = RetryStrategy(max_attempts=attempts, exponential_wait=_FIRST_WAIT_SECONDS)
        return AgainAtOnce(failed, books.spare)

    retry = retrying(settings.max_attempts)
    _add_upkeep(app, engine, retry)
    _add_derivation(app, engine, retry)

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

    @app.task(name=REEMBED_TASK, queue=MAINTENANCE_QUEUE, retry=retry, pass_context=True)
    async def reembed_lane(context: JobContext, workspace_id: str, lane_id: int) -> None:
        job = ReembeddingJob(
            workspace_id=UUID(workspace_id), lane_id=lane_id, attempt=context.job.attempts
        )
        assert context.job.id is not None, "a job that runs was stored"
        async with in_hand.holding(context.job.id), model_use_of_job(engine, job.workspace_id):
            await reembed_slice(engine, job)

    @app.task(name=EVALUATE_TASK, queue=MAINTENANCE_QUEUE, retry=retry, pass_context=True)
    async def evaluate(context: JobContext, workspace_id: str, run_id: str) -> None:
        job = EvaluationJob(
            workspace_id=UUID(workspace_id), run_id=UUID(run_id), attempt=context.job.attempts
        )
        assert context.job.id is not None, "a job that runs was stored"
        async with in_hand.holding(context.job.id):
            await evaluate_in_background(engine, job)

    @app.task(name=FOLLOW_TASK, queue=MAINTENANCE_QUEUE, retry=retry, pass_context=True)
    async def follow_source(
        context: JobContext, workspace_id: str, source_id: str, job_id: str
    ) -> None:
        job = FollowJob(
            workspace_id=UUID(workspace_id),
            source_id=UUID(source_id),
            job_id=UUID(job_id),
            attempt=context.job.attempts,
        )
        assert context.job.id is not None, "a job that runs was stored"
        async with in_hand.holding(context.job.id):
            await follow_once(engine, job)

    @app.task(name=FETCH_TASK, queue=INGEST_QUEUE, retry=retry, pass_context=True)
    async def fetch_url(context: JobContext, workspace_id: str, ingest_id: str) -> None:
        job = FetchJob(
            workspace_id=UUID(workspace_id),
            ingest_id=UUID(ingest_id),
            attempt=context.job.attempts,
        )
        await fetch_pushed(engine, job)

    @app.task(
        name=DELIVER_TASK,
        queue=WEBHOOK_QUEUE,
        retry=retrying(settings.webhook_attempts),
        pass_context=True,
    )
    async def deliver_webhook(
        context: JobContext,
        workspace_id: str,
        endpoint_id: str,
        transaction_id: int,
        event_no: int,
    ) -> None:
        job = DeliveryJob(
            workspace_id=UUID(workspace_id),
            endpoint_id=UUID(endpoint_id),
            event=EventCursor(transaction_id=transaction_id, event_no=event_no),
            attempt=context.job.attempts,
        )
        await deliver(engine, job)

    return app, books


def _add_upkeep(app: App, engine: Services, retry: AgainAtOnce) -> None:
    """Add what tends a workspace, and is given nothing but the workspace."""

    @app.task(name=MAINTAIN_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def maintain_index(workspace_id: str) -> None:
        await maintain(engine, UUID(workspace_id))

    @app.task(name=SWEEP_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def sweep_workspace(workspace_id: str) -> None:
        await sweep(engine, UUID(workspace_id))

    @app.task(name=RETAIN_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def apply_retention(workspace_id: str) -> None:
        await retain(engine, UUID(workspace_id))

    @app.task(name=PURGE_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def purge_lanes(workspace_id: str) -> None:
        await purge_workspace(engine, UUID(workspace_id))

    @app.task(name=ROTATE_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def rotate_data_key(workspace_id: str, step: str) -> None:
        await rotate(engine, UUID(workspace_id), step)


def _add_derivation(app: App, engine: Services, retry: AgainAtOnce) -> None:
    """Add what makes of documents what is derived from them, a slice at a time."""

    @app.task(name=FACTS_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def extract_facts(workspace_id: str) -> None:
        await extract_slice(engine, UUID(workspace_id))

    @app.task(name=CLUSTERS_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def cluster_documents(workspace_id: str) -> None:
        await cluster_slice(engine, UUID(workspace_id))

    @app.task(name=ENTITIES_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def extract_entities(workspace_id: str) -> None:
        await extract_entity_slice(engine, UUID(workspace_id))

    @app.task(name=SUMMARIES_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def summarise_documents(workspace_id: str) -> None:
        await summarise_slice(engine, UUID(workspace_id))

    @app.task(name=MARKS_TASK, queue=MAINTENANCE_QUEUE, retry=retry)
    async def mark_suspicion(workspace_id: str) -> None:
        await mark_slice(engine, UUID(workspace_id))
