"""Routes of what a workspace used, what it cost, and how much it may use."""

from __future__ import annotations

from datetime import date
from typing import Annotated
from uuid import UUID

from fastapi import Query, Response
from pydantic import Field

from footnote.domain.usage import Measure, Period
from footnote.engine.usage import WARN_SHARE, Most, Share, usage_by_person_csv
from footnote.interfaces.http.requests import Request
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import BudgetList, PersonUsageReport, UsageReport
from footnote.validation.constrained_types import AnyPrincipalId

router = workspace_router("usage")

FirstDay = Annotated[date | None, Query(description="The first day, in UTC; 30 days without it.")]
LastDay = Annotated[date | None, Query(description="The last day; today without it.")]


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
    since: FirstDay = None,
    until: LastDay = None,
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


@router.get("/v1/usage/people")
async def show_usage_by_person(
    workspace: TheWorkspace, *, since: FirstDay = None, until: LastDay = None
) -> PersonUsageReport:
    """Sum up what each person, key and service used by day, with what it cost."""
    rows = await workspace.usage_by_person(since=since, until=until)
    return PersonUsageReport(rows=rows)


@router.get(
    "/v1/usage/people/export",
    response_class=Response,
    responses={
        200: {
            "description": "The same as a table for spreadsheets.",
            "content": {
                "text/csv": {
                    "schema": {"type": "string"},
                    "example": "day,principal,requests,input_tokens,output_tokens,cost_usd,"
                    "unpriced_requests\r\n2025-05-02,ann,12,5210,840,0.031,0\r\n",
                }
            },
        }
    },
)
async def export_usage_by_person(
    workspace: TheWorkspace, *, since: FirstDay = None, until: LastDay = None
) -> Response:
    """Export what each person, key and service used by day, as comma-separated values."""
    rows = await workspace.usage_by_person(since=since, until=until)
    return Response(
        usage_by_person_csv(rows),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="usage-by-person.csv"'},
    )


@router.get("/v1/budgets")
async def list_budgets(workspace: TheWorkspace) -> BudgetList:
    """List the budgets of the workspace with what was used of each."""
    return BudgetList(budgets=await workspace.budgets())


@router.put("/v1/budgets")
async def set_budget(workspace: TheWorkspace, budget: SetBudget) -> BudgetList:
    """Set a budget, in the place of one for the same measure and period."""
    return BudgetList(
        budgets=await workspace.set_budget(
            budget.measure, budget.period, budget.most, warn_share=budget.warn_share
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
