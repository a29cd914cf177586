"""Summaries of documents: their extracted sentences, and the documents that lack them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pgvector import HalfVector
from psycopg.rows import DictRow

from footnote.domain.summaries import SummaryFailure, SummarySentence
from footnote.ports import Vector, Vectors
from footnote.store.database import WorkspaceScope
from footnote.store.sealing import KEYWORDS, SUMMARY_SENTENCE, TITLE
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("summaries")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsummarisedDocument:
    """A published version that is to be summarised."""

    document_id: UUID
    version: int
    title: str
    language: str | None
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSentence:
    """A summary sentence to be stored."""

    start: int
    end: int
    """Half-open offsets in the canonical text of the version."""
    text: str
    weight: float
    """0…1: how central it is in its document."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StoredSentence:
    """A stored summary sentence with its vector."""

    sentence: SummarySentence
    weight: float
    vector: Vector
    """As stored: comparable only with vectors of the same workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryCounts:
    """How many published documents are summarised."""

    documents: int
    done: int
    failed: int
    oldest_waiting: datetime | None


async def unsummarised_documents(
    scope: WorkspaceScope, summariser: str, *, attempts: int, limit: int
) -> tuple[UnsummarisedDocument, ...]:
    """List published documents not yet summarised by this summariser, newest first."""
    rows = await scope.all(
        _SQL["pending"], {"summariser": summariser, "attempts": attempts, "limit": limit}
    )
    return tuple(unsummarised_of(scope, row) for row in rows)


def unsummarised_of(scope: WorkspaceScope, row: DictRow) -> UnsummarisedDocument:
    """The document of a row, in plain text."""
    title, keywords = TITLE.of(row["document_id"]), KEYWORDS.of(row["document_id"])
    return record_of(
        UnsummarisedDocument,
        row,
        title=scope.sealing.plain_text(title, row["title"]),
        keywords=tuple(scope.sealing.plain_words(keywords, row["keywords"])),
    )


async def store_summary(
    scope: WorkspaceScope,
    unsummarised: UnsummarisedDocument,
    summariser: str,
    sentences: Sequence[NewSentence],
    vectors: Vectors,
) -> bool:
    """Replace a document's sentences, in order of falling weight, each with its vector.

    Returns False when another version was published meanwhile.
    """
    assert vectors.shape[0] == len(sentences), "each sentence has a vector"
    parameters: dict[str, object] = {
        "document_id": unsummarised.document_id,
        "version": unsummarised.version,
    }
    if await scope.one(_SQL["hold_version"], parameters) is None:
        return False
    transformed = await asyncio.to_thread(scope.sealing.vectors, vectors)
    await scope.execute(_SQL["remove"], parameters)
    await scope.execute_many(
        _SQL["insert"],
        (
            parameters
            | {
                "ordinal": ordinal,
                "char_start": sentence.start,
                "char_end": sentence.end,
                "text": scope.sealing.text(
                    SUMMARY_SENTENCE.of(unsummarised.document_id, ordinal), sentence.text
                ),
                "weight": sentence.weight,
                "embedding": HalfVector(vector),
            }
            for ordinal, (sentence, vector) in enumerate(zip(sentences, transformed, strict=True))
        ),
    )
    await scope.execute(_SQL["note_set"], parameters | {"summariser": summariser})
    return True


async def note_summary_failure(
    scope: WorkspaceScope, unsummarised: UnsummarisedDocument, summariser: str, reason: str
) -> None:
    """Record why a version could not be summarised; an earlier summary is kept."""
    await scope.execute(
        _SQL["note_failure"],
        {
            "document_id": unsummarised.document_id,
            "version": unsummarised.version,
            "summariser": summariser,
            "failure": reason,
        },
    )


async def stored_sentences(
    scope: WorkspaceScope, summariser: str, document_ids: Sequence[UUID]
) -> tuple[StoredSentence, ...]:
    """Return the sentences of the visible documents, by document and falling weight."""
    rows = await scope.all(
        _SQL["sentences"], {"summariser": summariser, "document_ids": list(document_ids)}
    )
    sealing = scope.sealing
    return tuple(
        StoredSentence(
            sentence=SummarySentence(
                text=sealing.plain_text(
                    SUMMARY_SENTENCE.of(row["document_id"], row["ordinal"]), row["text"]
                ),
                document_id=row["document_id"],
                version=row["version"],
                document_title=sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
                char_start=row["char_start"],
                char_end=row["char_end"],
            ),
            weight=row["weight"],
            vector=row["embedding"].to_numpy(),
        )
        for row in rows
    )


async def latest_of_collection(
    scope: WorkspaceScope, collection: str, limit: int
) -> tuple[UUID, ...]:
    """Return the newest documents of a collection that are visible."""
    rows = await scope.all(_SQL["latest_of_collection"], {"collection": collection, "limit": limit})
    return tuple(row["document_id"] for row in rows)


async def count_summaries(scope: WorkspaceScope, summariser: str) -> SummaryCounts:
    """Count the published documents, and those summarised or failed."""
    return record_of(
        SummaryCounts, await scope.single(_SQL["progress"], {"summariser": summariser})
    )


async def summary_failures(
    scope: WorkspaceScope, limit: int, writer: str | None = None
) -> tuple[SummaryFailure, ...]:
    """List the documents that could not be summarised, or not by this writer, latest first."""
    rows = await scope.all(_SQL["failures"], {"limit": limit, "writer": writer})
    return tuple(
        record_of(
            SummaryFailure,
            row,
            title=scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
        )
        for row in rows
    )
