"""Works on the queue until it is told to stop, taking over from workers that died."""

from __future__ import annotations

import asyncio
import contextlib

import psycopg
import structlog
from procrastinate import App
from procrastinate.exceptions import ConnectorException

from footnote.engine import Engine
from footnote.ingestion.chunk_policies import named_policy
from footnote.ingestion.parsing.archives import ArchiveLimits
from footnote.ingestion.parsing.reading import ReadingOptions
from footnote.ingestion.parsing.subprocess import ChildParser
from footnote.ingestion.pipeline import Ingestion
from footnote.jobs.queue import queue_app
from footnote.models.batching import CrossDocumentBatcher

_log = structlog.get_logger(__name__)

_RECONNECT_SECONDS = 1.0
_DRAIN_SECONDS = 60.0


async def run_worker(engine: Engine, *, stop: asyncio.Event | None = None) -> None:
    """Work until `stop` is set or the task is cancelled; jobs in hand are finished first.

    A lost database connection is waited out.
    """
    stop = stop or asyncio.Event()
    settings = engine.settings
    async with ChildParser(
        options=ReadingOptions(
            ocr=settings.ocr,
            ocr_languages=settings.ocr_languages,
            max_pages=settings.max_pages,
            archive=ArchiveLimits(
                max_depth=settings.archive_max_depth,
                max_members=settings.archive_max_members,
                max_bytes=settings.archive_max_bytes,
                max_ratio=settings.archive_max_ratio,
            ),
        ),
        processes=settings.parse_processes,
        timeout_seconds=settings.parse_timeout_seconds,
        memory_bytes=settings.parse_memory_bytes,
    ) as parser:
        ingestion = Ingestion(
            parser=parser,
            embedder=CrossDocumentBatcher(
                inner=engine.embedder, batch_tokens=settings.embedding_batch_tokens
            ),
            analyzer=engine.analyzer,
            policy=named_policy(
                settings.chunk_policy,
                target_tokens=settings.chunk_tokens,
                overlap_sentences=settings.chunk_overlap_sentences,
                class_targets=settings.chunk_class_targets,
            ),
            max_file_bytes=settings.max_file_bytes,
        )
        while not stop.is_set():
            try:
                await _work(queue_app(engine, ingestion), engine, stop)
            except (ConnectorException, psycopg.OperationalError) as error:
                _log.warning("queue_unreachable", reason=str(error).strip())
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), _RECONNECT_SECONDS)


async def _work(app: App, engine: Engine, stop: asyncio.Event) -> None:
    settings = engine.settings
    async with app.open_async():
        worker = asyncio.create_task(
            app.run_worker_async(
                concurrency=settings.worker_concurrency,
                install_signal_handlers=False,
                fetch_job_polling_interval=1.0,
                shutdown_graceful_timeout=_DRAIN_SECONDS,
                delete_jobs="successful",
                update_heartbeat_interval=settings.worker_heartbeat_seconds,
                stalled_worker_timeout=settings.worker_stalled_seconds,
            )
        )
        rescue = asyncio.create_task(_take_over(app, engine))
        stopped = asyncio.create_task(stop.wait())
        tasks = (worker, rescue, stopped)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome


async def _take_over(app: App, engine: Engine) -> None:
    """Give the jobs of workers that fell silent back to the queue, again and again."""
    silence = engine.settings.worker_stalled_seconds
    while True:
        for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=silence):
            _log.warning("job_taken_over", job_id=job.id, task=job.task_name)
            await app.job_manager.retry_job(job)
        await asyncio.sleep(silence / 2)
