"""The words of Footnote as frozen records; nothing here imports anything of ours.

Conventions: pages and paragraphs are 1-based; character offsets are 0-based, half-open and
count Unicode code points; times are aware UTC; text is NFC; scores are higher-is-better.
"""

from __future__ import annotations

from footnote.domain.answers import (
    Answer,
    AnswerSentence,
    Citation,
)
from footnote.domain.condition import (
    Check,
    Health,
    WorkspaceStats,
)
from footnote.domain.documents import (
    MAX_EXTERNAL_ID_CHARACTERS,
    MAX_NAME_CHARACTERS,
    Attachment,
    Block,
    BlockKind,
    BlockSpan,
    Chunk,
    Document,
    DocumentClass,
    DocumentPage,
    DocumentStatus,
    Enrichment,
    Failure,
    MetadataValue,
    ParsedDocument,
    Publication,
    Received,
    SourceType,
    Stage,
)
from footnote.domain.identity import (
    LOCAL_PRINCIPAL,
    Lane,
    Principal,
    Workspace,
)
from footnote.domain.search import (
    Evidence,
    Hit,
    Passage,
    PassageContext,
    Ranking,
    Recall,
    SearchFilters,
    SearchRequest,
    SearchResponse,
    StageRecord,
)

__all__ = [
    "LOCAL_PRINCIPAL",
    "MAX_EXTERNAL_ID_CHARACTERS",
    "MAX_NAME_CHARACTERS",
    "Answer",
    "AnswerSentence",
    "Attachment",
    "Block",
    "BlockKind",
    "BlockSpan",
    "Check",
    "Chunk",
    "Citation",
    "Document",
    "DocumentClass",
    "DocumentPage",
    "DocumentStatus",
    "Enrichment",
    "Evidence",
    "Failure",
    "Health",
    "Hit",
    "Lane",
    "MetadataValue",
    "ParsedDocument",
    "Passage",
    "PassageContext",
    "Principal",
    "Publication",
    "Ranking",
    "Recall",
    "Received",
    "SearchFilters",
    "SearchRequest",
    "SearchResponse",
    "SourceType",
    "Stage",
    "StageRecord",
    "Workspace",
    "WorkspaceStats",
]
