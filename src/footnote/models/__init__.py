"""The brains we call: embedders of lanes, and rerankers."""

from footnote.models.batching import CrossDocumentBatcher
from footnote.models.breaker import GuardedReranker
from footnote.models.minilm import MiniLmEmbedder, load_minilm
from footnote.models.rerankers import RerankerKind, reranker_from

__all__ = [
    "CrossDocumentBatcher",
    "GuardedReranker",
    "MiniLmEmbedder",
    "RerankerKind",
    "load_minilm",
    "reranker_from",
]
