"""The shapes in which domain records leave through HTTP and `--json`, the same in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from footnote import domain
from footnote.domain import BlockKind, DocumentClass, DocumentStatus, SourceType, Stage

Metadata = dict[str, str | int | float | bool]
"""What a document's metadata looks like outside."""


class Shape(BaseModel):
    """A JSON object of ours, readable from a domain record with the same field names."""

    model_config = ConfigDict(from_attributes=True, frozen=True)


class Failure(Shape):
    """Why a document could not be indexed."""

    stage: Stage
    cause: str
    advice: str = Field(description="What to do about it.")
    retryable: bool = Field(description="Whether the same document may pass on another try.")


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
    language: str | None = None
    document_class: DocumentClass = DocumentClass.GENERIC
    page_count: int | None = None
    chunk_count: int = 0
    summary: str = ""
    keywords: tuple[str, ...] = ()
    sections: tuple[str, ...] = Field((), description="The headings of its sections.")
    dates: tuple[str, ...] = Field((), description="ISO dates it mentions, by first mention.")
    metadata: Metadata = {}

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
        return cls.model_validate({**_values(document), "attachments": attachments})


class ReceivedDocument(Document):
    """A document as it was taken in."""

    duplicate: bool = Field(description="The same bytes were there already; nothing was done.")
    new_version: bool = Field(description="Other bytes were known under the same external id.")

    @classmethod
    def from_received(cls, received: domain.Received) -> Self:
        """The shape of what became of a file."""
        return cls.model_validate(
            {
                **_values(received.document),
                "duplicate": received.duplicate,
                "new_version": received.new_version,
            }
        )


class DocumentList(Shape):
    """A page of documents, newest first."""

    documents: tuple[Document, ...]
    next_cursor: str | None = Field(description="Hand it back for the next page; null on the last.")

    @classmethod
    def from_domain(cls, page: domain.DocumentPage) -> Self:
        """The shape of a page."""
        return cls.model_validate(page)


class Span(Shape):
    """Where a piece of a chunk came from."""

    char_start: int
    char_end: int
    page: int | None
    paragraph: int
    kind: BlockKind


class Passage(Shape):
    """A chunk with its place in its document.

    Pages and paragraphs count from 1; characters count from 0, half-open, in code points of
    the document's text.
    """

    chunk_id: str
    document_id: UUID
    document_title: str
    filename: str
    collection: str
    source_type: SourceType
    version: int
    ordinal: int = Field(description="The chunk's position in its document, from 0.")
    kind: BlockKind
    text: str
    body_offset: int = Field(description="Characters of `text` that repeat a table's header.")
    heading_path: tuple[str, ...]
    page_start: int | None
    page_end: int | None
    paragraph_start: int
    paragraph_end: int
    char_start: int
    char_end: int
    spans: tuple[Span, ...]
    language: str | None = None
    parent_id: UUID | None = None
    parent_title: str | None = None
    confidence: float | None = Field(None, description="Mean OCR confidence, 0 to 1.")

    @classmethod
    def from_domain(cls, passage: domain.Passage) -> Self:
        """The shape of a passage."""
        return cls.model_validate(passage)


class StageRecord(Shape):
    """What one retrieval stage did to one evidence."""

    stage: str
    rank_after: int
    score_after: float
    rank_before: int | None = None
    score_before: float | None = None
    detail: Metadata = {}


class Evidence(Passage):
    """A passage that answers a query, with its scores and the explanation of its rank."""

    rank: int
    score: float
    similarity: float | None = Field(
        None, description="Cosine similarity to the query; null when only words matched."
    )
    matched_terms: tuple[str, ...] = ()
    explanation: tuple[StageRecord, ...] = ()

    @classmethod
    def from_evidence(cls, evidence: domain.Evidence) -> Self:
        """The shape of an evidence: its passage's fields and its own, side by side."""
        return cls.model_validate({**_values(evidence.passage), **_values(evidence)})


class SearchResults(Shape):
    """Evidence for a query, best first."""

    query: str
    evidence: tuple[Evidence, ...]
    degraded: tuple[str, ...] = Field(description="Stages that could not do their work, and why.")
    timings_ms: dict[str, float]

    @classmethod
    def from_domain(cls, response: domain.SearchResponse) -> Self:
        """The shape of a search response."""
        evidence = [Evidence.from_evidence(item) for item in response.evidence]
        return cls.model_validate({**_values(response), "evidence": evidence})


class PassageContext(Shape):
    """A passage between its neighbours in the document."""

    chunk: Passage
    context_before: tuple[Passage, ...]
    context_after: tuple[Passage, ...]

    @classmethod
    def from_domain(cls, context: domain.PassageContext) -> Self:
        """The shape of a context."""
        return cls.model_validate(context)


class Citation(Shape):
    """A marker in an answer, bound to the exact quoted span."""

    marker: int
    chunk_id: str
    document_id: UUID
    document_title: str
    filename: str
    heading_path: tuple[str, ...]
    page: int | None
    paragraph: int
    quote: str
    char_start: int = Field(description="Where the quote begins in the document's text.")
    char_end: int


class AnswerSentence(Shape):
    """One statement of an answer."""

    text: str
    markers: tuple[int, ...]
    support: float = Field(description="How well its quotes carry it, 0 to 1.")


class Answer(Shape):
    """An answer whose every statement carries its footnotes."""

    question: str
    found: bool = Field(description="False when the documents do not answer.")
    text: str = Field(description="The answer as prose with `[n]` markers.")
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    evidence: tuple[Evidence, ...]
    confidence: float = Field(description="How far the evidence answers the question, 0 to 1.")
    degraded: tuple[str, ...]
    timings_ms: dict[str, float]

    @classmethod
    def from_domain(cls, answer: domain.Answer) -> Self:
        """The shape of an answer."""
        evidence = [Evidence.from_evidence(item) for item in answer.evidence]
        return cls.model_validate({**_values(answer), "text": answer.text, "evidence": evidence})


class Lane(Shape):
    """The embedding model in use."""

    name: str
    provider: str
    model: str
    dimensions: int
    revision: str
    languages: tuple[str, ...]
    fingerprint: str


class Stats(Shape):
    """What a workspace holds."""

    documents: int
    chunks: int
    documents_by_status: dict[str, int]
    segments: int
    lane: Lane

    @classmethod
    def from_domain(cls, stats: domain.WorkspaceStats) -> Self:
        """The shape of the statistics."""
        return cls.model_validate(stats)


class Workspace(Shape):
    """A tenancy boundary."""

    workspace_id: UUID
    name: str
    created_at: datetime

    @classmethod
    def from_domain(cls, workspace: domain.Workspace) -> Self:
        """The shape of a workspace."""
        return cls.model_validate(workspace)


class WorkspaceList(Shape):
    """Every workspace of this installation."""

    workspaces: tuple[Workspace, ...]


class Check(Shape):
    """One thing that must be right before Footnote can serve."""

    name: str
    ok: bool
    detail: str
    hint: str | None = None


class Health(Shape):
    """Whether Footnote is ready, and if not, why."""

    ready: bool
    checks: tuple[Check, ...]

    @classmethod
    def from_domain(cls, health: domain.Health) -> Self:
        """The shape of the health."""
        return cls.model_validate(health)


class IngestedFile(Shape):
    """What became of one file on a command line."""

    path: str
    duplicate: bool
    new_version: bool
    document: Document | None = Field(None, description="Null when the file was not accepted.")
    attachments: tuple[Document, ...] = ()
    refusal: str | None = Field(None, description="Why it was not accepted, and what to do.")


class IngestReport(Shape):
    """What became of every file of a command line, in its order."""

    files: tuple[IngestedFile, ...]


Record = domain.Document | domain.Evidence | domain.SearchResponse | domain.Answer | domain.Passage
"""The records whose fields are combined with others in one shape."""


def _values(record: Record) -> dict[str, object]:
    return {field.name: getattr(record, field.name) for field in fields(record)}
