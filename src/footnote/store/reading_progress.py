"""Which published versions were read for facts or entities, and which still have to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeVar
from uuid import UUID

from footnote.domain.entities import EntityFailure
from footnote.domain.facts import FactFailure
from footnote.store.database import WorkspaceScope
from footnote.store.sealing import TITLE
from footnote.store.statements import load_statements, record_of

Extracted = Literal["entities", "facts"]
_SQL = {"entities": load_statements("entities"), "facts": load_statements("facts")}
Failure = TypeVar("Failure", EntityFailure, FactFailure)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedVersion:
    """A published version that has to be read."""

    document_id: UUID
    version: int
    title: str
    language: str | None
    read_by: str | None = None
    """The extractor that last read this version; None if none did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingCounts:
    """Progress of reading the published documents, and its cost."""

    documents: int
    done: int
    failed: int
    found: int
    model_input_tokens: int
    model_output_tokens: int
    model_cost_usd: float | None
    left_out: int
    oldest_waiting: datetime | None


async def unread_documents(
    scope: WorkspaceScope,
    kind: Extracted,
    extractor: str,
    classes: Sequence[str] = (),
    *,
    attempts: int,
    limit: int,
    begun: Sequence[str] = (),
    with_new: bool = True,
    with_begun: bool = True,
) -> tuple[PublishedVersion, ...]:
    """List published documents that this extractor has not read yet, newest first.

    Documents that one of the extractors `begun` has read come last; `with_begun` and `with_new`
    select them and the others.
    """
    rows = await scope.all(
        _SQL[kind]["pending"],
        {
            "extractor": extractor,
            "classes": list(classes),
            "attempts": attempts,
            "limit": limit,
            "begun": list(begun),
            "with_new": with_new,
            "with_begun": with_begun,
        },
    )
    return tuple(
        record_of(
            PublishedVersion,
            row,
            title=scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
        )
        for row in rows
    )


async def note_failure(
    scope: WorkspaceScope,
    kind: Extracted,
    version: PublishedVersion,
    extractor: str,
    reason: str,
) -> None:
    """Record why a version could not be read; earlier results are kept."""
    await scope.execute(
        _SQL[kind]["note_failure"],
        {
            "document_id": version.document_id,
            "version": version.version,
            "extractor": extractor,
            "failure": reason,
        },
    )


async def count_read(
    scope: WorkspaceScope,
    kind: Extracted,
    extractors: Sequence[str],
    classes: Sequence[str] = (),
) -> ReadingCounts:
    """Count the published documents that were read by one of these extractors, or failed."""
    row = await scope.single(
        _SQL[kind]["progress"], {"extractors": list(extractors), "classes": list(classes)}
    )
    return record_of(ReadingCounts, row)


async def unread_bytes(
    scope: WorkspaceScope, kind: Extracted, extractor: str, classes: Sequence[str] = ()
) -> int:
    """Return the total size of the texts that this extractor has not read, in bytes of UTF-8."""
    row = await scope.single(
        _SQL[kind]["unread"], {"extractor": extractor, "classes": list(classes)}
    )
    return int(row["bytes"])


async def reading_failures(
    scope: WorkspaceScope, kind: Extracted, record: type[Failure], limit: int
) -> tuple[Failure, ...]:
    """List the documents that could not be read, latest first."""
    rows = await scope.all(_SQL[kind]["failures"], {"limit": limit})
    return tuple(
        record_of(
            record,
            row,
            title=scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
        )
        for row in rows
    )
