"""What the wings need of the outside, as Protocols; `models` and `store` implement it."""

from __future__ import annotations

from footnote.domain.models_in_use import McpServer
from footnote.ports.index import (
    ComingVector,
    Holders,
    Index,
    Recalled,
    RecallRequest,
    RoutedDocument,
    Routes,
    Routing,
    TermsOf,
    Widened,
)
from footnote.ports.ingesting import Blobs, OnProgress, Parser, TermCounts, VersionInWork, unheard
from footnote.ports.models import (
    Analyzer,
    Describer,
    Embedder,
    LanguageModel,
    Reranker,
    Tokenizer,
    Transcriber,
    Vector,
    Vectors,
)
from footnote.ports.reading import AnswerSpan, PassageReading, PassageText, Reader, SupportOdds
from footnote.ports.writers import (
    AgentBounds,
    AgentModel,
    Judge,
    Refusal,
    Tool,
    Writer,
    Written,
)

__all__ = [
    "AgentBounds",
    "AgentModel",
    "Analyzer",
    "AnswerSpan",
    "Blobs",
    "ComingVector",
    "Describer",
    "Embedder",
    "Holders",
    "Index",
    "Judge",
    "LanguageModel",
    "McpServer",
    "OnProgress",
    "Parser",
    "PassageReading",
    "PassageText",
    "Reader",
    "RecallRequest",
    "Recalled",
    "Refusal",
    "Reranker",
    "RoutedDocument",
    "Routes",
    "Routing",
    "SupportOdds",
    "TermCounts",
    "TermsOf",
    "Tokenizer",
    "Tool",
    "Transcriber",
    "Vector",
    "Vectors",
    "VersionInWork",
    "Widened",
    "Writer",
    "Written",
    "unheard",
]
