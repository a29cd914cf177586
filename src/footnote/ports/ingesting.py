"""What ingestion needs: bytes, a parser, and the version it works on."""

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
        """Tells of its pages as it goes. Raises DocumentUnreadable or DocumentInterrupted."""


class Blobs(Protocol):
    """Where the bytes of files are kept, under keys that end with their hex SHA-256."""

    async def put(self, key: str, content: bytes | BinaryIO) -> None:
        """Store the bytes, all or none of them; storing the same key again changes nothing.

        A file is read from its beginning to its end, and never held whole.

        Raises BlobsUnavailable.
        """

    async def open(self, key: str) -> BinaryIO:
        """The bytes as a file at its beginning, found to be those stored, and never held whole.

        Whoever asks for it closes it. Raises NotFound, BlobDamaged, BlobsFull and BlobsUnavailable.
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
class KnownTexts:
    """What of some texts need not be found out again, by their hashes."""

    missing: Set[bytes]
    """Those that were never embedded in the workspace and the lane."""
    clear: Set[bytes]
    """Those that the published version has, too, in which the same reader found no orders."""


class VersionInWork(Protocol):
    """One version of a document while it is ingested: its bytes in, its publication out."""

    @property
    def workspace_id(self) -> UUID:
        """The workspace it belongs to."""

    @property
    def filename(self) -> str:
        """The name it was given under."""

    @property
    def media_type(self) -> str:
        """What it was found to be when it was received."""
        ...

    @property
    def byte_size(self) -> int:
        """How large the file is."""

    @property
    def was_parsed(self) -> bool:
        """Whether an earlier try kept what it read: then `parsed` may have it."""

    async def begin(self, stage: Stage) -> bool:
        """Note that a stage begins; False when the version was replaced or deleted meanwhile."""

    async def progress(self, stage: Stage, done: int, total: int) -> bool:
        """Note how far a stage has come; False when the version was replaced or deleted."""

    async def content(self) -> BinaryIO:
        """The file that was received, at its beginning, to be closed."""

    async def parsed(self) -> bytes | None:
        """What an earlier try kept of what it read."""

    async def keep_parsed(self, packed: bytes) -> None:
        """Keep what was read for a later try."""

    async def depth(self) -> int:
        """Inside how many other documents it was found, one in another."""

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
        """How common the terms are in what the workspace holds already."""

    async def known_texts(self, text_hashes: Sequence[bytes], reader: str | None) -> KnownTexts:
        """What is known of texts; where no reader can look for orders, nothing of these."""

    async def keep_vectors(
        self,
        text_hashes: Sequence[bytes],
        vectors: Vectors,
        progress: tuple[int, int] | None = None,
    ) -> bool:
        """Keep a batch of vectors; what is kept is not embedded again.

        `progress` is how many of how many there are with these. False when the version was replaced
        or deleted meanwhile; then none is kept.
        """

    async def publish(self, publication: Publication) -> bool:
        """Make it searchable; False when it was replaced or deleted meanwhile."""
