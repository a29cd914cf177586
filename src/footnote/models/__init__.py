"""The brains we call: embedders of lanes, and rerankers."""

from footnote.models.batching import CrossDocumentBatcher
from footnote.models.breaker import GuardedReranker
from footnote.models.e5 import load_e5
from footnote.models.minilm import load_minilm
from footnote.models.rerankers import reranker_from
from footnote.models.sentence_encoder import SentenceEncoder

__all__ = [
    "CrossDocumentBatcher",
    "GuardedReranker",
    "SentenceEncoder",
    "load_e5",
    "load_minilm",
    "reranker_from",
]
