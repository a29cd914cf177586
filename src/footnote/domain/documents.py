"""What is given to us, and what ingestion makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from footnote.domain.access import Visibility
from footnote.domain.chunk_terms import ChunkTerms
from footnote.domain.json_form import json_form

MAX_NAME_CHARACTERS = 200
"""Of the name of a collection."""

MAX_TAGS = 50
"""Of one document."""

MAX_TAG_CHARACTERS = 100

MAX_EXTERNAL_ID_CHARACTERS = 600
"""At four bytes each they still fit the 2,704 bytes of an entry in a Postgres index."""

MetadataValue = str | int | float | bool
"""What a document's metadata may hold beside its key."""


class SourceType(StrEnum):
    """How a document came to us."""

    UPLOAD = "upload"
    EMAIL = "email"
    EMAIL_ATTACHMENT = "email_attachment"
    GENERATED = "generated"
    IMAGE_CAPTURE = "image_capture"
    VOICE_MEMO = "voice_memo"


class DocumentStatus(StrEnum):
    """Where a document stands; `INDEXED` and `FAILED` are the only resting places."""

    QUEUED = "queued"
    INGESTING = "ingesting"
    INDEXED = "indexed"
    FAILED = "failed"


class Stage(StrEnum):
    """The stages of ingestion, in order."""

    RECEIVE = "receive"
    PARSE = "parse"
    CHUNK = "chunk"
    ENRICH = "enrich"
    EMBED = "embed"
    PUBLISH = "publish"


class BlockKind(StrEnum):
    """What a block or a chunk is made of."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    TABLE = "table"
    LIST = "list"
    CODE = "code"
    IMAGE = "image"
    CAPTION = "caption"
    OCR_TEXT = "ocr_text"
    UTTERANCE = "utterance"


class DocumentClass(StrEnum):
    """What sort of document it is; decides how it is chunked."""

    GENERIC = "generic"
    CONTRACT = "contract"
    POLICY = "policy"
    REPORT = "report"
    EMAIL = "email"
    MINUTES = "minutes"
    TABLE = "table"
    SLIDES = "slides"
    TRANSCRIPT = "transcript"
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What a parser yields: one heading, paragraph, table, list …

    Law: the canonical text of its document, sliced by its offsets, equals `text`.
    """

    kind: BlockKind
    text: str
    char_start: int
    char_end: int
    paragraph: int
    """1-based number within the page, or within the document where it has no pages."""
    page: int | None = None
    heading_path: tuple[str, ...] = ()
    """The headings above it, outermost first; a heading's own text is its path's last element."""
    heading_level: int | None = None
    confidence: float | None = None
    """Mean word confidence in 0…1, for text that was read from pixels or heard."""
    start_seconds: float | None = None
    """When it begins to be said, from the beginning of a recording."""
    end_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file found inside another one, to become a child document."""

    filename: str
    media_type: str
    content: bytes | memoryview = field(repr=False)
    """In memory, or of a large archive in a file until it is looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture of a document that a model may describe, and the place of its description."""

    content: bytes = field(repr=False)
    """Encoded anew, scaled down, without what the file said of itself."""
    media_type: str
    after: int
    """Blocks that stand before the description."""
    paragraph: int
    page: int | None = None
    heading_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What was said between two moments of a recording."""

    text: str
    start_seconds: float | None
    """From the beginning of the recording; None where the transcriber does not say."""
    end_seconds: float | None
    confidence: float | None = None
    """Mean probability of its words, 0…1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A recording written down."""

    utterances: tuple[Utterance, ...]
    """In the order in which they were said; they may end within a sentence."""
    language: str | None = None
    """ISO 639-1."""
    duration_seconds: float | None = None
    warning: str | None = None
    """Why its words should be doubted, in a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """A document read into blocks over one canonical text."""

    text: str
    """The canonical text: block texts in reading order, separated by blank lines."""
    blocks: tuple[Block, ...]
    media_type: str
    title: str | None = None
    page_count: int | None = None
    languages: tuple[str, ...] = ()
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    pictures: tuple[Picture, ...] = ()
    """In reading order; none unless they were asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockSpan:
    """Where a piece of a chunk came from, so that a quote inside it can be located."""

    char_start: int
    char_end: int
    page: int | None
    paragraph: int
    kind: BlockKind
    start_seconds: float | None = None
    """When its block begins to be said, from the beginning of a recording."""
    end_seconds: float | None = None
    begins: bool = True
    """Whether its block begins with it, and not in a chunk before."""
    ends: bool = True
    """Whether its block ends with it, and does not go on in a chunk behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """What is embedded and searched: consecutive blocks under one heading path.

    Law: `canonical_text[char_start:char_end] == text[body_offset:]`; what precedes
    `body_offset` is a repeated table header.
    """

    ordinal: int
    kind: BlockKind
    text: str
    char_start: int
    char_end: int
    spans: tuple[BlockSpan, ...]
    token_count: int
    """Tokens of `text` by the lane's tokenizer."""
    heading_path: tuple[str, ...] = ()
    body_offset: int = 0
    lead: str = ""
    """The lines above its tables that its text does not hold: captions, units, heads of columns.
    It is found by them; they are not quoted."""
    context: str = ""
    """What enrichment puts before the text when it is embedded."""
    confidence: float | None = None
    suspicious: bool | None = None
    """Whether it tries to give orders to a model that reads it; None where nobody looked."""

    @property
    def embedded_text(self) -> str:
        """What the lane embeds."""
        return f"{self.context}\n{self.text}" if self.context else self.text

    @property
    def pages(self) -> tuple[int | None, int | None]:
        """First and last page, None for a document without pages."""
        pages = [span.page for span in self.spans if span.page is not None]
        return (min(pages), max(pages)) if pages else (None, None)

    @property
    def paragraphs(self) -> tuple[int, int]:
        """Paragraph numbers of the first and the last span."""
        return self.spans[0].paragraph, self.spans[-1].paragraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrichment:
    """What enrichment learnt about a whole document."""

    title: str
    language: str | None
    document_class: DocumentClass
    keywords: tuple[str, ...]
    sections: tuple[str, ...]
    summary: str
    dates: tuple[str, ...] = ()
    """ISO dates mentioned in the text, in order of first mention."""
    names: tuple[str, ...] = ()
    """What it is called beside its title: its file's name, and whose it is."""
    cover: tuple[str, ...] = ()
    """The headings of its first page, where that is a cover: what kind of document it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """Everything of a version that a search can find."""

    canonical_text: str
    page_count: int | None
    enrichment: Enrichment
    metadata: Mapping[str, MetadataValue]
    """What the file says of itself; what the caller said wins over it."""
    chunks: Sequence[Chunk]
    """Each may be made when it is asked for, so they are gone through and not held."""
    text_hashes: Sequence[bytes]
    """One for each chunk: the key of its vector."""
    chunk_terms: ChunkTerms
    document_hash: bytes | None = None
    """The key of the vector of what the document is about; without it nothing routes to it."""
    document_terms: tuple[int, ...] = ()
    """The ids of the terms of what it is about, repeated as they repeat."""
    name_terms: tuple[int, ...] = ()
    """The ids of the terms by which a question may name it, each once."""
    keywords_among: int | None = None
    """Beside how many chunks of the workspace its keywords were chosen."""
    read_for_orders_with: str | None = None
    """The checksum of the reader that looked for orders to a model; None where none did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a document could not be indexed."""

    stage: Stage
    cause: str
    advice: str
    retryable: bool
    """Whether the same document may pass on another try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a stage has come."""

    done: int
    """Pages where it parses, texts where it embeds, chunks where it publishes."""
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One thing that was given to us."""

    document_id: UUID
    collection: str
    filename: str
    title: str
    media_type: str
    byte_size: int
    content_sha256: str
    source_type: SourceType
    status: DocumentStatus
    stage: Stage
    """The stage it is in, or the last one it finished."""
    version: int
    created_at: datetime
    updated_at: datetime
    external_id: str | None = None
    """The caller's name for it: a path, a URL, a key. Other bytes under it are a new version."""
    parent_id: UUID | None = None
    """The document it was found in, such as an email."""
    failure: Failure | None = None
    progress: Progress | None = None
    """While a long stage is under way."""
    language: str | None = None
    document_class: DocumentClass = DocumentClass.GENERIC
    page_count: int | None = None
    chunk_count: int = 0
    summary: str = ""
    keywords: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    """ISO dates mentioned in it."""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    """What the caller sorts it under; its attachments have the same."""
    visibility: Visibility = Visibility.WORKSPACE
    """Who sees it beside those it is shared with; its attachments have the same."""


@json_form(flat="document")
@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """What became of a file that was handed in."""

    document: Document
    duplicate: bool
    """The same bytes were there already; nothing was done but tagging."""
    new_version: bool
    """Other bytes were known under the same external id."""
    received_as: str | None = None
    """The file name that came this time, where bytes that were there keep the name of the first."""


@json_form(flat="document")
@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentWithAttachments:
    """A document and the documents that were found inside it."""

    document: Document
    attachments: tuple[Document, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentOutcome:
    """What became of one of several documents that were changed or deleted at once."""

    document_id: UUID
    document: Document | None = None
    """As it stands now; None when it is deleted, was refused, or may not be seen any more."""
    refusal: str = ""
    """Why it was refused, and what to do; empty if it was not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retried:
    """What became of a failed document that was to be tried again."""

    document_id: UUID
    document: Document | None = None
    """As it stands now; None when it was refused."""
    refusal: str = ""
    """Why it was, and what to do."""
