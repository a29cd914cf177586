"""The brains we call: embedders of lanes."""

from footnote.models.batching import CrossDocumentBatcher
from footnote.models.minilm import MiniLmEmbedder, load_minilm

__all__ = ["CrossDocumentBatcher", "MiniLmEmbedder", "load_minilm"]
