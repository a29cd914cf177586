"""What every verb works with: the parts of an engine, and one workspace as one principal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self, TypeVar
from uuid import UUID

import structlog

from footnote.answering import ReaderAnswerer
from footnote.answering.injection_detection import InjectionDetector
from footnote.domain import Answer, Lane, Principal, Right, Workspace
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
from footnote.store.publishing import MaintenanceLimits
from footnote.store.recall import PostgresIndex
from footnote.store.replicas import Replicas
from footnote.store.revival import KeptPostgres
from footnote.store.sealed_blobs import SealedBlobs
from footnote.store.vector_cache import VectorCache
from footnote.telemetry.switching import Telemetry

if TYPE_CHECKING:
    # It brings the client libraries of an extra.
    from footnote.models.writing import WritingModel


R = TypeVar("R")

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What searches and answers in one lane."""

    embedder: Embedder
    stages: Search
    answerer: ReaderAnswerer

    @property
    def statements(self) -> Embedder:
        """What compares statements in answers, in numbers fitted to MiniLM where it is there."""
        return self.embedder.english if isinstance(self.embedder, AlignedEncoder) else self.embedder


@dataclass(slots=True)
class LastSeen:
    """Up to where the caller of a workspace has seen the database."""

    position: Position | None = None
    of_replica: bool = False
    """Whether the last act was served by a replica, which has not come as far."""


@dataclass(slots=True, kw_only=True)
class KnownLanes:
    """Which lane each workspace was last seen in, and what serves it.

    It may be out of date: the index refuses a lane that is no longer current, and then it is
    looked up again.
    """

    of_workspace: dict[UUID, Lane] = field(default_factory=dict)
    serving: dict[str, Serving] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True, repr=False)
class Services:
    """The parts of an engine, wired once."""

    settings: Settings
    lane: Lane
    """Of new workspaces."""
    database: Database
    urls: DatabaseUrls
    replicas: Replicas
    """What searches, answers and lists may be read from, instead of the primary."""
    blobs: Blobs
    stored_files: SealedBlobs
    """The same without what is made of them for viewing."""
    pages: PageRenderer
    listener: Listener
    audit: AuditLog
    rate_limits: RateLimits
    metering: Metering
    embedder: Embedder
    """Of new workspaces; `lanes.embedder_for` knows that of each."""
    embedders: Embedders
    analyzer: Analyzer
    cache: IndexCache
    vector_cache: VectorCache
    search_stages: Search
    answerer: ReaderAnswerer
    answer_models: AnswerModels
    credentials: Credentials
    """What proves who asks."""
    failed_credentials: FailedCredentials
    reranker: GuardedReranker | None = None
    model: WritingModel | None = None
    reader: OwnedReader | None = None
    """What finds answers in passages; None where there is none, or it is switched off."""
    suspicion: InjectionDetector = field(default_factory=InjectionDetector)
    """Tells texts that give orders to a model."""
    judge: OwnedJudge | None = None
    """Of how far quotes carry what a model wrote."""
    server: KeptPostgres | None = None
    telemetry: Telemetry | None = None
    """Of this process; None where nothing is measured."""
    known_lanes: KnownLanes = field(default_factory=KnownLanes)
    known_configurations: KnownConfigurations = field(default_factory=KnownConfigurations)
    answer_cache: GenerationCache[Answer] = field(
        default_factory=lambda: GenerationCache[Answer](capacity_bytes=0, measure=answer_bytes)
    )
    map_layouts: MapLayouts = field(default_factory=MapLayouts)
    """Where documents lie on maps."""
    answer_runs: AnswerRuns = field(default_factory=AnswerRuns)
    """Streamed answers under way and just given."""

    @property
    def owner_url(self) -> str:
        """Where the owner of the tables connects."""
        return self.urls.owner

    @property
    def maintenance_limits(self) -> MaintenanceLimits:
        """When a workspace's index wants tending."""
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
        """Answer Prometheus where the settings say so, once in a process.

        Raises UnsupportedSettings where the port is taken.
        """
        where = self.settings.metrics_at
        if self.telemetry is not None and where is not None:
            self.telemetry.serve_metrics(*where)

    def require_open(self) -> None:
        """Raise NotReady once it was closed."""
        if self.database.pool.closed:
            raise NotReady("the engine was closed", hint="open it again: footnote.open()")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceAccess:
    """One workspace as one principal; no other can be reached through it."""

    engine: Services
    workspace: Workspace
    principal: Principal
    rights: frozenset[Right] = frozenset(Right)
    """What the credential may be used for, whatever the roles of its owner."""
    credential: str = "local"
    """How the principal was proved, without any secret."""
    rate_limit: LastRateLimit = field(default_factory=LastRateLimit, compare=False)
    claimed: Principal | None = None
    """The principal as its credential has it, where the workspace may have granted more."""
    after: Position | None = None
    """What a read of a replica must have replayed, since the caller has seen it."""
    last_seen: LastSeen = field(default_factory=LastSeen, compare=False)
    """Of acts that the primary served, where there are replicas."""

    @property
    def workspace_id(self) -> UUID:
        """The id of the workspace."""
        return self.workspace.workspace_id

    def require_open(self) -> None:
        """Raise NotReady once the engine was closed."""
        self.engine.require_open()

    def require(self, right: Right, collection: str | None = None) -> None:
        """Raise Forbidden without a right in a collection, or in any where none is named."""
        if right not in self.rights:
            raise Forbidden(
                f"the credential may not be used to {right}",
                hint="use one with that scope: `footnote keys create --help`",
            )
        if not self.principal.may(right, collection):
            where = {None: "here", WHOLE_WORKSPACE: "in the whole workspace"}.get(
                collection, f"in the collection {collection!r}"
            )
            raise Forbidden(
                f"{self.principal.principal_id} may not {right} {where}",
                hint="an administrator can grant the role: `footnote access grant --help`",
            )

    def refuse_guest(self, what: str) -> None:
        """Raise Forbidden for whoever has nothing but a link, whom others may have too."""
        if self.credential.startswith(LINK_CREDENTIAL):
            raise Forbidden(
                f"whoever has a link may not {what}",
                hint="search, ask and read with it; for more, ask for a key of your own",
            )

    async def after_position(self, written: str) -> Self:
        """The same workspace, of which replicas are read once they have come so far.

        `latest` is as far as the primary is now. Raises InvalidRequest.
        """
        if written == LATEST:
            return replace(self, after=await self.engine.replicas.position())
        try:
            return replace(self, after=Position.of(written))
        except ValueError as error:
            hint = f"send one that an answer carried, or {LATEST}"
            raise InvalidRequest(str(error), hint=hint) from error

    def scope(self) -> AbstractAsyncContextManager[WorkspaceScope]:
        """A transaction in the workspace, as its principal. Raises NotReady once it was closed."""
        self.require_open()
        return self.engine.database.workspace(self.workspace_id, self.principal)

    def snapshot(self) -> AbstractAsyncContextManager[WorkspaceScope]:
        """One moment of the workspace, as its principal sees it. Raises NotReady."""
        self.require_open()
        return self.engine.database.snapshot(self.workspace_id, self.principal)

    async def read(self, work: Callable[[WorkspaceScope], Awaitable[R]]) -> R:
        """What the work reads as the principal, on a replica where one is fit, or on the primary.

        It is asked of the primary when the replica fails, or has not heard of what is wanted.
        """
        self.require_open()
        replicas, primary = self.engine.replicas, self.engine.database
        database = await replicas.serving(self.workspace_id, self.after)
        if database is not primary:
            try:
                async with database.workspace(self.workspace_id, self.principal) as scope:
                    found = await work(scope)
            except ReplicaLost:
                replicas.lost(database)
            except NotFound:
                pass
            else:
                self.last_seen.of_replica = True
                return found
        async with self.scope() as scope:
            return await work(scope)

    def system_scope(self) -> AbstractAsyncContextManager[WorkspaceScope]:
        """A transaction in the workspace that no document is hidden from. Raises NotReady."""
        self.require_open()
        return self.engine.database.workspace(self.workspace_id, SYSTEM)

    async def ensure_data_key(self) -> None:
        """Give the workspace a key for its credentials, if it has none. Raises KeyUnavailable."""
        self.require_open()
        database = self.engine.database
        await database.keys.ensure_data_key(self.workspace_id, database.outside)

    @property
    def settings(self) -> Settings:
        """The settings of the workspace, as this process last saw them: after a search, its own."""
        known = self.engine.known_configurations.get(self.workspace_id)
        return self.engine.settings if known is None else known.settings

    def index_in(
        self, lane: Lane, configuration: int | None = None, database: Database | None = None
    ) -> Index:
        """What is searched, as the principal may see it; on the primary, unless told otherwise.

        With the number of a change of settings, only while that is the last one.
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
    """What people read of work that failed in the background; what nobody expected is logged."""
    if isinstance(error, FootnoteError):
        return error.with_hint
    _log.error(event, exc_info=error, **about)
    return "something unexpected happened inside Footnote; the worker's log says what"
