"""The queue's tasks that speak to other machines: fetching addresses, telling endpoints."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from procrastinate import App, JobContext, RetryStrategy

from footnote.domain.events import EventCursor
from footnote.engine import Services
from footnote.jobs.deliver import DeliveryJob, deliver
from footnote.jobs.fetch import FetchJob, fetch_pushed
from footnote.jobs.in_hand import AgainAtOnce
from footnote.store.pushes import FETCH_TASK
from footnote.store.queue import INGEST_QUEUE

_FIRST_WAIT_SECONDS = 2  # Then twice as long each time.
DELIVER_TASK = "deliver_webhook"
"""As the trigger on documents names it, in the migration that made it."""
WEBHOOK_QUEUE = "webhooks"


def add_outward_tasks(app: App, engine: Services, spare: Callable[[int], None]) -> None:
    """Let the worker of this app fetch and tell; `spare` hears of jobs that failed for no room."""
    settings = engine.settings

    def retry(attempts: int) -> AgainAtOnce:
        failed = RetryStrategy(max_attempts=attempts, exponential_wait=_FIRST_WAIT_SECONDS)
        return AgainAtOnce(failed, spare)

    @app.task(
        name=FETCH_TASK,
        queue=INGEST_QUEUE,
        retry=retry(settings.max_attempts),
        pass_context=True,
    )
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
        retry=retry(settings.webhook_attempts),
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
