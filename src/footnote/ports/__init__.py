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
from footnote.ports.writers import (
    AgentBounds,
    AgentModel,
    Judge,
    ReadableDocument,
    Refusal,
    Tool,
    ToolText,
    Writer,
    Written,
)

__all__ = [
    "AgentBounds",
    "AgentModel",
    "Analyzer",
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
    "ReadableDocument",
    "RecallRequest",
    "Recalled",
    "Refusal",
    "Reranker",
    "RoutedDocument",
    "Routes",
    "Routing",
    "TermCounts",
    "TermsOf",
    "Tokenizer",
    "Tool",
    "ToolText",
    "Transcriber",
    "Vector",
    "Vectors",
    "VersionInWork",
    "Widened",
    "Writer",
    "Written",
    "unheard",
]
