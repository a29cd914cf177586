"""What a workspace used and what it cost, and the budgets that limit it."""

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
"""Of use that is shown where no day is named."""
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
    """What was used by day, kind and model, latest first; both days included, in UTC.

    For administrators of the whole workspace. Raises Forbidden, and InvalidRequest for days in the
    wrong order.
    """
    first, last = days_between(since, until)
    wanted = stored.UsageFilter(
        first_day=first,
        last_day=last,
        principal=principal_id,
        conversation_id=conversation_id,
        document_id=document_id,
    )
    async with workspace.scope() as scope:
        return await stored.usage_by_day(scope, wanted)


async def usage_by_person(
    workspace: WorkspaceAccess, *, since: date | None = None, until: date | None = None
) -> tuple[PersonUsageRow, ...]:
    """What each person, key and service used by day; latest first, then who cost most.

    For administrators of the whole workspace. Raises Forbidden, and InvalidRequest for days in the
    wrong order.
    """
    first, last = days_between(since, until)
    async with workspace.scope() as scope:
        return await stored.usage_by_person(scope, first, last)


def days_between(since: date | None, until: date | None) -> tuple[date, date]:
    """The first and last day that are meant; the last 30 days if none. Raises InvalidRequest.

    >>> days_between(None, date.min) == (date.min, date.min)
    True
    """
    last = until or datetime.now(UTC).date()
    # Before the first day that can be written there is none.
    first = since or last - min(timedelta(days=DAYS - 1), last - date.min)
    if first > last:
        raise InvalidRequest(f"since: {first} is after {last}", hint="give the earlier day first")
    return first, last


def usage_by_person_csv(rows: Iterable[PersonUsageRow]) -> str:
    """The rows as a table for spreadsheets."""
    names = [each.name for each in fields(PersonUsageRow)]
    return csv_table(names, ([getattr(row, name) for name in names] for row in rows))


async def budgets(workspace: WorkspaceAccess) -> tuple[Budget, ...]:
    """The budgets of the workspace, with what was used of each. Raises Forbidden."""
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
    """Limit what the workspace may use in a period, in the place of a limit before; all of them.

    Other processes go by it after some seconds. Raises Forbidden.
    """
    async with workspace.scope() as scope:
        await stored.set_budget(scope, measure, period, most, warn_share)
    workspace.engine.metering.forget_budgets(workspace.workspace_id)
    return await budgets(workspace)


async def remove_budget(workspace: WorkspaceAccess, measure: Measure, period: Period) -> None:
    """Limit it no more. Raises NotFound where it was not, and Forbidden."""
    async with workspace.scope() as scope:
        found = await stored.remove_budget(scope, measure, period)
    workspace.engine.metering.forget_budgets(workspace.workspace_id)
    if not found:
        raise NotFound(
            f"there is no budget of {measure} for {period}",
            hint="`footnote budget list` or `GET /v1/budgets` shows all",
        )
