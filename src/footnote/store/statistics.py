"""Counts what a workspace holds."""

from __future__ import annotations

from footnote.domain import Lane, WorkspaceStats
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements

_SQL = load_statements("statistics")


async def workspace_stats(scope: WorkspaceScope, lane: Lane) -> WorkspaceStats:
    """Counts over what the principal may see."""
    parameters = {"workspace_id": scope.workspace_id}
    by_status = await (await scope.connection.execute(_SQL["documents"], parameters)).fetchall()
    segments = await (await scope.connection.execute(_SQL["segments"], parameters)).fetchone()
    return WorkspaceStats(
        documents=sum(row["documents"] for row in by_status),
        chunks=sum(row["chunks"] for row in by_status),
        documents_by_status={row["status"]: row["documents"] for row in by_status},
        segments=0 if segments is None else segments["segments"],
        lane=lane,
    )
