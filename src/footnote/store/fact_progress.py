"""Which published versions are still to be read for facts, how many were, and which failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from footnote.domain import DocumentClass
from footnote.domain.facts import FactFailure
from footnote.store.database import WorkspaceScope
from footnote.store.sealing import TITLE
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("facts")
_FIRST = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingDocument:
    """A published version whose facts are wanted."""

    document_id: UUID
    version: int
    title: str
    language: str | None
    document_class: DocumentClass
    read_by: str | None = None
    """The extractor that read this version last; None where none did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCounts:
    """How many published documents were read for facts."""

    documents: int
    done: int
    failed: int
    facts: int
    model_input_tokens: int
    model_output_tokens: int
    model_cost_usd: float | None
    left_out: int
    oldest_waiting: datetime | None


async def pending_documents(
    scope: WorkspaceScope,
    extractor: str,
    classes: Sequence[str],
    *,
    attempts: int,
    limit: int,
    begun: Sequence[str] = (),
    with_new: bool = True,
    with_begun: bool = True,
    after: UUID = _FIRST,
) -> tuple[PendingDocument, ...]:
    """Published documents that this extractor has not read yet, by id.

    Those that one of the extractors `begun` has read come last; either kind may be left out.
    """
    rows = await scope.all(
        _SQL["pending"],
        {
            "extractor": extractor,
            "classes": list(classes),
            "attempts": attempts,
            "limit": limit,
            "after": after,
            "begun": list(begun),
            "with_new": with_new,
            "with_begun": with_begun,
        },
    )
    return tuple(
        record_of(
            PendingDocument,
            row,
            title=scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
            document_class=DocumentClass(row["document_class"]),
        )
        for row in rows
    )


async def note_failure(
    scope: WorkspaceScope, pending: PendingDocument, extractor: str, reason: str
) -> None:
    """Note why the facts of a version could not be extracted; those of before stay."""
    await scope.execute(
        _SQL["note_failure"],
        {
            "document_id": pending.document_id,
            "version": pending.version,
            "extractor": extractor,
            "failure": reason,
        },
    )


async def count_facts(
    scope: WorkspaceScope, extractors: Sequence[str], classes: Sequence[str]
) -> FactCounts:
    """Count what is read by one of these, and what is to be."""
    row = await scope.single(
        _SQL["progress"], {"extractors": list(extractors), "classes": list(classes)}
    )
    return record_of(FactCounts, row)


async def unread_bytes(scope: WorkspaceScope, extractor: str, classes: Sequence[str]) -> int:
    """How long the texts are together that this extractor has not read, in UTF-8."""
    row = await scope.single(_SQL["unread"], {"extractor": extractor, "classes": list(classes)})
    return int(row["bytes"])


async def fact_failures(scope: WorkspaceScope, limit: int) -> tuple[FactFailure, ...]:
    """List the documents whose facts could not be extracted, latest first."""
    rows = await scope.all(_SQL["failures"], {"limit": limit})
    return tuple(
        record_of(
            FactFailure,
            row,
            title=scope.sealing.plain_text(TITLE.of(row["document_id"]), row["title"]),
        )
        for row in rows
    )
