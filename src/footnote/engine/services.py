"""The dependencies of every verb: the parts of an engine, and a workspace as one principal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self, TypeVar
from uuid import UUID

import structlog

from footnote.answering import ReaderAnswerer
from footnote.answering.injection_detection import InjectionDetector
from footnote.domain import Answer, Identity, Lane, Principal, Right, Workspace
from footnote.domain.identity import WHOLE_WORKSPACE
from footnote.domain.replicas import LATEST, Position
from footnote.domain.sharing import LINK_CREDENTIAL
from footnote.engine.answer_runs import AnswerRuns
from footnote.engine.audit_log import AuditLog
from footnote.engine.authentication import Credentials
from footnote.engine.failed_credentials import FailedCredentials
from footnote.engine.map_layouts import MapLayouts
from footnote.engine.metering import Metering
from footnote.engine.rate_limits import LastRateLimit, RateLimits
from footnote.engine.stages import KnownConfigurations
from footnote.errors import FootnoteError, Forbidden, InvalidRequest, NotFound, NotReady
from footnote.ingestion.rendering.renderer import PageRenderer
from footnote.models.aligned import AlignedEncoder
from footnote.models.answer_models import AnswerModels
from footnote.models.breaker import GuardedReranker
from footnote.models.embedders import Embedders
from footnote.models.judges import OwnedJudge
from footnote.models.readers import OwnedReader
from footnote.ports import Analyzer, Blobs, Embedder, Index
from footnote.ports.index import ReplicaLost
from footnote.retrieval.cache import answer_bytes
from footnote.retrieval.generation_cache import GenerationCache
from footnote.retrieval.pipeline import Search
from footnote.settings import Settings
from footnote.store.addresses import DatabaseUrls
from footnote.store.database import SYSTEM, Database, WorkspaceScope
from footnote.store.dense import DenseBreadth
from footnote.store.events import Listener
from footnote.store.index_cache import IndexCache
from footnote.store.postgres_watch import WatchedPostgres
from footnote.store.publishing import MaintenanceLimits
from footnote.store.recall import PostgresIndex
from footnote.store.replicas import Replicas
from footnote.store.sealed_blobs import SealedBlobs
from footnote.store.vector_cache import VectorCache
from footnote.telemetry.switching import Telemetry

if TYPE_CHECKING:
    # It imports the client libraries of an extra.
    from footnote.models.writing import WritingModel


R = TypeVar("R")

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The search and answering stages of one lane."""

    embedder: Embedder
    stages: Search
    answerer: ReaderAnswerer

    @property
    def statements(self) -> Embedder:
        """The embedder that compares statements of answers: MiniLM alone in the packaged lane.

        The parameters of that comparison are fitted to MiniLM.
        """
        return self.embedder.english if isinstance(self.embedder, AlignedEncoder) else self.embedder


@dataclass(slots=True)
class LastPosition:
    """How far the caller has seen the database, for reads of replicas."""

    position: Position | None = None
    of_replica: bool = False
    """Whether a replica served the last act; a replica may lag behind the primary."""


@dataclass(slots=True, kw_only=True)
class LaneCache:
    """A cache of the lane of each workspace, and of the stages that serve each lane.

    An entry may be out of date: the index then refuses the lane, and it is looked up again.
    """

    of_workspace: dict[UUID, Lane] = field(default_factory=dict)
    serving: dict[str, Serving] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True, repr=False)
class Services:
    """The dependencies of an engine, wired once."""

    settings: Settings
    lane: Lane
    """The lane of new workspaces."""
    database: Database
    urls: DatabaseUrls
    replicas: Replicas
    """Read replicas that may serve searches, answers and lists instead of the primary."""
    blobs: Blobs
    stored_files: SealedBlobs
    """The encrypted store of original files, without the files rendered for viewing."""
    pages: PageRenderer
    listener: Listener
    audit: AuditLog
    rate_limits: RateLimits
    metering: Metering
    embedder: Embedder
    """The embedder of new workspaces; `lanes.embedder_of` gives that of a lane."""
    embedders: Embedders
    analyzer: Analyzer
    cache: IndexCache
    vector_cache: VectorCache
    search_stages: Search
    answerer: ReaderAnswerer
    answer_models: AnswerModels
    credentials: Credentials
    """Verifies credentials."""
    failed_credentials: FailedCredentials
    reranker: GuardedReranker | None = None
    model: WritingModel | None = None
    reader: OwnedReader | None = None
    """The model that extracts answers from passages; None if absent or switched off."""
    suspicion: InjectionDetector = field(default_factory=InjectionDetector)
    """Detects texts with prompt injection."""
    judge: OwnedJudge | None = None
    """The model that judges whether quotes support a generated statement."""
    server: WatchedPostgres | None = None
    telemetry: Telemetry | None = None
    """The telemetry of this process; None if it is off."""
    known_lanes: LaneCache = field(default_factory=LaneCache)
    known_configurations: KnownConfigurations = field(default_factory=KnownConfigurations)
    answer_cache: GenerationCache[Answer] = field(
        default_factory=lambda: GenerationCache[Answer](capacity_bytes=0, measure=answer_bytes)
    )
    map_layouts: MapLayouts = field(default_factory=MapLayouts)
    """Cached layouts of document maps."""
    answer_runs: AnswerRuns = field(default_factory=AnswerRuns)
    """Streamed answers in progress and just finished."""

    def forget_cached(self, workspace_id: UUID) -> int:
        """Clear this process's caches of a workspace; return how many entries they had.

        Other processes do not use entries cached before a deletion; they evict them during later
        searches, or after five minutes.
        """
        caches = (
            self.search_stages.cache,
            self.answer_cache,
            self.cache,
            self.vector_cache,
            self.answer_runs,
            self.map_layouts,
        )
        return sum(cache.forget(workspace_id) for cache in caches)

    @property
    def owner_url(self) -> str:
        """The connection URL of the owner of the tables."""
        return self.urls.owner

    @property
    def maintenance_limits(self) -> MaintenanceLimits:
        """The limits at which maintenance of an index is due."""
        return MaintenanceLimits(
            hnsw_threshold_chunks=self.settings.hnsw_threshold_chunks,
            extract_facts=self.settings.facts != "off",
            cluster=self.settings.clusters != "off",
            extract_entities=self.settings.entities != "off",
            summarise=self.settings.summaries != "off",
        )

    @property
    def encrypts(self) -> bool:
        """Whether the content of new workspaces is encrypted."""
        return self.settings.encryption == "on"

    def serve_metrics(self) -> None:
        """Serve Prometheus metrics where the settings ask for it, once per process.

        Raises UnsupportedSettings where the port is taken.
        """
        address = self.settings.metrics_at
        if self.telemetry is not None and address is not None:
            self.telemetry.serve_metrics(*address)

    def require_open(self) -> None:
        """Raise NotReady if the engine is closed."""
        if self.database.pool.closed:
            raise NotReady("the engine was closed", hint="open it again: footnote.open()")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceAccess:
    """One workspace as one principal; no other can be reached through it."""

    engine: Services
    workspace: Workspace
    principal: Principal
    rights: frozenset[Right] = frozenset(Right)
    """The scopes of the credential; they limit the roles of its owner."""
    credential: str = "local"
    """The credential that authenticated the principal, without its secret."""
    rate_limit: LastRateLimit = field(default_factory=LastRateLimit, compare=False)
    claimed: Principal | None = None
    """The principal as the credential states it, before the workspace adds granted roles."""
    in_background: bool = False
    """Whether a job acts for the caller; what it does does not count in the rate limit."""
    after: Position | None = None
    """The WAL position that a replica must have replayed to serve this caller's reads."""
    last_seen: LastPosition = field(default_factory=LastPosition, compare=False)
    """How far the caller has seen the primary, where there are replicas; searches do not count."""

    @property
    def workspace_id(self) -> UUID:
        """The id of the workspace."""
        return self.workspace.workspace_id

    @property
    def proved_identity(self) -> Identity:
        """The caller as its credential proved it, for work that is done later."""
        claimed = self.claimed or self.principal
        return Identity(
            principal=replace(claimed, principal_id=self.principal.principal_id),
            role=claimed.role,
            collections=claimed.collections,
            rights=self.rights,
            credential=self.credential,
        )

    def require_open(self) -> None:
        """Raise NotReady if the engine is closed."""
        self.engine.require_open()

    def require(self, right: Right, collection: str | None = None) -> None:
        """Raise Forbidden without the right in the collection, or in any if none is named."""
        if right not in self.rights:
            raise Forbidden(
                f"the credential may not be used to {right}",
                hint="use one with that scope: `footnote keys create --help`",
            )
        if not self.principal.may(right, collection):
            location = {None: "here", WHOLE_WORKSPACE: "in the whole workspace"}.get(
                collection, f"in the collection {collection!r}"
            )
            raise Forbidden(
                f"{self.principal.principal_id} may not {right} {location}",
                hint="an administrator can grant the role: `footnote access grant --help`",
            )

    def refuse_guest(self, action: str) -> None:
        """Raise Forbidden for a caller authenticated by a share link only."""
        if self.credential.startswith(LINK_CREDENTIAL):
            raise Forbidden(
                f"whoever has a link may not {action}",
                hint="search, ask and read with it; for more, ask for a key of your own",
            )

    async def after_position(self, written: str) -> Self:
        """Return this access, reading only replicas that have replayed the WAL position.

        `latest` stands for the current position of the primary. Raises InvalidRequest.
        """
        if written == LATEST:
            return replace(self, after=await self.engine.replicas.position())
        try:
            return replace(self, after=Position.of(written))
        except ValueError as error:
            hint = f"send one that an answer carried, or {LATEST}"
            raise InvalidRequest(str(error), hint=hint) from error

    def scope(self) -> AbstractAsyncContextManager[WorkspaceScope]:
        """Open a transaction in the workspace as its principal. Raises NotReady."""
        self.require_open()
        return self.engine.database.workspace(self.workspace_id, self.principal)

    def snapshot(self) -> AbstractAsyncContextManager[WorkspaceScope]:
        """Open a read-only snapshot of the workspace as its principal. Raises NotReady."""
        self.require_open()
        return self.engine.database.snapshot(self.workspace_id, self.principal)

    async def read(self, work: Callable[[WorkspaceScope], Awaitable[R]]) -> R:
        """Run a read as the principal on a suitable replica, or else on the primary.

        It runs again on the primary if the replica fails or raises NotFound.
        """
        self.require_open()
        replicas, primary = self.engine.replicas, self.engine.database
        database = await replicas.serving(self.workspace_id, self.after)
        if database is not primary:
            try:
                async with database.workspace(self.workspace_id, self.principal) as scope:
                    result = await work(scope)
            except ReplicaLost:
                replicas.lost(database)
            except NotFound:
                pass
            else:
                self.last_seen.of_replica = True
                return result
        async with self.scope() as scope:
            return await work(scope)

    def system_scope(self) -> AbstractAsyncContextManager[WorkspaceScope]:
        """Open a transaction as the system, which sees every document. Raises NotReady."""
        self.require_open()
        return self.engine.database.workspace(self.workspace_id, SYSTEM)

    async def ensure_data_key(self) -> None:
        """Create a data key for the workspace if it has none. Raises KeyUnavailable."""
        self.require_open()
        database = self.engine.database
        await database.keys.ensure_data_key(self.workspace_id, database.outside)

    @property
    def settings(self) -> Settings:
        """The settings of the workspace as cached here; the installation's if not cached yet."""
        cached = self.engine.known_configurations.get(self.workspace_id)
        return self.engine.settings if cached is None else cached.settings

    def index_in(
        self, lane: Lane, configuration: int | None = None, database: Database | None = None
    ) -> Index:
        """Return the index as the principal may see it; on the primary by default.

        With `configuration`, the number of a settings change, it is valid only while that is the
        latest.
        """
        return PostgresIndex(
            database=database or self.engine.database,
            workspace=self.workspace,
            principal=self.principal,
            lane=lane,
            cache=self.engine.cache,
            vector_cache=self.engine.vector_cache,
            configuration=configuration,
            breadth=DenseBreadth(exact_up_to=self.engine.settings.hnsw_threshold_chunks),
        )


def failure_reason(error: Exception, event: str, **about: str) -> str:
    """Return the message shown for a failed background job; unexpected errors are logged."""
    if isinstance(error, FootnoteError):
        return error.with_hint
    _log.error(event, exc_info=error, **about)
    return "something unexpected happened inside Footnote; the worker's log says what"
