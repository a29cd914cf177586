"""Describe an encoder and its graphs, apart from the builders, which are slow to import."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Precision = Literal["int8", "fp32"]

GRAPH_REVISION = 1
"""To be raised whenever the graph's vectors change, so that old caches and lanes are recognised."""

GRAPH_FORM = 2
"""To be raised whenever a graph is built from other operators with the same vectors, apart from
rounding, which differs between processors, too: its file is rebuilt, lanes stay valid."""

READER_GRAPH_REVISION = 3
"""To be raised whenever the reader's graph or its outputs change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BertShape:
    """Parameters of an encoder that its weights do not contain."""

    layers: int
    heads: int
    width: int
    """Dimensions of a token's state."""
    epsilon: float
    """Added to the variance in layer normalisation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantisedWords:
    """A table of word embeddings in 4 bits, in a file beside the graphs that read it.

    The file has the numbers, two to a byte, the first in the low nibble, each with 8 added; then
    from `scales_at` one float32 scale for each block. The runtime memory-maps it, so that graphs
    and processes share its pages, and only rows that are looked up are ever read.
    """

    file: str
    """File name; the graphs are in the same folder."""
    rows: int
    width: int
    block: int
    """Neighbouring numbers of a row that share a scale."""
    scales_at: int
