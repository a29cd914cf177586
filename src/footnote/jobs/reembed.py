"""Fill a lane with embeddings in time slices, so that a worker can do other jobs, or stop."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args
from uuid import UUID

import structlog

from footnote.domain import ReembeddingState
from footnote.engine import Services
from footnote.engine.lanes import RETENTION, embedder_of
from footnote.errors import BlobsFull, FootnoteError, StoreFull
from footnote.language.scripts import without_data
from footnote.models.embed_hosted import EmbeddingUsage
from footnote.ports import Embedder
from footnote.store.database import SYSTEM
from footnote.store.hnsw import build, is_large
from footnote.store.lanes import end_reembedding, switch_if_complete
from footnote.store.queue import enqueue_reembedding
from footnote.store.reembedding import (
    Filling,
    Kind,
    MissingText,
    Spent,
    claim_filling,
    purge_lanes,
    reuse_or_list,
    store_batch,
)

_log = structlog.get_logger(__name__)

BATCH_TEXTS = 128
"""Texts embedded between two commits, which is the most that a crash loses."""
SLICE_SECONDS = 3.0
"""Length of one slice; shorter than the grace period of a worker that is being stopped."""
_BEFORE_ALL = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembeddingJob:
    """The arguments of a queued re-embedding job."""

    workspace_id: UUID
    lane_id: int
    attempt: int
    """Number of earlier attempts at this slice, those during which the worker died included."""


async def reembed_slice(engine: Services, job: ReembeddingJob) -> None:
    """Fill the lane for one slice, then enqueue the next, or make the lane current.

    Raises if a retry may help. Any other failure ends the re-embedding with its reason; the stored
    vectors stay, and the same command continues from there.
    """
    limit = engine.settings.limits.attempts
    try:
        if job.attempt >= limit:
            await _fail(engine, job, f"the worker ended {job.attempt} times while it worked on it")
            return
        await _run_slice(engine, job)
    except (StoreFull, BlobsFull):
        raise  # The lane is not at fault: retried until there is space.
    except FootnoteError as error:
        if error.retryable and job.attempt + 1 < limit:
            raise
        await _fail(engine, job, error.with_hint)
    except Exception:
        _log.exception("reembedding_failed", workspace_id=str(job.workspace_id))
        if job.attempt + 1 < limit:
            raise
        await _fail(engine, job, "something unexpected happened; the worker's log says what")


async def purge_workspace(engine: Services, workspace_id: UUID) -> None:
    """Delete the lanes whose retention period has ended."""
    await purge_lanes(engine.database, engine.owner_url, workspace_id, RETENTION)


async def _run_slice(engine: Services, job: ReembeddingJob) -> None:
    claim = await claim_filling(engine.database, job.workspace_id, job.lane_id)
    if claim is None:
        return
    filling, rate = claim
    work = _Slice(
        engine=engine,
        filling=filling,
        embedder=await embedder_of(engine, filling.lane),
        texts_per_second=rate,
        ends_at=asyncio.get_running_loop().time() + SLICE_SECONDS,
    )
    delay = await work.fill()
    if delay is not None:
        async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
            await enqueue_reembedding(scope, job.lane_id, delay)


@dataclass(slots=True, kw_only=True)
class _Slice:
    """Some seconds of filling a lane."""

    engine: Services
    filling: Filling
    embedder: Embedder
    texts_per_second: float | None
    ends_at: float
    cancelled: bool = False

    async def fill(self) -> float | None:
        """Fill until the slice is over; return the seconds until the next, None without one."""
        while True:
            for kind in get_args(Kind):
                delay = await self._fill(kind)
                if delay is not None or self.cancelled:
                    return delay
            if await self._switch():
                return None
            if self._now() > self.ends_at:
                return 0.0

    async def _fill(self, kind: Kind) -> float | None:
        """Seconds until the next slice; None when nothing of the kind is left."""
        reached: int | None = _BEFORE_ALL
        while reached is not None:
            batch, reached = await reuse_or_list(
                self.engine.database,
                self.filling,
                kind,
                reached,
                BATCH_TEXTS,
            )
            pause = await self._embed(kind, batch) if batch else 0.0
            if self.cancelled:
                return None
            if reached is not None and self._now() + pause > self.ends_at:
                return pause
            await asyncio.sleep(pause)
        return None

    async def _embed(self, kind: Kind, batch: Sequence[MissingText]) -> float:
        """Embed and keep a batch; the seconds to rest, by the limit on texts."""
        started, before = self._now(), _usage(self.embedder)
        vectors = await self.embedder.embed_documents([without_data(entry.text) for entry in batch])
        after = _usage(self.embedder)
        stored = await store_batch(
            self.engine.database,
            self.filling,
            kind,
            (batch, vectors),
            Spent(
                texts_embedded=len(batch),
                tokens=after.tokens - before.tokens,
                cost_usd=after.cost - before.cost,
            ),
        )
        self.cancelled = not stored
        if self.texts_per_second is None:
            return 0.0
        return max(0.0, len(batch) / self.texts_per_second - (self._now() - started))

    async def _switch(self) -> bool:
        """Make the lane current, with an HNSW index if it is large; return whether it was done."""
        engine, filling = self.engine, self.filling
        workspace_id = filling.workspace_id
        threshold = engine.settings.hnsw_threshold_chunks
        if await is_large(engine.database, workspace_id, threshold):
            await build(engine.owner_url, workspace_id, filling.lane_id, filling.lane)
        async with engine.database.workspace(workspace_id, SYSTEM) as scope:
            switched = await switch_if_complete(scope, filling.lane_id, filling.current, RETENTION)
        if switched:
            _log.info(
                "lane_switched", workspace_id=str(workspace_id), lane=filling.lane.fingerprint
            )
        return switched

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


def _usage(embedder: Embedder) -> EmbeddingUsage:
    """Return the usage of a hosted embedding model so far; zero for other models."""
    return replace(getattr(embedder, "usage", EmbeddingUsage()))


async def _fail(engine: Services, job: ReembeddingJob, cause: str) -> None:
    async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
        await end_reembedding(scope, job.lane_id, ReembeddingState.FAILED, cause)
