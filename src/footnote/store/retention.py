"""Retention rules, and the data that they make due for deletion."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from footnote.domain.identity import WHOLE_WORKSPACE
from footnote.domain.retention import DueDocument, RetentionKind, RetentionRule
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("retention")
_LAST_ENTRY = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DueCounts:
    """Number of items, other than documents, that are due by some time."""

    conversations: int
    queries: int
    pushes: int


async def retention_rules(scope: WorkspaceScope) -> tuple[RetentionRule, ...]:
    """Every rule, by kind and collection."""
    rows = await scope.all(_SQL["rules"])
    return tuple(record_of(RetentionRule, row, kind=RetentionKind(row["kind"])) for row in rows)


async def set_rule(
    scope: WorkspaceScope, kind: RetentionKind, collection: str | None, days: int | None
) -> None:
    """Set a rule, replacing the one for the same kind and collection."""
    await scope.execute(_SQL["set"], _place(kind, collection) | {"days": days})


async def remove_rule(scope: WorkspaceScope, kind: RetentionKind, collection: str | None) -> bool:
    """Remove a rule; return whether there was one."""
    return await scope.change(_SQL["remove"], _place(kind, collection)) == 1


async def any_rule(scope: WorkspaceScope) -> bool:
    """Return whether any rule sets a retention period."""
    return bool((await scope.single(_SQL["any_rule"]))["found"])


async def due_documents(
    scope: WorkspaceScope, until: datetime, limit: int
) -> tuple[DueDocument, ...]:
    """List the visible documents due by some time and not under legal hold, earliest first."""
    rows = await scope.all(_SQL["due_documents"], {"until": until, "limit": limit})
    return tuple(record_of(DueDocument, row) for row in rows)


async def is_due(scope: WorkspaceScope, document_id: UUID, until: datetime) -> bool:
    """Return whether a document is due by some time, and not under legal hold."""
    parameters = {"document_id": document_id, "until": until}
    return bool((await scope.single(_SQL["is_due"], parameters))["found"])


async def count_due_documents(scope: WorkspaceScope, until: datetime) -> tuple[int, int]:
    """Count the documents due by some time, and those that a legal hold protects."""
    row = await scope.single(_SQL["count_due_documents"], {"until": until})
    return row["found"], row["held"]


async def count_due(scope: WorkspaceScope, until: datetime) -> DueCounts:
    """Count the other items that are due. Takes a system scope, which sees everybody's."""
    parameters = {"until": until, "after": 0, "last": _LAST_ENTRY}
    counts = {
        kind: int((await scope.single(_SQL[f"count_due_{kind}"], parameters))["found"])
        for kind in ("conversations", "queries", "pushes")
    }
    return DueCounts(**counts)


async def delete_due_conversations(scope: WorkspaceScope, until: datetime, limit: int) -> int:
    """Delete up to `limit` due conversations; return how many. Takes a system scope."""
    return await scope.change(_SQL["delete_conversations"], {"until": until, "limit": limit})


async def delete_due_pushes(scope: WorkspaceScope, until: datetime, limit: int) -> int:
    """Delete up to `limit` due pushes; return how many. Takes a system scope."""
    return await scope.change(_SQL["delete_pushes"], {"until": until, "limit": limit})


async def delete_due_queries(
    scope: WorkspaceScope, until: datetime, after: int, limit: int
) -> tuple[int, int | None]:
    """Delete those of the next `limit` queries after an audit log entry that are due.

    Returns how many were deleted, and the entry to continue after; None when no more are due.
    """
    page = await scope.single(_SQL["page_of_queries"], {"after": after, "limit": limit})
    parameters = {"until": until, "after": after, "last": page["last"]}
    # Held ones count: where a page has no others, later pages may still have some.
    if not (await scope.single(_SQL["any_old_query"], parameters))["found"]:
        return 0, None
    return await scope.change(_SQL["delete_queries"], parameters), page["last"]


async def delete_old_events(scope: WorkspaceScope) -> None:
    """Delete events that are no longer delivered. Takes a system scope."""
    await scope.execute(_SQL["delete_old_events"])


def _place(kind: RetentionKind, collection: str | None) -> dict[str, object]:
    return {"kind": kind, "collection": collection or WHOLE_WORKSPACE}
