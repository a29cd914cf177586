"""Interfaces of ingestion: the stored files, a parser, and the version in work."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence, Set
from dataclasses import dataclass
from typing import BinaryIO, Literal, Protocol
from uuid import UUID

from footnote.domain import Failure, ParsedDocument, Publication, SourceType, Stage
from footnote.ports.models import OnProgress, Vectors, ignore_progress

OcrChoice = Literal["auto", "tesseract", "rapidocr", "off"]
"""The engine that recognises text in pictures; auto takes the first that is installed."""


class Parser(Protocol):
    """Reads a file into blocks."""

    async def __call__(
        self, content: BinaryIO, filename: str, on_progress: OnProgress = ignore_progress
    ) -> ParsedDocument:
        """Parse a file, reporting progress by page.

        Raises DocumentUnreadable or DocumentInterrupted.
        """


class Blobs(Protocol):
    """The store of files' bytes, under keys that end with their hex SHA-256."""

    async def put(self, key: str, content: bytes | BinaryIO) -> None:
        """Store the bytes, all or none of them; storing the same key again changes nothing.

        A file is read as a stream, never as a whole.

        Raises BlobsUnavailable.
        """

    async def open(self, key: str) -> BinaryIO:
        """Open the bytes as a file, after a check that they are those stored.

        The caller closes it. Raises NotFound, BlobDamaged, BlobsFull and BlobsUnavailable.
        """

    async def delete(self, key: str) -> None:
        """Remove the bytes if they are there. Raises BlobsUnavailable."""

    async def exists(self, key: str) -> bool:
        """Whether there are bytes under the key. Raises BlobsUnavailable."""

    def list(self, prefix: str = "") -> AsyncIterator[str]:
        """The keys below a prefix, which ends where a part of the key does.

        Raises BlobsUnavailable.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class TermCounts:
    """How common some terms are in a workspace."""

    chunks: int
    """Of the whole workspace."""
    holding: tuple[int, ...]
    """For each term asked for, the chunks that hold it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedTexts:
    """What is known of texts, by their hashes, and need not be computed again."""

    missing: Set[bytes]
    """Those that were never embedded in the workspace and the lane."""
    clear: Set[bytes]
    """Those that the published version has too, in which the same reader found no injection."""


class VersionInWork(Protocol):
    """One version of a document while it is ingested, from its bytes to its publication."""

    @property
    def workspace_id(self) -> UUID:
        """The workspace it belongs to."""

    @property
    def filename(self) -> str:
        """The name it was given under."""

    @property
    def media_type(self) -> str:
        """The type detected when it was received."""
        ...

    @property
    def byte_size(self) -> int:
        """The size of the file."""

    @property
    def was_parsed(self) -> bool:
        """Whether an earlier attempt stored its result: then `parsed` may have it."""

    async def begin(self, stage: Stage) -> bool:
        """Note that a stage begins; False when the version was replaced or deleted meanwhile."""

    async def progress(self, stage: Stage, done: int, total: int) -> bool:
        """Note how far a stage has come; False when the version was replaced or deleted."""

    async def content(self) -> BinaryIO:
        """The received file, at its beginning; the caller closes it."""

    async def parsed(self) -> bytes | None:
        """The result that an earlier attempt stored."""

    async def keep_parsed(self, packed: bytes) -> None:
        """Store the result for a later attempt."""

    async def depth(self) -> int:
        """The number of documents that it is nested in."""

    async def attach(
        self,
        position: int,
        filename: str,
        content: BinaryIO,
        *,
        byte_size: int,
        content_sha256: str,
        media_type: str,
        source_type: SourceType,
        failure: Failure | None,
    ) -> None:
        """Receive a file found inside, as a child document; again changes nothing.

        With a failure it becomes a failed child document.
        """

    async def detach_beyond(self, count: int) -> None:
        """Delete the attachments that an earlier version had at `count` and later positions."""

    def term_ids(self, terms: Sequence[str]) -> tuple[int, ...]:
        """The workspace's numbers of the terms, in their order."""

    def document_term_ids(self, terms: Sequence[str]) -> tuple[int, ...]:
        """The numbers of the terms where they stand for a whole document, in their order."""

    def name_term_ids(self, terms: Sequence[str]) -> tuple[int, ...]:
        """The numbers of the terms where they name a whole document, each once."""

    async def term_counts(self, terms: Sequence[str]) -> TermCounts:
        """How common the terms are in the workspace's documents."""

    async def known_texts(self, text_hashes: Sequence[bytes], reader: str | None) -> CachedTexts:
        """What is known of texts; without a reader nothing about injections."""

    async def keep_vectors(
        self,
        text_hashes: Sequence[bytes],
        vectors: Vectors,
        progress: tuple[int, int] | None = None,
    ) -> bool:
        """Store a batch of vectors; stored ones are not embedded again.

        `progress` is the number of vectors with these, and of all. False when the version was
        replaced or deleted meanwhile; then none is stored.
        """

    async def publish(self, publication: Publication) -> bool:
        """Make it searchable; False when it was replaced or deleted meanwhile."""
