"""Routes of what a workspace used, what it cost, and how much it may use."""

from __future__ import annotations

from datetime import date
from typing import Annotated
from uuid import UUID

from fastapi import Query
from pydantic import Field

from footnote.domain.usage import Measure, Period
from footnote.engine.usage import WARN_SHARE, Most, Share
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import BudgetList, UsageReport
from footnote.validation.constrained_types import AnyPrincipalId

router = workspace_router("usage")


class SetBudget(Request):
    """The most of something that the workspace may use in a period."""

    measure: Measure
    period: Period
    most: Most = Field(description="US dollars, tokens, documents, chunks or bytes.")
    warn_share: Share = Field(
        WARN_SHARE, description="From this share on, a warning is logged and its state says so."
    )


@router.get("/v1/usage")
async def show_usage(
    workspace: TheWorkspace,
    *,
    since: Annotated[
        date | None, Query(description="The first day, in UTC; 30 days without it.")
    ] = None,
    until: Annotated[date | None, Query(description="The last day; today without it.")] = None,
    principal_id: Annotated[
        AnyPrincipalId | None, Query(description="Of this principal alone.")
    ] = None,
    conversation_id: Annotated[
        UUID | None, Query(description="In this conversation alone.")
    ] = None,
    document_id: Annotated[UUID | None, Query(description="Of this document alone.")] = None,
) -> UsageReport:
    """Sum up what was used by day, kind and model, with what it cost."""
    rows = await workspace.usage(
        since=since,
        until=until,
        principal_id=principal_id,
        conversation_id=conversation_id,
        document_id=document_id,
    )
    return UsageReport(rows=rows)


@router.get("/v1/budgets")
async def list_budgets(workspace: TheWorkspace) -> BudgetList:
    """List the budgets of the workspace with what was used of each."""
    return BudgetList(budgets=await workspace.budgets())


@router.put("/v1/budgets")
async def set_budget(workspace: TheWorkspace, wanted: SetBudget) -> BudgetList:
    """Set a budget, in the place of one for the same measure and period."""
    return BudgetList(
        budgets=await workspace.set_budget(
            wanted.measure, wanted.period, wanted.most, warn_share=wanted.warn_share
        )
    )


@router.delete("/v1/budgets", status_code=204)
async def remove_budget(
    workspace: TheWorkspace,
    measure: Annotated[Measure, Query(description="As it was set.")],
    period: Annotated[Period, Query(description="As it was set.")],
) -> None:
    """Remove a budget."""
    await workspace.remove_budget(measure, period)
