"""The tasks of the queue, each in a span of the trace that its job was put on the queue in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from functools import wraps
from typing import Concatenate, ParamSpec
from uuid import UUID

import structlog
from opentelemetry.trace import SpanKind
from procrastinate import App, JobContext

from footnote.errors import NotFound
from footnote.jobs.running_jobs import InHand, WorkerRetryStrategy
from footnote.ports.telemetry import (
    DOCUMENT,
    JOBS,
    TRACEPARENT,
    WORKSPACE,
    extract_traceparent,
    span,
    timed,
)
from footnote.store.database import SYSTEM, Database
from footnote.store.pushes import workspace_of

_log = structlog.get_logger(__name__)
P = ParamSpec("P")
Work = Callable[Concatenate[JobContext, P], Awaitable[object]]


def traced_task(
    app: App,
    database: Database,
    name: str,
    queue: str,
    retry: WorkerRetryStrategy,
    *,
    in_hand: InHand | None = None,
) -> Callable[[Work[P]], None]:
    """Add a task to the queue's application.

    Its spans join the trace of whoever put the job on the queue, and its log lines name the
    workspace and the document. With `in_hand` a try does not count that is cut off or put off.
    A job whose workspace was destroyed meanwhile is done.
    """

    def add(work: Work[P]) -> None:
        @wraps(work)
        async def traced(context: JobContext, /, **arguments: object) -> None:
            traceparent = arguments.pop(TRACEPARENT, None)
            ids = {
                key: str(arguments[argument])
                for key, argument in ((WORKSPACE, "workspace_id"), (DOCUMENT, "document_id"))
                if argument in arguments
            }
            about: dict[str, str | bool | int | float] = {
                "messaging.system": "procrastinate",
                "messaging.destination.name": queue,
                "footnote.job.attempt": context.job.attempts + 1,
                **ids,
            }
            with (
                structlog.contextvars.bound_contextvars(
                    **{name.split(".")[1] + "_id": value for name, value in ids.items()}
                ),
                span(
                    f"job {name}",
                    about,
                    kind=SpanKind.CONSUMER,
                    parent=extract_traceparent(
                        traceparent if isinstance(traceparent, str) else None
                    ),
                ),
                timed(JOBS, {"footnote.task": name}),
            ):
                # The keyword arguments have the names under which the job was stored.
                awaitable = work(context, **arguments)  # type: ignore[arg-type,call-arg]
                assert context.job.id is not None, "a job that runs was stored"
                tracking = nullcontext() if in_hand is None else in_hand.holding(context.job.id)
                try:
                    async with tracking:
                        await awaitable
                except NotFound:
                    if await _exists(database, UUID(str(arguments["workspace_id"]))):
                        raise
                    _log.info("workspace_gone", undone=name)

        app.task(name=name, queue=queue, retry=retry, pass_context=True)(traced)

    return add


async def _exists(database: Database, workspace_id: UUID) -> bool:
    try:
        async with database.workspace(workspace_id, SYSTEM) as scope:
            await workspace_of(scope)
    except NotFound:
        return False
    return True
