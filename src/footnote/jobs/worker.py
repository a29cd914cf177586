"""Works on the queue until it is told to stop, taking over from workers that died."""

from __future__ import annotations

import asyncio
import contextlib

import psycopg
import structlog
from procrastinate import App
from procrastinate.exceptions import ConnectorException

from footnote.answering.suspicion import gives_orders
from footnote.engine import Engine
from footnote.errors import StoreUnavailable
from footnote.ingestion.chunk_policies import named_policy
from footnote.ingestion.parsing.archives import ArchiveLimits
from footnote.ingestion.parsing.reading import ReadingOptions
from footnote.ingestion.parsing.subprocess import ChildParser
from footnote.ingestion.pipeline import Ingestion
from footnote.jobs.in_hand import InHand
from footnote.jobs.queue import queue_app
from footnote.jobs.senses import senses
from footnote.models.batching import CrossDocumentBatcher
from footnote.store.handover import take_over

_log = structlog.get_logger(__name__)

_RECONNECT_SECONDS = 1.0
_LOCAL_BATCH_TOKENS = 4096
"""In larger batches documents reach their ends together, and then nothing is left to embed."""
_LONGEST_DRAIN_SECONDS = 5.0
"""What is in hand may take so long to end; whoever stops a worker kills it after some ten."""


async def run_worker(engine: Engine, *, stop: asyncio.Event | None = None) -> None:
    """Work until `stop` is set or the task is cancelled.

    Documents in hand then have some seconds to end. Those that do not go back to the queue as if
    this try had not been, and go on after what is finished of them.
    """
    settings = engine.settings
    async with (
        senses(settings) as models,
        ChildParser(
            options=ReadingOptions(
                ocr=settings.ocr,
                ocr_languages=settings.ocr_languages,
                max_pages=settings.max_pages,
                pictures=0 if settings.vision_model is None else settings.vision_max_pictures,
                archive=ArchiveLimits(
                    max_depth=settings.archive_max_depth,
                    max_members=settings.archive_max_members,
                    max_bytes=settings.archive_max_bytes,
                    max_ratio=settings.archive_max_ratio,
                ),
            ),
            processes=settings.parse_processes,
            timeout_seconds=settings.parse_timeout_seconds,
            cpu_seconds=settings.parse_cpu_seconds,
            memory_bytes=settings.parse_memory_bytes,
        ) as parser,
    ):
        ingestion = Ingestion(
            parser=parser,
            transcriber=models.transcriber,
            describer=models.describer,
            embedder=CrossDocumentBatcher(
                inner=engine.embedder, batch_tokens=_shared_batch_tokens(engine)
            ),
            analyzer=engine.analyzer,
            policy=named_policy(
                settings.chunk_policy,
                target_tokens=settings.chunk_tokens,
                overlap_sentences=settings.chunk_overlap_sentences,
                class_targets=settings.chunk_class_targets,
            ),
            max_file_bytes=settings.max_file_bytes,
            gives_orders=gives_orders,
        )
        await work_on_queue(engine, ingestion, stop or asyncio.Event())


def _shared_batch_tokens(engine: Engine) -> int:
    """Padded tokens of a batch that documents share; a service is asked seldom, and for much."""
    asked = engine.settings.embedding_batch_tokens
    return min(asked, _LOCAL_BATCH_TOKENS) if engine.lane.provider == "packaged" else asked


async def work_on_queue(engine: Engine, ingestion: Ingestion, stop: asyncio.Event) -> None:
    """Do what is queued by these stages until `stop` is set; a lost database is waited out."""
    while not stop.is_set():
        in_hand = InHand(engine.database)
        try:
            await _work(queue_app(engine, ingestion, in_hand), engine, in_hand, stop)
        except (ConnectorException, psycopg.OperationalError, StoreUnavailable) as error:
            _log.warning("queue_unreachable", reason=str(error).strip())
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _RECONNECT_SECONDS)


async def _work(app: App, engine: Engine, in_hand: InHand, stop: asyncio.Event) -> None:
    settings = engine.settings
    async with app.open_async():
        worker = asyncio.create_task(
            app.run_worker_async(
                concurrency=settings.worker_concurrency,
                install_signal_handlers=False,
                fetch_job_polling_interval=1.0,
                # Its heart no longer beats while it drains; nobody must take over meanwhile.
                shutdown_graceful_timeout=min(
                    _LONGEST_DRAIN_SECONDS, settings.worker_stalled_seconds / 2
                ),
                delete_jobs="successful",
                update_heartbeat_interval=settings.worker_heartbeat_seconds,
                stalled_worker_timeout=settings.worker_stalled_seconds,
            )
        )
        rescue = asyncio.create_task(_take_over(engine))
        stopped = asyncio.create_task(stop.wait())
        tasks = (worker, rescue, stopped)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            if stop.is_set():
                await in_hand.excuse()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome


async def _take_over(engine: Engine) -> None:
    """Give the jobs of workers that fell silent back to the queue, again and again."""
    silence = engine.settings.worker_stalled_seconds
    while True:
        for job in await take_over(
            engine.database,
            silence_seconds=silence,
            max_attempts=engine.settings.max_attempts,
        ):
            _log.warning("job_taken_over", job_id=job.job_id, task=job.task, tries=job.attempts)
        await asyncio.sleep(silence / 2)
