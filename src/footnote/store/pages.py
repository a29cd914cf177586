"""Reads which bytes a document is shown from, and what its text says at given places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from footnote.errors import NotFound
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements

_SQL = load_statements("pages")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownVersion:
    """The version of a document that citations speak of."""

    document_id: UUID
    version: int
    filename: str
    media_type: str
    blob_key: str
    """Empty where the bytes were not kept."""
    characters: int | None
    """Of its canonical text; None before it is published."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanText:
    """What stands at a span of a canonical text, and around it."""

    quoted: str
    before: str
    after: str


async def shown_version(scope: WorkspaceScope, document_id: UUID) -> ShownVersion:
    """The version that is published, or else received.

    Raises NotFound for a document that is absent, foreign or hidden alike.
    """
    cursor = await scope.connection.execute(
        _SQL["shown_version"], {"workspace_id": scope.workspace_id, "document_id": document_id}
    )
    row = await cursor.fetchone()
    if row is None:
        raise NotFound(f"there is no document {document_id}")
    return ShownVersion(document_id=document_id, **row)


async def texts_of_spans(
    scope: WorkspaceScope, shown: ShownVersion, spans: Sequence[tuple[int, int]], around: int
) -> tuple[SpanText, ...]:
    """The text at each span and up to `around` characters on each side, in their order."""
    cursor = await scope.connection.execute(
        _SQL["spans"],
        {
            "workspace_id": scope.workspace_id,
            "document_id": shown.document_id,
            "version": shown.version,
            "starts": [start for start, _ in spans],
            "ends": [end for _, end in spans],
            "around": around,
        },
    )
    return tuple(SpanText(**row) for row in await cursor.fetchall())
