"""Read documents: metadata, blob key, text and spans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb

from footnote.domain import (
    Document,
    DocumentClass,
    DocumentStatus,
    Failure,
    Progress,
    SourceType,
    Stage,
    Visibility,
)
from footnote.errors import NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.sealed_texts import load_pieces, pieces_of, stretch
from footnote.store.sealing import KEYWORDS, METADATA_VALUES, SECTIONS, SUMMARY, TITLE
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("documents")


@dataclass(frozen=True, slots=True, kw_only=True)
class CitableVersion:
    """The version of a document that citations refer to."""

    document_id: UUID
    version: int
    filename: str
    media_type: str
    blob_key: str
    """Empty where the bytes were not kept."""
    characters: int | None
    """Length of its canonical text; None before it is published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """The canonical text of a published document, or its beginning."""

    text: str
    characters: int
    """Length of the complete text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanText:
    """The text of a span, and the text around it."""

    quoted: str
    before: str
    after: str


def document_of(scope: WorkspaceScope, row: DictRow) -> Document:
    """Make a document of a whole row of `documents`."""
    failure, chunks, sealing = row["failure"], row["chunks"], scope.sealing
    document_id = row["document_id"]
    progress = None
    if row["status"] == DocumentStatus.INGESTING and row["progress_done"] is not None:
        progress = Progress(done=row["progress_done"], total=row["progress_total"])
    return record_of(
        Document,
        row,
        source_type=SourceType(row["source_type"]),
        content_sha256=bytes(row["content_sha256"]).hex(),
        status=DocumentStatus(row["status"]),
        stage=Stage(row["stage"]),
        failure=failure and Failure(**failure | {"stage": Stage(failure["stage"])}),
        progress=progress,
        document_class=DocumentClass(row["document_class"]),
        visibility=Visibility(row["visibility"]),
        chunk_count=0 if chunks.isempty else chunks.upper - chunks.lower,
        metadata=sealing.plain_metadata(METADATA_VALUES.of(document_id), row["metadata"]),
        title=sealing.plain_text(TITLE.of(document_id), row["title"]),
        summary=sealing.plain_text(SUMMARY.of(document_id), row["summary"]),
        keywords=tuple(sealing.plain_words(KEYWORDS.of(document_id), row["keywords"])),
        sections=tuple(sealing.plain_words(SECTIONS.of(document_id), row["sections"])),
    )


def documents_of(scope: WorkspaceScope, rows: Sequence[DictRow]) -> tuple[Document, ...]:
    """Make a document of each row."""
    return tuple(document_of(scope, row) for row in rows)


def failure_json(failure: Failure) -> Jsonb:
    """Write a failure as it is stored."""
    return Jsonb(
        {
            "stage": failure.stage,
            "cause": failure.cause,
            "advice": failure.advice,
            "retryable": failure.retryable,
        }
    )


def no_such_document(document_id: UUID) -> NotFound:
    """Make the error for a document that is absent, foreign or hidden alike."""
    return NotFound(
        f"there is no document {document_id}",
        hint="correct the id; `footnote documents list` or `GET /v1/documents` shows those that "
        "you may see",
    )


async def get_document(scope: WorkspaceScope, document_id: UUID) -> Document:
    """Read a document. Raises NotFound for an absent, foreign or hidden one alike."""
    row = await scope.one(_SQL["get"], {"document_id": document_id})
    if row is None:
        raise no_such_document(document_id)
    return document_of(scope, row)


async def document_with_blob(scope: WorkspaceScope, document_id: UUID) -> tuple[Document, str]:
    """Read a document and the blob key of its latest version, empty for one never stored.

    Raises NotFound for an absent, foreign or hidden one alike.
    """
    row = await scope.one(_SQL["with_blob"], {"document_id": document_id})
    if row is None:
        raise no_such_document(document_id)
    return document_of(scope, row), row["blob_key"]


async def documents_called(
    scope: WorkspaceScope, filename: str, ids: tuple[UUID, UUID] | None, *, limit: int
) -> tuple[Document, ...]:
    """List documents with that file name or with an id in the range, newest first."""
    first_id, last_id = ids or (None, None)
    rows = await scope.all(
        _SQL["called"],
        {"called": filename, "first_id": first_id, "last_id": last_id, "limit": limit},
    )
    return documents_of(scope, rows)


async def names_of_collections(scope: WorkspaceScope) -> tuple[str, ...]:
    """List the collections that have documents, by name."""
    return tuple(row["name"] for row in await scope.all(_SQL["names_of_collections"]))


async def documents_and_attachments(
    scope: WorkspaceScope, document_ids: Sequence[UUID]
) -> tuple[Document, ...]:
    """List those of the documents that exist, and everything attached below them."""
    rows = await scope.all(_SQL["with_attachments"], {"document_ids": list(document_ids)})
    return documents_of(scope, rows)


async def citable_version(scope: WorkspaceScope, document_id: UUID) -> CitableVersion:
    """Read the version that is published, or else the newest that was received.

    Raises NotFound for a document that is absent, foreign or hidden alike.
    """
    row = await scope.one(_SQL["shown_version"], {"document_id": document_id})
    if row is None:
        raise no_such_document(document_id)
    return CitableVersion(document_id=document_id, **row)


async def published_text(
    scope: WorkspaceScope, document_id: UUID, most_characters: int
) -> DocumentText | None:
    """Read the published text, at most `most_characters` of it; None where nothing is published."""
    row = await scope.one(_SQL["text"], {"document_id": document_id, "limit": most_characters})
    if row is None or row["characters"] is None:
        return None
    text = row["text"]
    if text is None:
        end = min(most_characters, row["characters"])
        pieces = await load_pieces(scope, document_id, row["version"], pieces_of(0, end))
        text = stretch(pieces, 0, end)
    return DocumentText(text=text, characters=row["characters"])


async def texts_of_spans(
    scope: WorkspaceScope, shown: CitableVersion, spans: Sequence[tuple[int, int]], around: int
) -> tuple[SpanText, ...]:
    """Read the text of each span and up to `around` characters on each side, in their order."""
    if scope.sealing.encrypts:
        ranges = [pieces_of(start - around, end + around) for start, end in spans]
        numbers = {number for piece_range in ranges for number in piece_range}
        pieces = await load_pieces(scope, shown.document_id, shown.version, numbers)
        return tuple(
            SpanText(
                quoted=stretch(pieces, start, end),
                before=stretch(pieces, start - around, start),
                after=stretch(pieces, end, end + around),
            )
            for start, end in spans
        )
    rows = await scope.all(
        _SQL["texts_of_spans"],
        {
            "document_id": shown.document_id,
            "version": shown.version,
            "starts": [start for start, _ in spans],
            "ends": [end for _, end in spans],
            "around": around,
        },
    )
    return tuple(SpanText(**row) for row in rows)
