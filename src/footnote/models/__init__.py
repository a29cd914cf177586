"""The brains we call: embedders, and the lanes their vectors belong to."""

from footnote.models.batching import CrossDocumentBatcher
from footnote.models.lanes import assert_same_lane
from footnote.models.minilm import MiniLmEmbedder, load_minilm

__all__ = ["CrossDocumentBatcher", "MiniLmEmbedder", "assert_same_lane", "load_minilm"]
