"""What the wings need of the outside, as Protocols; `models` and `store` implement it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from footnote.domain import (
    Attachment,
    FacetCount,
    Failure,
    Lane,
    ParsedDocument,
    Passage,
    Publication,
    Ranking,
    SearchFilters,
    SourceType,
    Stage,
    Transcript,
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

    def language_of(self, text: str, languages: Sequence[str]) -> str | None:
        """The likeliest language of a query; None when nothing tells and the corpus has none."""
        ...


class Parser(Protocol):
    """Reads bytes into blocks."""

    async def __call__(self, content: bytes, filename: str) -> ParsedDocument:
        """Raises DocumentUnreadable or DocumentInterrupted."""
        ...


class Transcriber(Protocol):
    """A model that listens."""

    @property
    def name(self) -> str:
        """What a document that it wrote down is marked with."""
        ...

    async def __call__(self, content: bytes, media_type: str) -> Transcript:
        """What is said in a recording. Raises DocumentUnreadable or DocumentInterrupted."""
        ...


class Describer(Protocol):
    """A model that looks at pictures."""

    @property
    def name(self) -> str:
        """What a document whose pictures it described is marked with."""
        ...

    async def __call__(self, content: bytes, media_type: str) -> str:
        """What a picture shows, in words. Raises ModelUnavailable."""
        ...


class Reranker(Protocol):
    """A model that reads a query beside each text."""

    @property
    def name(self) -> str:
        """What explanations call it."""
        ...

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, higher is better. Raises ModelUnavailable."""
        ...


class LanguageModel(Protocol):
    """A model that writes."""

    @property
    def name(self) -> str:
        """What explanations call it."""
        ...

    async def __call__(self, instructions: str, prompt: str) -> str:
        """What it writes to the prompt. Raises ModelUnavailable."""
        ...


ComingVector = asyncio.Future[Vector | None]
"""A query's vector while it is still being made; None where it cannot be."""

TermsOf = Callable[[Sequence[str]], Sequence[str]]
"""From the languages a workspace is written in to the terms a query asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """Whether and how to ask first which documents promise most."""

    threshold: int = 3
    """Documents in scope up to which all of them are looked into."""
    documents: int = 5
    """Documents that are chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutedDocument:
    """How promising a document is by its title, summary, sections and keywords."""

    rank: int
    """From 1, among the documents in scope."""
    score: float
    """The sum of its reciprocal ranks by vector and by words."""
    chosen: bool
    """Whether it is among the documents that promise most."""
    similarity: float | None
    """Cosine of what it is about to the query."""
    bm25: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Routes:
    """Which documents promise most."""

    in_scope: int
    """Documents that could be chosen."""
    documents: Mapping[int, RoutedDocument] = field(default_factory=dict)
    """By each recalled chunk number. Empty where all documents are looked into; a chunk that is
    missing is of a document of which it is not known what it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What both recalls need; either side may be absent."""

    terms_of: TermsOf | None = None
    """Gives the query's distinct terms once the languages of the workspace are known."""
    vector: Vector | None = None
    limit: int = 100
    filters: SearchFilters = field(default_factory=SearchFilters)
    phrases: tuple[str, ...] = ()
    """Chunks must hold each of these word sequences literally, case, accents and punctuation
    aside, in their text, a heading or their document's title."""
    complete: bool = False
    """Whether every recalled chunk gets the scores of both recalls."""
    route: Routing | None = None
    """How to rank the documents beside the chunks; None does not."""
    excluded: tuple[str, ...] = ()
    """Chunks must hold none of these: words by their stem, anything longer literally."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What both recalls found."""

    dense: Ranking = ()
    """Scores are cosine similarities."""
    lexical: Ranking = ()
    """Scores are BM25."""
    matched_terms: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    """For each chunk number of the lexical ranking, each matched term's share of its score."""
    similarities: Mapping[int, float] = field(default_factory=dict)
    """Cosine of each chunk of the dense ranking; of the lexical one as well if complete."""
    bm25: Mapping[int, float] = field(default_factory=dict)
    """BM25 of each chunk of the lexical ranking; of the dense one as well if complete."""
    rarities: Mapping[str, float] = field(default_factory=dict)
    """The idf of every term that was asked for, over the live chunks of the workspace."""
    absent_terms: tuple[str, ...] = ()
    """Terms asked for that no visible chunk holds, whatever phrases and exclusions say."""
    languages: tuple[str, ...] = ()
    """What the workspace is written in, ISO 639-1, commonest first."""
    notes: tuple[str, ...] = ()
    """What could not be done completely, a sentence each."""
    routes: Routes | None = None
    """The documents' ranking; None if it was not asked for or the index knows none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Widened:
    """A passage with its neighbours in one stretch of the document's text."""

    passage: Passage
    """The found chunk's passage; text, offsets, spans, pages and ordinal cover the stretch."""
    distances: Mapping[str, int]
    """Chunk id to distance from the found one, negative before it; the found one is left out."""
    after: str = ""
    """The text between the stretch and the chunk that it could go on with; empty without one."""


class Index(Protocol):
    """The searchable side of a workspace, already bound to workspace and principal."""

    async def recall(self, request: RecallRequest, coming: ComingVector | None = None) -> Recalled:
        """Both recalls over what the principal may see.

        A vector that is still coming takes the place of the request's; what needs none of it is
        done before it is there.
        """
        ...

    async def passages(self, chunk_numbers: Sequence[int]) -> Mapping[int, Passage]:
        """The passages of these chunk numbers that are published and visible."""
        ...

    async def generation(self) -> int:
        """A number that rises with every change a search could notice."""
        ...

    @property
    def last_generation(self) -> int | None:
        """The number when this process last looked; None before it has."""
        ...

    async def frequencies(self, terms: Sequence[str], filters: SearchFilters) -> Mapping[str, int]:
        """In how many visible chunks each term occurs; terms of none are left out."""
        ...

    async def vectors(self, chunk_numbers: Sequence[int]) -> Mapping[int, Vector]:
        """The vectors of these chunks, in the lane that is searched."""
        ...

    async def widened(
        self, passages: Sequence[Passage], window: int, across_headings: bool
    ) -> Mapping[int, Widened]:
        """For each chunk number, its passage merged with up to `window` neighbours a side."""
        ...

    async def facets(
        self, fields: Sequence[str], filters: SearchFilters
    ) -> Mapping[str, tuple[FacetCount, ...]]:
        """For each field, its commonest values among the visible documents."""
        ...


class Blobs(Protocol):
    """Where the bytes of files are kept, under keys that end with their hex SHA-256."""

    async def put(self, key: str, content: bytes) -> None:
        """Store the bytes, all or none of them; storing the same key again changes nothing.

        Raises BlobsUnavailable.
        """
        ...

    async def get(self, key: str) -> bytes:
        """The bytes, as they were stored. Raises NotFound, BlobDamaged and BlobsUnavailable."""
        ...

    async def delete(self, key: str) -> None:
        """Remove the bytes if they are there. Raises BlobsUnavailable."""
        ...

    async def exists(self, key: str) -> bool:
        """Whether there are bytes under the key. Raises BlobsUnavailable."""
        ...

    def list(self, prefix: str = "") -> AsyncIterator[str]:
        """The keys below a prefix, which ends where a part of the key does.

        Raises BlobsUnavailable.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TermCounts:
    """How common some terms are in a workspace."""

    chunks: int
    """Of the whole workspace."""
    holding: tuple[int, ...]
    """For each term asked for, the chunks that hold it."""


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

    async def depth(self) -> int:
        """Inside how many other documents it was found, one in another."""
        ...

    async def attach(
        self,
        position: int,
        attachment: Attachment,
        media_type: str,
        *,
        source_type: SourceType,
        failure: Failure | None,
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

    def document_term_ids(self, terms: Sequence[str]) -> tuple[int, ...]:
        """The numbers of the terms where they stand for a whole document, in their order."""
        ...

    async def term_counts(self, terms: Sequence[str]) -> TermCounts:
        """How common the terms are in what the workspace holds already."""
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
