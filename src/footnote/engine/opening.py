"""Wires the packages into an engine, as the settings say."""

from __future__ import annotations

import asyncio
import sys
from contextlib import AsyncExitStack
from functools import partial

import structlog

from footnote.answering import ReaderAnswerer
from footnote.answering.answer_scoring import LogitAnswerScorer, ReaderAnswerScorer, fitted
from footnote.answering.injection_detection import InjectionDetector
from footnote.domain.identity import DEFAULT_WORKSPACE
from footnote.engine.answer_models import answer_models_from, plain
from footnote.engine.answer_runs import AnswerRuns
from footnote.engine.audit_log import AuditLog
from footnote.engine.configured_models import (
    ConfiguredModels,
    configured_models,
    half_a_search,
)
from footnote.engine.credential_settings import credentials_from
from footnote.engine.encryption import key_ring_from
from footnote.engine.failed_credentials import FailedCredentials
from footnote.engine.installation import Engine
from footnote.engine.lanes import embedders_from
from footnote.engine.metering import Metering
from footnote.engine.model_keys import warn_of_unused_model_keys
from footnote.engine.pages import BlobsWithPages, renderer_from
from footnote.engine.rate_limits import rate_limits_from
from footnote.engine.stages import fusion_choices, plans_of
from footnote.errors import StoreUnavailable, UnsupportedSettings
from footnote.index.analysis import TextAnalyzer
from footnote.ingestion.rendering.cache import PdfCache
from footnote.ingestion.sandbox.trial import require_sandbox
from footnote.ingestion.sources.places import allowed_locations
from footnote.knowledge.question_names import names_in
from footnote.language.detection import share_identifier_in
from footnote.ports import Analyzer, Embedder
from footnote.retrieval.cache import SemanticCache, answer_bytes
from footnote.retrieval.followup import FollowUpRewriter
from footnote.retrieval.gathering import Gather
from footnote.retrieval.generation_cache import GenerationCache
from footnote.retrieval.phrasing import Phrase
from footnote.retrieval.pipeline import Search
from footnote.retrieval.refinement import Refine
from footnote.retrieval.rerank import Rerank
from footnote.retrieval.spelling import Correct
from footnote.security.gateway import networks_from
from footnote.settings import Settings, listed, load_settings
from footnote.store.addresses import DatabaseUrls, name_of, reachable
from footnote.store.blobs import blobs_from
from footnote.store.database import Database
from footnote.store.embedded import (
    APPLICATION_ROLE,
    OWNER_ROLE,
    EmbeddedPostgres,
    start_embedded,
)
from footnote.store.events import Listener
from footnote.store.home import private_folder, require_home, require_usable
from footnote.store.index_cache import IndexCache
from footnote.store.migrate import migrate
from footnote.store.object_stores import require_known_options, variable_of
from footnote.store.pools import open_database, open_replica
from footnote.store.postgres_watch import watch_server
from footnote.store.queue import queue_state
from footnote.store.replicas import Replica, Replicas
from footnote.store.sealed_blobs import SealedBlobs
from footnote.store.traces import keeper
from footnote.store.vector_cache import VectorCache
from footnote.telemetry.prices import prices_from
from footnote.telemetry.switching import telemetry_of

_VECTORS, _INDEX, _SEARCHES, _ANSWERS = 8, 8, 2, 1
_PARTS = _VECTORS + _INDEX + _SEARCHES + _ANSWERS
"""Shares of the memory for caches: vectors and postings are large, results small."""


async def open_engine(
    settings: Settings | None = None, *, models_at_first_use: bool = False
) -> Engine:
    """Start and migrate the database, and load the embedding model, lazily if so requested.

    Raises StoreUnavailable, LaneUnavailable, or UnsupportedSettings where parsers must be confined
    and cannot be, each with what to do about it.
    """
    if not structlog.is_configured():
        # Its default prints to standard output, which belongs to the caller.
        structlog.configure(logger_factory=lambda *_: structlog.PrintLogger(sys.stderr))
    settings = settings or load_settings()
    _refuse_urls_without_database(settings)
    if settings.parser_sandbox == "required":
        require_sandbox()
    prices = prices_from(settings.prices)
    telemetry = telemetry_of(settings)
    allowed_locations(listed(settings.source_places), DEFAULT_WORKSPACE)  # Refused before its use.
    for name in ("blob_options", "backup_options", "source_options"):
        require_known_options(plain(getattr(settings, name)), name)
    stored = blobs_from(settings.home / "blobs", settings.blob_url, plain(settings.blob_options))
    await asyncio.to_thread(make_home, settings)
    share_identifier_in(settings.home / "models")
    keys = key_ring_from(settings)
    proxies = networks_from(settings.proxy_addresses, "proxy_addresses")
    credentials = credentials_from(settings)
    warn_of_unused_model_keys(settings)
    embedders = embedders_from(settings, at_first_use=models_at_first_use)
    server = None
    loading = asyncio.create_task(embedders.primary())  # beside the start of the database
    async with AsyncExitStack() as stack:
        stack.push_async_callback(embedders.close)
        # A thread that loads cannot be stopped.
        stack.push_async_callback(partial(asyncio.gather, loading, return_exceptions=True))
        if settings.database_url is None:
            server = await asyncio.to_thread(start_embedded, settings.home)
            stack.callback(server.release)
        urls = database_urls(settings, server)
        await asyncio.to_thread(migrate, urls.owner)
        database = await open_database(
            urls.application, settings.pool_size, half_a_search(settings), keys
        )
        stack.push_async_callback(database.pool.close)
        _require_direct_url(database, urls)
        replicas = await _replicas(settings, database, stack)
        embedder = await loading
        if telemetry is not None:
            telemetry.attach(
                keeper(urls.application, settings.traces_kept_hours),
                partial(queue_state, urls.application),
            )
            stack.push_async_callback(asyncio.to_thread, telemetry.detach)
        analyzer = TextAnalyzer()
        models = configured_models(settings)
        blobs = SealedBlobs(stored, database.sealing)
        audit = AuditLog(database=database, keeps_queries=settings.audit_queries)
        pdfs = PdfCache(settings.home / "pages")
        part = settings.cache_bytes // _PARTS
        engine = Engine(
            settings=settings,
            lane=embedder.lane,
            database=database,
            urls=urls,
            replicas=replicas,
            blobs=BlobsWithPages(blobs, pdfs),
            stored_files=blobs,
            pages=renderer_from(settings, pdfs, blobs),
            listener=Listener(urls.direct),
            audit=audit,
            rate_limits=rate_limits_from(settings, database),
            metering=Metering(database=database, prices=prices),
            embedder=embedder,
            embedders=embedders,
            analyzer=analyzer,
            cache=IndexCache(part * _INDEX),
            vector_cache=VectorCache(part * _VECTORS, settings.home),
            search_stages=_search_stages(settings, embedder, analyzer, models),
            answerer=ReaderAnswerer(
                reader=models.reader,
                namer=models.reader,
                finder=models.reader,
                analyzer=analyzer,
                least_answerability=fitted().least,
                undecided=fitted().undecided,
                weigh=ReaderAnswerScorer()
                if models.reader is None
                else LogitAnswerScorer(
                    reader=models.reader,
                    embedder=embedder,
                    analyzer=analyzer,
                    coefficients=fitted(),
                ),
            ),
            answer_models=answer_models_from(settings),
            credentials=credentials,
            failed_credentials=FailedCredentials(
                database=database,
                audit=audit,
                proxies=proxies,
                secret=lambda: credentials.pepper.derived("failed credentials"),
            ),
            reranker=models.reranker,
            model=models.language,
            reader=models.reader,
            suspicion=InjectionDetector(
                reader=models.reader,
                checksum=None if models.reader is None else models.reader.checksum,
            ),
            judge=models.judge,
            answer_cache=GenerationCache(
                capacity_bytes=part * _ANSWERS,
                measure=answer_bytes,
            ),
            answer_runs=AnswerRuns(),
            server=None if server is None else watch_server(server),
            telemetry=telemetry,
        )
        stack.pop_all()  # From now on the engine closes them.
    return engine


def make_home(settings: Settings) -> None:
    """Make the folder of the installation, if it is not there yet. Raises UnsupportedSettings."""
    (require_usable if settings.database_url is None else require_home)(settings.home)
    try:
        private_folder(settings.home)
    except OSError as error:
        raise UnsupportedSettings(
            f"{settings.home} cannot be used: {error.strerror}",
            hint="set FOOTNOTE_HOME to a folder you may write to",
        ) from error


def database_urls(settings: Settings, server: EmbeddedPostgres | None) -> DatabaseUrls:
    """Return the database URLs of the application, past a pooler, and of the tables' owner."""
    if server is not None:
        url = server.url(APPLICATION_ROLE)
        return DatabaseUrls(application=url, direct=url, owner=server.url(OWNER_ROLE))
    assert settings.database_url is not None, "without a URL the server is embedded"
    direct = settings.direct_database_url or settings.database_url
    return DatabaseUrls(
        application=reachable(settings.database_url),
        direct=reachable(direct),
        owner=reachable(settings.owner_database_url or direct),
    )


async def _replicas(settings: Settings, primary: Database, stack: AsyncExitStack) -> Replicas:
    """Open the replicas that the settings name, and start watching them."""
    limits = settings.pool_size, half_a_search(settings)
    opened_replicas = []
    for url in settings.replica_database_urls.split():
        database = await open_replica(reachable(url), *limits, primary)
        stack.push_async_callback(database.pool.close)
        opened_replicas.append(Replica(name=name_of(url), database=database))
    replicas = Replicas(
        primary=primary,
        replicas=opened_replicas,
        max_lag_seconds=settings.seconds.replica,
    )
    replicas.watch()
    stack.push_async_callback(replicas.close)
    return replicas


def _refuse_urls_without_database(settings: Settings) -> None:
    """Raise UnsupportedSettings for a direct or owner URL without a database URL."""
    url_settings = ("direct_database_url", "owner_database_url")
    if settings.database_url is None and (
        names := [name for name in url_settings if getattr(settings, name) is not None]
    ):
        raise UnsupportedSettings(
            f"The setting {names[0]} is another way to the server of database_url, which is unset.",
            hint=f"set FOOTNOTE_DATABASE_URL, or unset {variable_of(names[0])} for an embedded "
            "database",
        )


def _require_direct_url(database: Database, urls: DatabaseUrls) -> None:
    if database.pooled and urls.direct == urls.application:
        raise StoreUnavailable(
            "a connection pooler stands before the database, and what belongs to one connection "
            "must go past it",
            hint="set FOOTNOTE_DIRECT_DATABASE_URL to the address of Postgres itself",
        )


def _search_stages(
    settings: Settings,
    embedder: Embedder,
    analyzer: Analyzer,
    models: ConfiguredModels,
) -> Search:
    """The stages of a search as the settings have them."""
    reranker, model = models.reranker, models.language
    return Search(
        phrase=Phrase(
            embedder=embedder,
            model=model,
            rewrite_follow_up=FollowUpRewriter(rewriter=models.reader),
        ),
        gather=Gather(
            embedder=embedder,
            analyzer=analyzer,
            correct=Correct(analyzer, embedder),
            choices=fusion_choices(settings),
            names_in=names_in,
            recall_limit=settings.recall_limit,
            candidates=settings.rerank_top_k,
            mmr_candidates=settings.mmr_candidates,
        ),
        refine=Refine(
            rerank=None
            if reranker is None
            else Rerank(reranker=reranker, candidates=settings.rerank_top_k),
        ),
        plans=plans_of(settings, has_reranker=reranker is not None, writes=model is not None),
        default_plan=settings.plan,
        model=model,
        top_k=settings.top_k,
        min_similarity=settings.min_similarity,
        cache=SemanticCache(
            capacity_bytes=settings.cache_bytes // _PARTS * _SEARCHES,
        ),
    )
