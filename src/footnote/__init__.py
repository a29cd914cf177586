"""Footnote: files go in, cited answers come out, for many tenants on one Postgres.

Open the engine, hand a file in, let it be indexed, ask:

    import asyncio
    from pathlib import Path

    import footnote

    async def main() -> None:
        async with footnote.open() as engine:
            workspace = await engine.workspace()
            received = await workspace.receive(Path("policy.pdf").read_bytes(), "policy.pdf")
            await footnote.work_until_resting(engine, workspace, [received.document.document_id])
            answer = await workspace.ask("How soon must a claim be reported?")
            print(answer.text)
            for citation in answer.citations:
                print(citation.marker, citation.filename, citation.page, citation.quote)

    asyncio.run(main())

`footnote.open_sync()` is the same without `async`; `footnote.AsyncClient` and `footnote.Client`
have the same verbs for a server elsewhere. Everything listed in `__all__` is the public surface;
all else may change.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING
from uuid import UUID

__version__ = "0.1.0"

# ONNX Runtime reports to its vendor unless told otherwise before it is loaded.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

if TYPE_CHECKING:
    from footnote.domain import (
        LOCAL_PRINCIPAL,
        Answer,
        AnswerConflict,
        AnswerDone,
        AnswerEvent,
        AnswerFailed,
        AnswerSentence,
        BlockKind,
        CacheStats,
        Check,
        Citation,
        CitationMade,
        ClosestPassage,
        ConflictingStatement,
        Document,
        DocumentClass,
        DocumentOutcome,
        DocumentPage,
        DocumentStatus,
        Erasure,
        ErasureCheck,
        Evidence,
        FacetCount,
        Failure,
        Health,
        Lane,
        LaneState,
        LaneStatus,
        NearDuplicate,
        Neighbour,
        Passage,
        PassageContext,
        PlanChanges,
        Principal,
        Received,
        Reembedding,
        ReembeddingState,
        Retried,
        SearchFilters,
        SearchRequest,
        SearchResponse,
        SentenceGrounded,
        SourcesFound,
        SourceType,
        Stage,
        StageRecord,
        TextWritten,
        ToolCalled,
        ToolReturned,
        Turn,
        Usage,
        UsageCounted,
        Verdict,
        Workspace,
        WorkspaceStats,
    )
    from footnote.domain.access import Visibility
    from footnote.domain.audit import Act, AuditHead
    from footnote.domain.backfill import BackgroundWork
    from footnote.domain.clusters import ClusterGranularity, ClusterOf
    from footnote.domain.entities import EntityKind
    from footnote.domain.erasure import ErasureEntry
    from footnote.domain.evaluations import EvaluationOrder, NewEvaluationRun
    from footnote.domain.facts import FactKind, FactStatus
    from footnote.domain.grounding import (
        ClaimCheck,
        ClaimQuote,
        ClaimVerdict,
        DecidedBy,
        GroundingCheck,
        GroundingSource,
        Guard,
        GuardKind,
        QuoteRelation,
    )
    from footnote.domain.identity import Right, Role
    from footnote.domain.listing import DocumentSort, SortOrder
    from footnote.domain.pages import (
        Highlight,
        MarkedQuote,
        PageImage,
        PageRectangles,
        PagesOfQuote,
        QuoteMatch,
        Rectangle,
    )
    from footnote.domain.personal_data import ArchivePiece
    from footnote.domain.retention import RetentionKind
    from footnote.domain.sources import NewSource
    from footnote.domain.usage import Measure, Period
    from footnote.engine import Engine, WorkspaceEngine
    from footnote.errors import (
        Conflict,
        DocumentFailed,
        DocumentInterrupted,
        DocumentUnreadable,
        FootnoteError,
        InvalidRequest,
        LaneMismatch,
        LaneUnavailable,
        ModelUnavailable,
        NotFound,
        NotReady,
        QueueFull,
        StoreUnavailable,
        UnsupportedSettings,
    )
    from footnote.filters import condition_from, condition_from_text
    from footnote.interfaces.sdk import AsyncClient, Client
    from footnote.settings import Settings
    from footnote.sync import SyncEngine, SyncWorkspaceEngine

__all__ = [  # noqa: RUF022  # in the order of the journey, not of the alphabet
    # open
    "open",
    "open_sync",
    "Settings",
    "Engine",
    "WorkspaceEngine",
    "SyncEngine",
    "SyncWorkspaceEngine",
    "AsyncClient",
    "Client",
    "Workspace",
    "Principal",
    "LOCAL_PRINCIPAL",
    "Lane",
    # files go in
    "Received",
    "work_until_resting",
    "Document",
    "DocumentPage",
    "DocumentOutcome",
    "DocumentStatus",
    "DocumentClass",
    "SourceType",
    "Stage",
    "Failure",
    "Retried",
    "Erasure",
    "ErasureCheck",
    # evidence is found
    "SearchRequest",
    "SearchFilters",
    "condition_from",
    "condition_from_text",
    "BlockKind",
    "PlanChanges",
    "Turn",
    "SearchResponse",
    "Evidence",
    "StageRecord",
    "NearDuplicate",
    "Neighbour",
    "FacetCount",
    "Passage",
    "PassageContext",
    # pages are shown
    "Highlight",
    "PageImage",
    "PageRectangles",
    "MarkedQuote",
    "QuoteMatch",
    "Rectangle",
    "PagesOfQuote",
    # answers come out
    "Answer",
    "AnswerSentence",
    "Verdict",
    "Citation",
    "ClosestPassage",
    "AnswerConflict",
    "ConflictingStatement",
    "Usage",
    "AnswerEvent",
    "SourcesFound",
    "TextWritten",
    "CitationMade",
    "SentenceGrounded",
    "ToolCalled",
    "ToolReturned",
    "UsageCounted",
    "AnswerDone",
    "AnswerFailed",
    # statements are checked
    "GroundingSource",
    "GroundingCheck",
    "ClaimCheck",
    "ClaimVerdict",
    "DecidedBy",
    "Guard",
    "GuardKind",
    "ClaimQuote",
    "QuoteRelation",
    # what other verbs take
    "NewSource",
    "Visibility",
    "Right",
    "Role",
    "DocumentSort",
    "SortOrder",
    "RetentionKind",
    "BackgroundWork",
    "Measure",
    "Period",
    "FactKind",
    "FactStatus",
    "EntityKind",
    "ClusterOf",
    "ClusterGranularity",
    "NewEvaluationRun",
    "EvaluationOrder",
    "Act",
    "AuditHead",
    "ErasureEntry",
    # what other verbs give
    "ArchivePiece",
    # how it is
    "WorkspaceStats",
    "CacheStats",
    "LaneStatus",
    "LaneState",
    "Reembedding",
    "ReembeddingState",
    "Health",
    "Check",
    # what can go wrong
    "FootnoteError",
    "InvalidRequest",
    "UnsupportedSettings",
    "NotFound",
    "Conflict",
    "QueueFull",
    "DocumentFailed",
    "DocumentUnreadable",
    "DocumentInterrupted",
    "LaneMismatch",
    "LaneUnavailable",
    "ModelUnavailable",
    "StoreUnavailable",
    "NotReady",
]

_HEAVY = {
    "Settings": "settings",
    "Engine": "engine",
    "WorkspaceEngine": "engine",
    "SyncEngine": "sync",
    "SyncWorkspaceEngine": "sync",
    "AsyncClient": "interfaces.sdk",
    "Client": "interfaces.sdk",
}
_LIGHT = (
    *("domain", "domain.grounding", "domain.pages", "errors", "filters", "domain.access"),
    *("domain.audit", "domain.erasure"),
    *("domain.backfill", "domain.clusters", "domain.entities", "domain.evaluations"),
    *("domain.facts", "domain.identity", "domain.listing", "domain.personal_data"),
    *("domain.retention", "domain.sources", "domain.usage"),
)
"""Where the other public names are found."""


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for, so that the command line starts fast."""
    if name in __all__:
        for module in (_HEAVY[name],) if name in _HEAVY else _LIGHT:
            value = getattr(import_module(f"footnote.{module}"), name, None)
            if value is not None:
                globals()[name] = value
                return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@asynccontextmanager
async def open(  # noqa: A001  # reads as footnote.open()
    settings: Settings | None = None, **overrides: object
) -> AsyncIterator[Engine]:
    """Open the engine for the length of a block.

    Settings come from the arguments, then from `settings`, then from the environment:

        async with footnote.open(home="/srv/footnote", top_k=5) as engine:
            workspace = await engine.workspace("acme")
            response = await workspace.search(footnote.SearchRequest(query="POL-88213-X"))

    Raises UnsupportedSettings, StoreUnavailable or LaneUnavailable when it cannot start.
    """
    from footnote.models.embedders import begin_loading  # noqa: PLC0415  # keeps importing light
    from footnote.settings import settings_from  # noqa: PLC0415  # as above
    from footnote.store.home import require_home  # noqa: PLC0415  # as above

    chosen = settings_from(settings, overrides)
    first = chosen.embedding_models.partition(",")[0].strip()
    require_home(chosen.home)  # Downloaded models are stored there too.
    begin_loading(first, chosen.home / "models", chosen.model_threads)
    from footnote.engine import open_engine  # noqa: PLC0415  # takes as long as the models

    engine = await open_engine(chosen)
    try:
        yield engine
    finally:
        await engine.close()


@contextmanager
def open_sync(settings: Settings | None = None, **overrides: object) -> Iterator[SyncEngine]:
    """`footnote.open()` without `async`: the same verbs, each waiting for its result.

        with footnote.open_sync() as engine:
            workspace = engine.workspace()
            received = workspace.receive(Path("policy.pdf").read_bytes(), "policy.pdf")
            workspace.work_until_resting([received.document.document_id])
            print(workspace.ask("How soon must a claim be reported?").text)

    Call it from ordinary threads, not from within an event loop.
    """
    from footnote.settings import settings_from  # noqa: PLC0415  # as above
    from footnote.sync import open_blocking  # noqa: PLC0415  # as above

    with open_blocking(settings_from(settings, overrides)) as engine:
        yield engine


async def work_until_resting(
    engine: Engine,
    workspace: WorkspaceEngine,
    document_ids: Sequence[UUID],
    on_change: Callable[[Mapping[UUID, Document]], None] = lambda _: None,
) -> Mapping[UUID, Document]:
    """Index received documents in this process, where no `footnote worker` is running.

    Returns these documents and their attachments once each is indexed or failed; `on_change`
    is called with them as they move through the stages.
    """
    from footnote.jobs.inline import work_until_resting as work  # noqa: PLC0415  # as above

    return await work(engine, workspace, document_ids, on_change)
