"""Entries of sources: for each item that a source offered, its content and its document."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from footnote.domain.sources import KnownEntry
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("sources")


async def registered_entries(
    scope: WorkspaceScope, collection: str, places: Sequence[str]
) -> tuple[KnownEntry, ...]:
    """Return the entries at these places and below them, each once."""
    firsts: list[str] = []
    ends: list[str] = []
    for place in dict.fromkeys(places):
        below = f"{place.rstrip('/')}/"
        firsts += [place, below]
        ends += [place + "\x01", below[:-1] + "0"]  # "0" is what follows "/"
    rows = await scope.all(
        _SQL["known_entries"], {"collection": collection, "firsts": firsts, "ends": ends}
    )
    entries = {
        row["external_id"]: record_of(
            KnownEntry, row, content_sha256=bytes(row["content_sha256"]).hex()
        )
        for row in rows
    }
    return tuple(entries.values())


async def remember_entry(
    scope: WorkspaceScope,
    *,
    collection: str,
    external_id: str,
    mark: str,
    content_sha256: str,
    document_id: UUID,
) -> None:
    """Store the entry of an external id, replacing the one before.

    Other entries of the document that have other content are marked to be read again.
    """
    parameters = {
        "collection": collection,
        "external_id": external_id,
        "mark": mark,
        "content_sha256": bytes.fromhex(content_sha256),
        "document_id": document_id,
    }
    await scope.execute(_SQL["forget_entry"], parameters)
    await scope.execute(_SQL["remember_entry"], parameters)
    await scope.execute(_SQL["doubt_others"], parameters)


async def move_document(
    scope: WorkspaceScope, document_id: UUID, old_external_id: str, external_id: str, filename: str
) -> bool:
    """Change a document's external id and file name; False if the id had changed already."""
    parameters = {
        "document_id": document_id,
        "old_external_id": old_external_id,
        "external_id": external_id,
        "filename": filename,
    }
    return await scope.change(_SQL["rename_document"], parameters) == 1


async def forget_entry(scope: WorkspaceScope, collection: str, external_id: str) -> None:
    """Delete the entry of an external id."""
    await scope.execute(
        _SQL["forget_entry"], {"collection": collection, "external_id": external_id}
    )


async def other_references(
    scope: WorkspaceScope, document_id: UUID
) -> tuple[str | None, tuple[str, ...]]:
    """Lock a document; return its external id, and those of all entries that refer to it."""
    parameters = {"document_id": document_id}
    owner = await scope.one(_SQL["owner_of"], parameters)
    rows = await scope.all(_SQL["remaining_entries"], parameters)
    return (
        None if owner is None else owner["external_id"],
        tuple(row["external_id"] for row in rows),
    )
