"""Report the usage and cost of a workspace, and manage its budgets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from datetime import UTC, date, datetime, timedelta
from typing import Annotated
from uuid import UUID

from pydantic import Field

from footnote.domain.usage import Budget, Measure, Period, PersonUsageRow, UsageRow
from footnote.engine.csv_tables import csv_table
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest, NotFound
from footnote.store import usage as stored
from footnote.validation.constrained_types import AnyPrincipalId

DAYS = 30
"""Default number of days reported."""
WARN_SHARE = 0.8

Most = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
Share = Annotated[float, Field(gt=0, le=1)]


async def usage(
    workspace: WorkspaceAccess,
    *,
    since: date | None = None,
    until: date | None = None,
    principal_id: AnyPrincipalId | None = None,
    conversation_id: UUID | None = None,
    document_id: UUID | None = None,
) -> tuple[UsageRow, ...]:
    """Return usage by day, kind and model, latest first. Both days are inclusive, in UTC.

    For administrators of the whole workspace. Raises Forbidden, and InvalidRequest for days in the
    wrong order.
    """
    first, last = days_between(since, until)
    usage_filter = stored.UsageFilter(
        first_day=first,
        last_day=last,
        principal=principal_id,
        conversation_id=conversation_id,
        document_id=document_id,
    )
    async with workspace.scope() as scope:
        return await stored.usage_by_day(scope, usage_filter)


async def usage_by_person(
    workspace: WorkspaceAccess, *, since: date | None = None, until: date | None = None
) -> tuple[PersonUsageRow, ...]:
    """Return usage of each person, key and service by day, latest first, then costliest.

    For administrators of the whole workspace. Raises Forbidden, and InvalidRequest for days in the
    wrong order.
    """
    first, last = days_between(since, until)
    async with workspace.scope() as scope:
        return await stored.usage_by_person(scope, first, last)


def days_between(since: date | None, until: date | None) -> tuple[date, date]:
    """Return the first and last day; by default the last 30 days. Raises InvalidRequest.

    >>> days_between(None, date.min) == (date.min, date.min)
    True
    """
    last = until or datetime.now(UTC).date()
    # Not before `date.min`, the first day that Python represents.
    first = since or last - min(timedelta(days=DAYS - 1), last - date.min)
    if first > last:
        raise InvalidRequest(f"since: {first} is after {last}", hint="give the earlier day first")
    return first, last


def usage_by_person_csv(rows: Iterable[PersonUsageRow]) -> str:
    """Write the rows as CSV for spreadsheets."""
    names = [field.name for field in fields(PersonUsageRow)]
    return csv_table(names, ([getattr(row, name) for name in names] for row in rows))


async def budgets(workspace: WorkspaceAccess) -> tuple[Budget, ...]:
    """List the budgets of the workspace with their usage. Raises Forbidden."""
    async with workspace.scope() as scope:
        return await stored.list_budgets(scope)


async def set_budget(
    workspace: WorkspaceAccess,
    measure: Measure,
    period: Period,
    most: Most,
    *,
    warn_share: Share = WARN_SHARE,
) -> tuple[Budget, ...]:
    """Set the budget of a measure and period, replacing an earlier one; return all budgets.

    Other processes apply it after some seconds. Raises Forbidden.
    """
    async with workspace.scope() as scope:
        await stored.set_budget(scope, measure, period, most, warn_share)
    workspace.engine.metering.forget_budgets(workspace.workspace_id)
    return await budgets(workspace)


async def remove_budget(workspace: WorkspaceAccess, measure: Measure, period: Period) -> None:
    """Remove a budget. Raises NotFound where there is none, and Forbidden."""
    async with workspace.scope() as scope:
        removed = await stored.remove_budget(scope, measure, period)
    workspace.engine.metering.forget_budgets(workspace.workspace_id)
    if not removed:
        raise NotFound(
            f"there is no budget of {measure} for {period}",
            hint="`footnote budget list` or `GET /v1/budgets` shows all",
        )
