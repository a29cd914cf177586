"""Summarise collections, and remove empty ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from footnote.domain import DocumentStatus, Grant, Visibility
from footnote.domain.listing import CollectionSummary
from footnote.store.database import SYSTEM, WorkspaceScope
from footnote.store.statements import load_statements

_SQL = load_statements("collections")

Removal = Literal["removed", "absent", "in use"]


async def list_collections(
    scope: WorkspaceScope,
    names: Sequence[str] | None,
    grants: Mapping[str, Sequence[Grant]],
) -> tuple[CollectionSummary, ...]:
    """List collections by name, all or those named, with what the principal may see of each."""
    rows = await scope.all(_SQL["summaries"], {"names": None if names is None else list(names)})
    return tuple(
        CollectionSummary(
            name=row["name"],
            documents=row["documents"],
            documents_by_status={status: row[status] for status in DocumentStatus if row[status]},
            documents_by_visibility={
                visibility: row[visibility] for visibility in Visibility if row[visibility]
            },
            chunks=row["chunks"],
            bytes=row["bytes"],
            changed_at=row["changed_at"],
            grants=tuple(grants.get(row["name"], ())),
        )
        for row in rows
    )


async def remove_collection(scope: WorkspaceScope, name: str) -> Removal:
    """Remove an empty collection, and the roles granted in it.

    Documents hidden from the principal count as well.
    """
    if not await scope.change(_SQL["lock"], {"collection": name}):
        return "absent"
    await scope.act_as(SYSTEM)
    row = await scope.single(_SQL["has_documents"], {"collection": name})
    if not row["found"]:
        await scope.execute(_SQL["remove_grants"], {"collection": name})
        await scope.execute(_SQL["remove"], {"collection": name})
    await scope.act_as(scope.principal)
    return "in use" if row["found"] else "removed"
