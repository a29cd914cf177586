"""Rules of how long something is kept, and what is due by them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from footnote.domain.identity import WHOLE_WORKSPACE
from footnote.domain.retention import DueDocument, RetentionKind, RetentionRule
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("retention")
_LAST_ENTRY = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DueCounts:
    """How much is due until some time, beside documents."""

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
    """Set a rule, in the place of one for the same kind and collection."""
    await scope.execute(_SQL["set"], _place(kind, collection) | {"days": days})


async def remove_rule(scope: WorkspaceScope, kind: RetentionKind, collection: str | None) -> bool:
    """Remove a rule; whether there was one."""
    return await scope.change(_SQL["remove"], _place(kind, collection)) == 1


async def any_rule(scope: WorkspaceScope) -> bool:
    """Whether anything is ever deleted by a rule."""
    return bool((await scope.single(_SQL["any_rule"]))["found"])


async def due_documents(
    scope: WorkspaceScope, until: datetime, limit: int
) -> tuple[DueDocument, ...]:
    """The documents that are due until some time, soonest first, as far as they may be seen."""
    rows = await scope.all(_SQL["due_documents"], {"until": until, "limit": limit})
    return tuple(record_of(DueDocument, row) for row in rows)


async def count_due_documents(scope: WorkspaceScope, until: datetime) -> tuple[int, int]:
    """How many documents are due until some time, and how many would be but for a legal hold."""
    row = await scope.single(_SQL["count_due_documents"], {"until": until})
    return row["found"], row["held"]


async def count_due(scope: WorkspaceScope, until: datetime) -> DueCounts:
    """How much else is due; give it a scope of the system, which sees everybody's."""
    parameters = {"until": until, "after": 0, "last": _LAST_ENTRY}
    found = {
        kind: int((await scope.single(_SQL[f"count_due_{kind}"], parameters))["found"])
        for kind in ("conversations", "queries", "pushes")
    }
    return DueCounts(**found)


async def delete_due_conversations(scope: WorkspaceScope, until: datetime, limit: int) -> int:
    """Delete some of the conversations that are due; how many. Takes a scope of the system."""
    return await scope.change(_SQL["delete_conversations"], {"until": until, "limit": limit})


async def delete_due_pushes(scope: WorkspaceScope, until: datetime, limit: int) -> int:
    """Delete some of the pushes that are due; how many. Takes a scope of the system."""
    return await scope.change(_SQL["delete_pushes"], {"until": until, "limit": limit})


async def delete_due_queries(
    scope: WorkspaceScope, until: datetime, after: int, limit: int
) -> tuple[int, int | None]:
    """Delete what is due of the next so many queries after an entry of the log.

    Returns how many they were, and the entry to go on after; None where no older one follows.
    """
    page = await scope.single(_SQL["page_of_queries"], {"after": after, "limit": limit})
    parameters = {"until": until, "after": after, "last": page["last"]}
    due = await scope.single(_SQL["count_due_queries"], parameters)
    if not due["found"]:
        return 0, None
    return await scope.change(_SQL["delete_queries"], parameters), page["last"]


async def delete_old_events(scope: WorkspaceScope) -> None:
    """Delete events that nobody is told of any more. Takes a scope of the system."""
    await scope.execute(_SQL["delete_old_events"])


def _place(kind: RetentionKind, collection: str | None) -> dict[str, object]:
    return {"kind": kind, "collection": collection or WHOLE_WORKSPACE}
