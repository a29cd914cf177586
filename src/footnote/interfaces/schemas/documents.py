"""Shapes of documents, and of what became of those that were handed in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Self
from uuid import UUID

from pydantic import Field

from footnote import domain
from footnote.domain import DocumentClass, DocumentStatus, SourceType, Stage
from footnote.interfaces.schemas.shape import Metadata, Shape, values_of


class Failure(Shape):
    """Why a document could not be indexed."""

    stage: Stage
    cause: str
    advice: str = Field(description="What to do about it.")
    retryable: bool = Field(description="Whether the same document may pass on another try.")


class Progress(Shape):
    """How far a stage has come."""

    done: int = Field(description="Pages where it parses, texts where it embeds.")
    total: int


class Document(Shape):
    """One thing that was given to us."""

    document_id: UUID
    collection: str
    filename: str
    title: str
    media_type: str
    byte_size: int
    content_sha256: str
    source_type: SourceType
    status: DocumentStatus = Field(description="`indexed` and `failed` are resting places.")
    stage: Stage = Field(description="The stage it is in, or the last one it finished.")
    version: int
    created_at: datetime
    updated_at: datetime
    external_id: str | None = Field(
        None, description="The caller's name for it; other bytes under it are a new version."
    )
    parent_id: UUID | None = Field(None, description="The email it was attached to.")
    failure: Failure | None = None
    progress: Progress | None = Field(None, description="While a long stage is under way.")
    language: str | None = None
    document_class: DocumentClass = DocumentClass.GENERIC
    page_count: int | None = None
    chunk_count: int = 0
    summary: str = ""
    keywords: tuple[str, ...] = ()
    sections: tuple[str, ...] = Field((), description="The headings of its sections.")
    dates: tuple[str, ...] = Field((), description="ISO dates it mentions, by first mention.")
    metadata: Metadata = Field(default_factory=dict)
    tags: tuple[str, ...] = Field((), description="What the caller sorts it under.")

    @classmethod
    def from_domain(cls, document: domain.Document) -> Self:
        """The shape of a document."""
        return cls.model_validate(document)


class DocumentWithAttachments(Document):
    """A document and the documents that were found inside it."""

    attachments: tuple[Document, ...] = ()

    @classmethod
    def from_family(
        cls, document: domain.Document, children: Sequence[domain.Document]
    ) -> DocumentWithAttachments:
        """The shape of a document with its children."""
        attachments = [Document.from_domain(child) for child in children]
        return cls.model_validate({**values_of(document), "attachments": attachments})


class ReceivedDocument(Document):
    """A document as it was taken in."""

    duplicate: bool = Field(
        description="The same bytes were there already; nothing was done but tagging."
    )
    new_version: bool = Field(description="Other bytes were known under the same external id.")

    @classmethod
    def from_received(cls, received: domain.Received) -> Self:
        """The shape of what became of a file."""
        return cls.model_validate(
            {
                **values_of(received.document),
                "duplicate": received.duplicate,
                "new_version": received.new_version,
            }
        )


class RetriedDocument(Shape):
    """What became of a failed document that was to be tried again."""

    document_id: UUID
    document: Document | None = Field(description="As it stands now; null when it was refused.")
    refusal: str = Field(description="Why it was refused, and what to do; empty if it was not.")


class RetryReport(Shape):
    """What became of every document that was to be tried again."""

    documents: tuple[RetriedDocument, ...]

    @classmethod
    def from_domain(cls, retried: Sequence[domain.Retried]) -> Self:
        """The shape of what became of them."""
        return cls(documents=tuple(RetriedDocument.model_validate(each) for each in retried))


class ErasureCheck(Shape):
    """One place that held something of a document."""

    place: str
    held: int = Field(description="What was the document's there before it was deleted.")
    left: int = Field(description="What is still found there.")
    kept: str = Field(description="Why what is left stays; empty where nothing may be left.")


class Erasure(Shape):
    """A deletion, and where it was looked for anything it left."""

    document_id: UUID
    documents: int = Field(description="The document and its attachments.")
    complete: bool = Field(description="Nothing is left but what is kept for a reason.")
    checks: tuple[ErasureCheck, ...]

    @classmethod
    def from_domain(cls, erasure: domain.Erasure) -> Self:
        """The shape of a deletion."""
        return cls.model_validate(erasure)


class DocumentList(Shape):
    """A page of documents, newest first."""

    documents: tuple[Document, ...]
    next_cursor: str | None = Field(description="Hand it back for the next page; null on the last.")

    @classmethod
    def from_domain(cls, page: domain.DocumentPage) -> Self:
        """The shape of a page."""
        return cls.model_validate(page)


class IngestedFile(Shape):
    """What became of one file on a command line."""

    path: str
    duplicate: bool
    new_version: bool
    document: Document | None = Field(None, description="Null when the file was not accepted.")
    attachments: tuple[Document, ...] = ()
    refusal: str | None = Field(None, description="Why it was not accepted, and what to do.")


class IngestCounts(Shape):
    """How many things of the named places had each outcome."""

    unchanged: int = Field(0, description="The same as before; not read where that can be told.")
    added: int = 0
    changed: int = Field(0, description="A new version.")
    retried: int = Field(0, description="Failed before; the same bytes are tried again.")
    renamed: int = Field(0, description="The same document under another path.")
    known: int = Field(0, description="The bytes of another document.")
    removed: int = Field(0, description="Gone, and so deleted.")
    kept: int = Field(0, description="Gone, but the document has other places too.")
    refused: int = 0


class IngestReport(Shape):
    """What became of every file of a command line, in its order."""

    files: tuple[IngestedFile, ...]
    counts: IngestCounts
