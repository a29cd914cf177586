"""Download a pushed URL and ingest its content."""

from __future__ import annotations

from dataclasses import dataclass
from tempfile import TemporaryFile
from uuid import UUID

import structlog

from footnote.domain import Right, Workspace
from footnote.domain.events import PushedDocument
from footnote.engine import Services
from footnote.errors import BlobsFull, FootnoteError, InvalidRequest, NotFound, StoreFull
from footnote.jobs.acting import workspace_acting_for
from footnote.jobs.sources.addresses import reach_of
from footnote.jobs.sources.web import fetch_document, filename_of
from footnote.store.database import SYSTEM
from footnote.store.pushes import StoredPush, get_push, move_push, workspace_of

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchJob:
    """The arguments of a queued fetch job."""

    workspace_id: UUID
    ingest_id: UUID
    attempt: int
    """Number of earlier attempts."""


async def fetch_pushed(engine: Services, job: FetchJob) -> None:
    """Bring the push to its final state, received or failed. Raises if a retry may help."""
    last = job.attempt + 1 >= engine.settings.limits.attempts
    async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
        try:
            push = await get_push(scope, job.ingest_id)
            workspace = await workspace_of(scope)
        except NotFound:
            return
        await move_push(scope, job.ingest_id, "fetching")
    if push.state not in ("queued", "fetching"):
        return
    try:
        await _take_in(engine, workspace, push)
    except (StoreFull, BlobsFull):
        raise  # The address is not at fault: retried until there is space.
    except FootnoteError as error:
        if error.retryable and not last:
            raise
        await _fail(engine, job, error.with_hint)
    except Exception:
        if not last:
            raise
        _log.exception("fetch_failed", ingest_id=str(job.ingest_id))
        await _fail(engine, job, "something unexpected happened; the worker's log says what")


async def _take_in(engine: Services, within: Workspace, push: StoredPush) -> None:
    pushed: PushedDocument = push.pushed
    workspace = await workspace_acting_for(engine, within, push.actor)
    workspace.require(Right.WRITE, pushed.collection)
    with TemporaryFile() as content:
        fetched = await fetch_document(pushed.url, reach_of(engine.settings), content)
        if fetched is None:
            raise InvalidRequest(f"{pushed.url} answered that nothing changed, which was not asked")
        await workspace.receive_stream(
            content,
            pushed.filename or filename_of(fetched),
            collection=pushed.collection,
            external_id=pushed.external_id,
            metadata=pushed.metadata,
            tags=pushed.tags,
            visibility=pushed.visibility,
            shared_with=pushed.shared_with,
            announced_as=push.ingest_id,
        )


async def _fail(engine: Services, job: FetchJob, reason: str) -> None:
    async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
        await move_push(scope, job.ingest_id, "failed", failure=reason)
