"""Ingest one version of a document, and decide between retry and failure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from uuid import UUID

import structlog

from footnote.domain import Failure, Stage
from footnote.engine import Services
from footnote.engine.lanes import embedder_of, lane_of_workspace, replace_lane
from footnote.engine.redaction import model_use_of_job
from footnote.errors import (
    BlobsFull,
    DocumentFailed,
    FootnoteError,
    LaneMismatch,
    StoreFull,
    StoreUnavailable,
)
from footnote.ingestion.failures import failure_of
from footnote.ingestion.pipeline import Ingestion
from footnote.jobs.turns import Postponed
from footnote.ports.telemetry import DOCUMENTS, INGESTION_AGE
from footnote.store.database import SYSTEM
from footnote.store.ingesting import open_version
from footnote.store.publishing import mark_failed

_log = structlog.get_logger(__name__)

_NEW_LANE_WAIT_SECONDS = 5.0
"""Pause before it is checked again whether the workspace is embedded with the current model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestionJob:
    """The arguments of a queued ingestion job."""

    workspace_id: UUID
    document_id: UUID
    version: int
    attempt: int
    """Number of earlier attempts, those during which the worker died included."""


async def ingest_version(engine: Services, ingestion: Ingestion, job: IngestionJob) -> None:
    """Bring the version to its final state, indexed or failed. Raises if it is to be retried."""
    limit = engine.settings.limits.attempts
    if job.attempt >= limit:
        cause = (
            f"the worker ended {job.attempt} times while it was working on the document, or lost "
            "the database"
        )
        await _fail(engine, job, _unexpected(cause, "look into the worker's log"))
        return
    try:
        opened = partial(
            open_version,
            engine.database,
            engine.blobs,
            workspace_id=job.workspace_id,
            document_id=job.document_id,
            version=job.version,
            limits=engine.maintenance_limits,
        )
        try:
            work = await opened(lane=ingestion.embedder.lane)
        except LaneMismatch as mismatch:
            lane = await lane_of_workspace(engine, job.workspace_id)
            if lane is not None and await replace_lane(engine, job.workspace_id, lane):
                raise Postponed(_NEW_LANE_WAIT_SECONDS) from mismatch
            ingestion = replace(ingestion, embedder=await embedder_of(engine, lane))
            work = await opened(lane=ingestion.embedder.lane)
        if work is not None:
            async with model_use_of_job(engine, job.workspace_id, job.document_id):
                await ingestion(work)
            DOCUMENTS.add(1, {"footnote.outcome": "published"})
            INGESTION_AGE.record((datetime.now(UTC) - work.stored.received_at).total_seconds())
    except (StoreFull, BlobsFull, StoreUnavailable, Postponed):
        raise  # The document is not at fault: retried without counting the attempt.
    except FootnoteError as error:
        if error.retryable and job.attempt + 1 < limit:
            raise
        await _fail(engine, job, _failure(error))
    except Exception:
        _log.exception("ingestion_failed", document_id=str(job.document_id))
        if job.attempt + 1 < limit:
            raise
        cause = "something unexpected happened inside Footnote"
        await _fail(engine, job, _unexpected(cause, "look into the worker's log, which says what"))


async def _fail(engine: Services, job: IngestionJob, failure: Failure) -> None:
    async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
        await mark_failed(scope, job.document_id, job.version, failure)
    DOCUMENTS.add(1, {"footnote.outcome": "failed", "footnote.stage": failure.stage})


def _failure(error: FootnoteError) -> Failure:
    if isinstance(error, DocumentFailed):
        return failure_of(error)
    return Failure(
        stage=Stage.EMBED,
        cause=str(error),
        advice=error.hint or "try again: ingest the file once more",
        retryable=error.retryable,
    )


def _unexpected(cause: str, advice: str) -> Failure:
    return Failure(
        stage=Stage.PARSE,
        cause=cause,
        advice=f"{advice}; then ingest the file once more",
        retryable=True,
    )
