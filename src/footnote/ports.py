"""What the wings need of the outside, as Protocols; `models` and `store` implement it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from footnote.domain import (
    Lane,
    ParsedDocument,
    Passage,
    Ranking,
    SearchFilters,
)

Vectors = npt.NDArray[np.float32]
"""Rows of unit length, shape (n, dimensions)."""
Vector = npt.NDArray[np.float32]
"""One unit vector, shape (dimensions,)."""


class Tokenizer(Protocol):
    """The tokenizer of a lane."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens in each text, special tokens not counted."""
        ...


class Embedder(Tokenizer, Protocol):
    """A model that turns text into vectors of one lane."""

    @property
    def lane(self) -> Lane:
        """The lane whose vectors it makes."""
        ...

    @property
    def max_tokens(self) -> int:
        """Tokens the model reads of a text; the rest is not seen."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the texts, in their order. Raises LaneUnavailable."""
        ...

    async def embed_query(self, text: str) -> Vector:
        """The vector of a query. Raises LaneUnavailable."""
        ...


class Analyzer(Protocol):
    """Turns text into the terms of the lexical index."""

    def terms(self, text: str, language: str | None) -> list[str]:
        """Every term of the text, in order, repeated as it repeats."""
        ...

    def query_terms(self, text: str, languages: Sequence[str]) -> list[str]:
        """The distinct terms a query asks for, given the languages the corpus is written in."""
        ...


class Parser(Protocol):
    """Reads bytes into blocks."""

    async def __call__(self, content: bytes, filename: str) -> ParsedDocument:
        """Raises DocumentUnreadable or DocumentInterrupted."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What both recalls need; either side may be absent."""

    terms: tuple[str, ...] = ()
    vector: Vector | None = None
    limit: int = 100
    filters: SearchFilters = field(default_factory=SearchFilters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What both recalls found."""

    dense: Ranking = ()
    """Scores are cosine similarities."""
    lexical: Ranking = ()
    """Scores are BM25."""
    matched_terms: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    """For each chunk number of the lexical ranking, each matched term's share of its score."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Recalls that could not be done, with the reason."""


class Index(Protocol):
    """The searchable side of a workspace, already bound to workspace and principal."""

    async def languages(self) -> tuple[str, ...]:
        """Languages the workspace's documents are written in, most common first."""
        ...

    async def recall(self, request: RecallRequest) -> Recalled:
        """Both recalls over what the principal may see."""
        ...

    async def passages(self, chunk_numbers: Sequence[int]) -> Mapping[int, Passage]:
        """The passages of these chunk numbers that are published and visible."""
        ...
