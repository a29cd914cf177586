"""Works on the queue until it is told to stop, taking over from workers that died."""

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
from footnote.ingestion.chunk_policies import named_policy
from footnote.ingestion.parsing.ocr import ocr_lacking
from footnote.ingestion.parsing.subprocess import ChildParser
from footnote.ingestion.pipeline import EMBEDDING_BATCH, Ingestion
from footnote.ingestion.stages import LONGER_THAN_PARSING
from footnote.ingestion.turns import Shares, Turns
from footnote.jobs.bookkeeping import Bookkeeping
from footnote.jobs.in_hand import InHand
from footnote.jobs.maintenance import begin_upkeep_after_upgrade
from footnote.jobs.media_models import media_models
from footnote.jobs.queue import NEWCOMERS, queue_app
from footnote.jobs.set_aside import COMMAND, try_set_aside
from footnote.models.batching import BATCH_TOKENS, CrossDocumentBatcher
from footnote.models.model_store import available_cores
from footnote.settings import Settings
from footnote.store.job_recovery import RecoveredJob, put_back, recover_stalled_jobs
from footnote.store.queue import SET_ASIDE_QUEUE

_log = structlog.get_logger(__name__)

_RECONNECT_SECONDS = 1.0
_LOCAL_BATCH_TOKENS = 4096
"""In larger batches documents reach their ends together, and then nothing is left to embed; a
service is asked seldom, and for much."""
_FORGOTTEN_AFTER_SECONDS = 86_400.0
"""Whoever starts forgets workers that were silent for so long. One that is forgotten can take no
job any more and drops those in hand, so one that is only slow must not be."""
_LONGEST_DRAIN_SECONDS = 5.0
"""What is in hand may take so long to end; whoever stops a worker kills it after some ten."""


_IN_HAND_BYTES = 200 * 1024**2
"""Memory that the documents in hand take together, beside models and caches; one that needs more is
ingested alone. With the rest of a worker it stays within what small machines have."""
_EMBEDDED_DOCUMENTS = 2
"""Of which a batch of texts waits for the packaged model; more would only keep others waiting."""
_THREADS = 2
"""Documents that are divided or analysed at one moment: it is Python, and takes turns anyway."""


async def run_worker(
    engine: Services,
    *,
    stop: asyncio.Event | None = None,
    set_aside: bool = False,
    on_idle: Callable[[], None] | None = None,
) -> None:
    """Work until `stop` is set or the task is cancelled.

    Documents in hand then have some seconds to end. Those that do not go back to the queue as if
    this try had not been, and go on after what is finished of them. With `set_aside` only those
    are tried that were in hand when a worker died, one by one, until none waits. `on_idle` is
    called whenever a job is over and no document is in hand any more.
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
            # One more than there are turns, for a workspace that has none.
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
            policy=named_policy(settings.chunk_policy),
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
    """How long a stage may go on without coming forward, and an event loop may stand still."""
    return LONGER_THAN_PARSING * settings.seconds.parse


def _warn_of_lacking_ocr(settings: Settings) -> None:
    """Say at the start that what FOOTNOTE_OCR names is not there: scans would fail one by one."""
    if lacking := ocr_lacking(settings.ocr_engine, settings.ocr_languages):
        _log.warning("scans cannot be read", reason=lacking[0], hint=lacking[1])


def _shares(engine: Services) -> Shares:
    """What documents share, with a reserve for those of workspaces that have none in hand."""
    settings = engine.settings
    documents = settings.worker_concurrency
    if engine.lane.provider == "packaged":
        documents = min(documents, _EMBEDDED_DOCUMENTS)
    return Shares(
        memory=Turns(_IN_HAND_BYTES, _IN_HAND_BYTES // 4),
        parsing=Turns(_parsers(settings), 1),
        computing=Turns(_THREADS, 1),
        embedding=Turns(documents * EMBEDDING_BATCH, EMBEDDING_BATCH),
    )


def _parsers(settings: Settings) -> int:
    """Files read at one moment: a third of the documents in hand, and no more than cores."""
    return max(1, min(available_cores(), settings.worker_concurrency // 3))


async def work_on_queue(
    engine: Services,
    ingestion: Ingestion,
    stop: asyncio.Event,
    set_aside_command: Sequence[str] = COMMAND,
    on_idle: Callable[[], None] | None = None,
) -> None:
    """Do what is queued by these stages until `stop` is set; a lost database is waited out.

    What was in hand when a worker died is tried by the command, in a process of its own.
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
    """Have what an earlier version wrote looked at; where this fails, the next worker does."""
    try:
        await begin_upkeep_after_upgrade(engine)
    except FootnoteError as error:
        _log.warning("upkeep_not_begun", reason=error.with_hint)


async def _put_back(engine: Services, books: list[Bookkeeping]) -> bool:
    """Put back what could not be settled, and forget the books that nothing is left of.

    This process lives, so nothing that it had in hand cost a worker its life. False when the
    database is away.
    """
    try:
        for each in tuple(books):
            unsettled = tuple(each.unsettled)
            if unsettled or each.over:
                await put_back(engine.database, each.worker_id, unsettled, everything=each.over)
            each.unsettled.difference_update(unsettled)
            if each.over and each in books:
                books.remove(each)
    except StoreUnavailable as error:
        _log.warning("queue_unreachable", reason=str(error))
        return False
    return True


async def work_on_set_aside(engine: Services, ingestion: Ingestion, stop: asyncio.Event) -> None:
    """Try what was set aside, one document at a time, until none waits or `stop` is set."""
    alone = WorkerOptions(queues=[SET_ASIDE_QUEUE], concurrency=1, wait=False)
    books: list[Bookkeeping] = []
    await _work_once(engine, ingestion, stop, alone, books)
    await _put_back(engine, books)


@asynccontextmanager
async def _running(*beside: Coroutine[None, None, None]) -> AsyncIterator[None]:
    """Let these go on for the length of the block."""
    tasks = [asyncio.create_task(each) for each in beside]
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
        # Its heart no longer beats while it drains; nobody must take over meanwhile.
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
    """Give the jobs of workers that fell silent back to the queue, again and again.

    One whose process lives may be silent for longer. After the database was away nobody has been
    heard: everyone then has time to speak first.
    """
    silence = engine.settings.seconds.worker
    back_since = -math.inf
    while True:
        taken: tuple[RecoveredJob, ...] = ()
        try:
            if not await _put_back(engine, books):
                back_since = time.monotonic()
            elif time.monotonic() - back_since > silence:
                own = [each.worker_id for each in books]
                taken = await recover_stalled_jobs(
                    engine.database, silence_seconds=silence, own=own
                )
        except StoreUnavailable as error:
            _log.warning("queue_unreachable", reason=str(error))
            back_since = time.monotonic()
        except Exception:
            # Ended, it would leave jobs with those who die, and nobody would know.
            _log.exception("taking_over_failed")
        for job in taken:
            _log.warning("job_taken_over", job_id=job.job_id, task=job.task, tries=job.attempts)
        await asyncio.sleep(silence / 2)
