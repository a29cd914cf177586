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
    Failure,
    IngestedFile,
    IngestReport,
    ReceivedDocument,
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
    "Document",
    "DocumentList",
    "DocumentWithAttachments",
    "Evidence",
    "FacetCount",
    "Failure",
    "Health",
    "IngestReport",
    "IngestedFile",
    "Lane",
    "Metadata",
    "NearDuplicate",
    "Neighbour",
    "Passage",
    "PassageContext",
    "ProjectChunk",
    "ProjectContext",
    "ProjectResult",
    "ProjectResults",
    "ReceivedDocument",
    "SearchResults",
    "Shape",
    "Span",
    "StageRecord",
    "Stats",
    "Workspace",
    "WorkspaceList",
]
