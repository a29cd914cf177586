"""Routes of how long documents, conversations and what was asked are kept."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field

from footnote.domain.retention import RetentionKind, RetentionPreview, RetentionRun
from footnote.engine.retention import MAX_DAYS
from footnote.interfaces.http.requests import Request, Whole
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import RetentionRules
from footnote.validation.constrained_types import Name, PageLimit

router = workspace_router("privacy")


class SetRetention(Request):
    """After how many days something is deleted."""

    kind: RetentionKind
    days: Annotated[Whole, Field(ge=1, le=MAX_DAYS)] | None = Field(
        description="Null keeps it for ever, where the rule of the workspace would not."
    )
    collection: Name | None = Field(
        None, description="Of documents alone; without it the rule is the workspace's."
    )


@router.get("/v1/retention")
async def list_retention_rules(workspace: TheWorkspace) -> RetentionRules:
    """List after how many days what is deleted."""
    return RetentionRules(rules=await workspace.retention_rules())


@router.put("/v1/retention")
async def set_retention(workspace: TheWorkspace, rule: SetRetention) -> RetentionRules:
    """Set a rule, in the place of one for the same kind and collection.

    A worker deletes what is due within an hour or two, and then each day.
    """
    rules = await workspace.set_retention(rule.kind, rule.days, collection=rule.collection)
    return RetentionRules(rules=rules)


@router.delete("/v1/retention", status_code=204)
async def remove_retention(
    workspace: TheWorkspace,
    kind: Annotated[RetentionKind, Query(description="As it was set.")],
    collection: Annotated[Name | None, Query(description="As it was set.")] = None,
) -> None:
    """Remove a rule."""
    await workspace.remove_retention(kind, collection=collection)


@router.get("/v1/retention/preview")
async def preview_retention(
    workspace: TheWorkspace,
    within_days: Annotated[
        int, Query(ge=0, le=MAX_DAYS, description="So many days from now; 0 for what is due.")
    ] = 0,
    limit: Annotated[PageLimit, Query(description="The most documents that are listed.")] = 50,
) -> RetentionPreview:
    """Show what the rules delete until some time, as far as it is there now."""
    return await workspace.retention_preview(within_days=within_days, limit=limit)


@router.post("/v1/retention/apply")
async def apply_retention(workspace: TheWorkspace) -> RetentionRun:
    """Delete what is due now, rather than wait for a worker."""
    return await workspace.apply_retention()
