"""Run jobs from the queue until stopped, and take over those of workers that died."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager

import psycopg
import structlog
from procrastinate import App
from procrastinate.app import WorkerOptions
from procrastinate.exceptions import ConnectorException

from footnote.engine import Services
from footnote.errors import FootnoteError, StoreUnavailable
from footnote.ingestion.chunk_policies import policy_named
from footnote.ingestion.parsing.ocr import ocr_lacking
from footnote.ingestion.parsing.subprocess import ChildParser
from footnote.ingestion.pipeline import EMBEDDING_BATCH, Ingestion
from footnote.ingestion.stages import LONGER_THAN_PARSING
from footnote.ingestion.turns import FairSemaphore, Shares
from footnote.jobs.bookkeeping import Bookkeeping
from footnote.jobs.isolated_retries import COMMAND, try_set_aside
from footnote.jobs.maintenance import begin_upkeep_after_upgrade
from footnote.jobs.media_models import media_models
from footnote.jobs.queue import NEWCOMERS, queue_app
from footnote.jobs.running_jobs import InHand
from footnote.models.batching import BATCH_TOKENS, CrossDocumentBatcher
from footnote.models.model_store import available_cores
from footnote.settings import Settings
from footnote.store.job_recovery import RecoveredJob, recover_stalled_jobs, requeue_jobs
from footnote.store.queue import SET_ASIDE_QUEUE

_log = structlog.get_logger(__name__)

_RECONNECT_SECONDS = 1.0
_LOCAL_BATCH_TOKENS = 4096
"""Tokens of one embedding batch on this machine. With larger ones, documents tend to finish at the
same time, and then nothing is left to embed; a service gets few, large batches instead."""
_FORGOTTEN_AFTER_SECONDS = 86_400.0
"""A starting worker unregisters workers without a heartbeat for this long. An unregistered worker
can take no more jobs and drops its current ones, so one that is only slow must not be."""
_LONGEST_DRAIN_SECONDS = 5.0
"""Longest time for current jobs to end on a stop; supervisors kill a worker after about ten."""


_IN_HAND_BYTES = 200 * 1024**2
"""Memory for all documents being ingested together, beside models and caches; one that needs more
is ingested alone. With the rest of a worker this fits a small machine."""
_EMBEDDED_DOCUMENTS = 2
"""Documents with a batch waiting for the packaged model; more would only make others wait."""
_THREADS = 2
"""Documents that are chunked or analysed at one time: Python code, so more threads gain nothing."""


async def run_worker(
    engine: Services,
    *,
    stop: asyncio.Event | None = None,
    set_aside: bool = False,
    on_idle: Callable[[], None] | None = None,
) -> None:
    """Run jobs until `stop` is set or the task is cancelled.

    Documents being ingested then have some seconds to finish. Those that do not go back to the
    queue without counting the attempt, and later continue from what is stored. With `set_aside`
    only documents that were being ingested when a worker died are tried, one by one, until none
    waits. `on_idle` is called whenever a job ends and no document is being ingested.
    """
    settings = engine.settings
    if settings.ocr_engine != "off" and settings.ocr != "auto":
        await asyncio.to_thread(_warn_of_lacking_ocr, settings)
    async with (
        media_models(settings) as models,
        ChildParser(
            ocr=settings.ocr_engine,
            ocr_languages=settings.ocr_languages,
            pictures=0 if settings.vision_model is None else settings.limits.pictures,
            # One more than there are shares, for a workspace that uses the reserve.
            processes=_parsers(settings) + 1,
            timeout_seconds=settings.seconds.parse,
            memory_bytes=settings.limits.memory_bytes,
            sandbox=settings.parser_sandbox,
        ) as parser,
    ):
        ingestion = Ingestion(
            parser=parser,
            transcriber=models.transcriber,
            describer=models.describer,
            embedder=CrossDocumentBatcher(
                inner=engine.embedder,
                batch_tokens=_LOCAL_BATCH_TOKENS
                if engine.lane.provider == "packaged"
                else BATCH_TOKENS,
            ),
            analyzer=engine.analyzer,
            policy=policy_named(settings.chunk_policy),
            max_file_bytes=settings.limits.bytes,
            detect_injections=engine.suspicion,
            reader_checksum=engine.suspicion.checksum,
            screening=settings.reader == "packaged",
            stage_seconds=stage_seconds(settings),
            shares=_shares(engine),
        )
        if set_aside:
            if engine.server is not None:
                engine.server.leave_to_others()
            await work_on_set_aside(engine, ingestion, stop or asyncio.Event())
        else:
            await work_on_queue(engine, ingestion, stop or asyncio.Event(), on_idle=on_idle)


def stage_seconds(settings: Settings) -> float:
    """Return the limit for a stage without progress, and for a blocked event loop, in seconds."""
    return LONGER_THAN_PARSING * settings.seconds.parse


def _warn_of_lacking_ocr(settings: Settings) -> None:
    """Warn at the start if the engine that FOOTNOTE_OCR names is missing: each scan would fail."""
    if lacking := ocr_lacking(settings.ocr_engine, settings.ocr_languages):
        _log.warning("scans cannot be read", reason=lacking[0], hint=lacking[1])


def _shares(engine: Services) -> Shares:
    """Return the shared capacities, with a reserve for workspaces that use none so far."""
    settings = engine.settings
    documents = settings.worker_concurrency
    if engine.lane.provider == "packaged":
        documents = min(documents, _EMBEDDED_DOCUMENTS)
    return Shares(
        memory=FairSemaphore(_IN_HAND_BYTES, _IN_HAND_BYTES // 4),
        parsing=FairSemaphore(_parsers(settings), 1),
        computing=FairSemaphore(_THREADS, 1),
        embedding=FairSemaphore(documents * EMBEDDING_BATCH, EMBEDDING_BATCH),
    )


def _parsers(settings: Settings) -> int:
    """Return the number of parser processes: a third of the concurrency, at most one per core."""
    return max(1, min(available_cores(), settings.worker_concurrency // 3))


async def work_on_queue(
    engine: Services,
    ingestion: Ingestion,
    stop: asyncio.Event,
    set_aside_command: Sequence[str] = COMMAND,
    on_idle: Callable[[], None] | None = None,
) -> None:
    """Run queued jobs until `stop` is set, and reconnect when the database is lost.

    What was being ingested when a worker died is retried by the command, in a child process.
    """
    books: list[Bookkeeping] = []
    async with _running(
        _take_over(engine, books),
        try_set_aside(engine, set_aside_command),
        _begin_upkeep(engine),
    ):
        while not stop.is_set():
            if await _put_back(engine, books):
                await _work_once(engine, ingestion, stop, {}, books, on_idle=on_idle)
            else:
                await _reconnect_later(stop)
    await _put_back(engine, books)


async def _begin_upkeep(engine: Services) -> None:
    """Enqueue maintenance after an upgrade; if this fails, the next worker that starts does it."""
    try:
        await begin_upkeep_after_upgrade(engine)
    except FootnoteError as error:
        _log.warning("upkeep_not_begun", reason=error.with_hint)


async def _put_back(engine: Services, books: list[Bookkeeping]) -> bool:
    """Put back jobs whose outcome could not be recorded, and drop managers of ended workers.

    As this process is alive, none of its jobs has crashed a worker, so no attempt counts. Returns
    False if the database is unreachable.
    """
    try:
        for book in tuple(books):
            unsettled = tuple(book.unsettled)
            if unsettled or book.over:
                await requeue_jobs(engine.database, book.worker_id, unsettled, everything=book.over)
            book.unsettled.difference_update(unsettled)
            if book.over and book in books:
                books.remove(book)
    except StoreUnavailable as error:
        _log.warning("queue_unreachable", reason=str(error))
        return False
    return True


async def work_on_set_aside(engine: Services, ingestion: Ingestion, stop: asyncio.Event) -> None:
    """Try what was set aside, one document at a time, until none waits or `stop` is set."""
    options = WorkerOptions(queues=[SET_ASIDE_QUEUE], concurrency=1, wait=False)
    books: list[Bookkeeping] = []
    await _work_once(engine, ingestion, stop, options, books)
    await _put_back(engine, books)


@asynccontextmanager
async def _running(*coroutines: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Run the coroutines as tasks for the length of the block, then cancel them."""
    tasks = [asyncio.create_task(coroutine) for coroutine in coroutines]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _work_once(
    engine: Services,
    ingestion: Ingestion,
    stop: asyncio.Event,
    options: WorkerOptions,
    all_books: list[Bookkeeping],
    *,
    on_idle: Callable[[], None] | None = None,
) -> None:
    """Work until it is told to stop, has nothing to wait for, or loses the database."""
    in_hand = InHand(engine.database)
    app, books = queue_app(engine, ingestion, in_hand, on_idle)
    all_books.append(books)
    try:
        await _work(app, books, in_hand, stop, _options(engine.settings) | options)
    except (ConnectorException, psycopg.OperationalError, StoreUnavailable) as error:
        _log.warning("queue_unreachable", reason=str(error.__cause__ or error).strip())
        await _reconnect_later(stop)
    finally:
        books.over = True
        await books.presence.end()


async def _reconnect_later(stop: asyncio.Event) -> None:
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), _RECONNECT_SECONDS)


def _options(settings: Settings) -> WorkerOptions:
    return WorkerOptions(
        concurrency=settings.worker_concurrency + NEWCOMERS,
        install_signal_handlers=False,
        fetch_job_polling_interval=1.0,
        # No heartbeat is sent while it drains, and no other worker may take over in that time.
        shutdown_graceful_timeout=min(_LONGEST_DRAIN_SECONDS, settings.seconds.worker / 2),
        delete_jobs="successful",
        update_heartbeat_interval=settings.seconds.worker / 5,
        stalled_worker_timeout=_FORGOTTEN_AFTER_SECONDS,
    )


async def _work(
    app: App, books: Bookkeeping, in_hand: InHand, stop: asyncio.Event, options: WorkerOptions
) -> None:
    async with app.open_async():
        worker = asyncio.create_task(app.run_worker_async(**options))
        stopped = asyncio.create_task(stop.wait())
        tasks = (worker, stopped)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            books.close()
            for task in tasks:
                task.cancel()
            if stop.is_set():
                await in_hand.excuse()
            outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome


async def _take_over(engine: Services, books: list[Bookkeeping]) -> None:
    """Put the jobs of workers without a heartbeat back on the queue, again and again.

    A worker whose process still holds its advisory lock has longer. After the database was
    unreachable no heartbeat could arrive, so every worker first gets time to send one.
    """
    silence_seconds = engine.settings.seconds.worker
    reachable_since = -math.inf
    while True:
        recovered: tuple[RecoveredJob, ...] = ()
        try:
            if not await _put_back(engine, books):
                reachable_since = time.monotonic()
            elif time.monotonic() - reachable_since > silence_seconds:
                own_ids = [book.worker_id for book in books]
                recovered = await recover_stalled_jobs(
                    engine.database, silence_seconds=silence_seconds, own=own_ids
                )
        except StoreUnavailable as error:
            _log.warning("queue_unreachable", reason=str(error))
            reachable_since = time.monotonic()
        except Exception:
            # If this task ended, jobs of dead workers would stay lost without notice.
            _log.exception("taking_over_failed")
        for job in recovered:
            _log.warning("job_taken_over", job_id=job.job_id, task=job.task, tries=job.attempts)
        await asyncio.sleep(silence_seconds / 2)
