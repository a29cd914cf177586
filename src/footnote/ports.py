"""What the wings need of the outside, as Protocols; `models` and `store` implement it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from footnote.domain import (
    Attachment,
    Failure,
    Lane,
    ParsedDocument,
    Passage,
    Publication,
    Ranking,
    SearchFilters,
    Stage,
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


TermsOf = Callable[[Sequence[str]], Sequence[str]]
"""From the languages a workspace is written in to the terms a query asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What both recalls need; either side may be absent."""

    terms_of: TermsOf | None = None
    """Gives the query's distinct terms once the languages of the workspace are known."""
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


class Index(Protocol):
    """The searchable side of a workspace, already bound to workspace and principal."""

    async def recall(self, request: RecallRequest) -> Recalled:
        """Both recalls over what the principal may see."""
        ...

    async def passages(self, chunk_numbers: Sequence[int]) -> Mapping[int, Passage]:
        """The passages of these chunk numbers that are published and visible."""
        ...


class VersionInWork(Protocol):
    """One version of a document while it is ingested: its bytes in, its publication out."""

    @property
    def filename(self) -> str:
        """The name it was given under."""
        ...

    async def begin(self, stage: Stage) -> bool:
        """Note that a stage begins; False when the version was replaced or deleted meanwhile."""
        ...

    async def content(self) -> bytes:
        """The bytes that were received."""
        ...

    async def parsed(self) -> ParsedDocument | None:
        """What an earlier try read of it, attachments left out."""
        ...

    async def keep_parsed(self, parsed: ParsedDocument) -> None:
        """Keep what was read for a later try, attachments left out."""
        ...

    async def attach(
        self, position: int, attachment: Attachment, media_type: str, failure: Failure | None
    ) -> None:
        """Receive a file found inside, as a child document; again changes nothing.

        With a failure it becomes a failed child document.
        """
        ...

    async def detach_beyond(self, count: int) -> None:
        """Delete the attachments that an earlier version had at `count` and later positions."""
        ...

    def term_ids(self, terms: Sequence[str]) -> tuple[int, ...]:
        """The workspace's numbers of the terms, in their order."""
        ...

    async def missing_vectors(self, text_hashes: Sequence[bytes]) -> set[bytes]:
        """Those of the texts that were never embedded in this workspace and lane."""
        ...

    async def keep_vectors(self, text_hashes: Sequence[bytes], vectors: Vectors) -> None:
        """Keep a batch of vectors; what is kept is not embedded again."""
        ...

    async def publish(self, publication: Publication) -> bool:
        """Make it searchable; False when it was replaced or deleted meanwhile."""
        ...
