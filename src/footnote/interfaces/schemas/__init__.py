"""The shapes in which domain records leave through HTTP and `--json`, the same in both."""

from __future__ import annotations

from footnote.interfaces.schemas.answers import (
    Answer,
    AnswerSentence,
    Citation,
)
from footnote.interfaces.schemas.condition import (
    CacheStats,
    Check,
    Health,
    Lane,
    Stats,
    Workspace,
    WorkspaceList,
)
from footnote.interfaces.schemas.documents import (
    Document,
    DocumentList,
    DocumentWithAttachments,
    Erasure,
    ErasureCheck,
    Failure,
    IngestCounts,
    IngestedFile,
    IngestReport,
    ReceivedDocument,
    RetriedDocument,
    RetryReport,
)
from footnote.interfaces.schemas.events import (
    Delivery,
    Event,
    IngestStatus,
    NewWebhook,
    Webhook,
    WebhookList,
)
from footnote.interfaces.schemas.lanes import (
    LaneList,
    LaneStatus,
    Reembedding,
)
from footnote.interfaces.schemas.projects import (
    ProjectChunk,
    ProjectContext,
    ProjectResult,
    ProjectResults,
)
from footnote.interfaces.schemas.search import (
    Evidence,
    FacetCount,
    NearDuplicate,
    Neighbour,
    Passage,
    PassageContext,
    SearchResults,
    Span,
    StageRecord,
)
from footnote.interfaces.schemas.shape import (
    Metadata,
    Shape,
)

__all__ = [
    "Answer",
    "AnswerSentence",
    "CacheStats",
    "Check",
    "Citation",
    "Delivery",
    "Document",
    "DocumentList",
    "DocumentWithAttachments",
    "Erasure",
    "ErasureCheck",
    "Event",
    "Evidence",
    "FacetCount",
    "Failure",
    "Health",
    "IngestCounts",
    "IngestReport",
    "IngestStatus",
    "IngestedFile",
    "Lane",
    "LaneList",
    "LaneStatus",
    "Metadata",
    "NearDuplicate",
    "Neighbour",
    "NewWebhook",
    "Passage",
    "PassageContext",
    "ProjectChunk",
    "ProjectContext",
    "ProjectResult",
    "ProjectResults",
    "ReceivedDocument",
    "Reembedding",
    "RetriedDocument",
    "RetryReport",
    "SearchResults",
    "Shape",
    "Span",
    "StageRecord",
    "Stats",
    "Webhook",
    "WebhookList",
    "Workspace",
    "WorkspaceList",
]
