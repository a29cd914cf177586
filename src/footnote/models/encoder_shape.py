"""What describes an encoder and its graphs, apart from the builders, whose import takes long."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Precision = Literal["int8", "fp32"]

GRAPH_REVISION = 1
"""Rises whenever the graph's vectors change, so that old caches and old lanes are told apart."""

GRAPH_FORM = 2
"""Rises whenever a graph is made of other operators that give the same vectors, but for what
rounding makes of the last digits, as processors differ too: its file is built anew, lanes stay."""

READER_GRAPH_REVISION = 3
"""Rises whenever the reader's graph or its outputs change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BertShape:
    """What the weights of an encoder do not say of themselves."""

    layers: int
    heads: int
    width: int
    """Numbers that describe a token."""
    epsilon: float
    """Added to the variance in layer normalisation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantisedWords:
    """A table of word embeddings in 4 bits, in a file beside the graphs that read it.

    The file holds the numbers, two to a byte, the first in the low half, each with 8 added; then
    from `scales_at` one float32 scale for each block. The runtime maps it into memory, so graphs
    and processes share its pages, and only rows that are looked up are ever read.
    """

    file: str
    """Its name; the graphs lie in the same folder."""
    rows: int
    width: int
    block: int
    """Neighbouring numbers of a row that share a scale."""
    scales_at: int
