"""Price the model usage of acts and jobs, and enforce budgets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from time import monotonic
from uuid import UUID

import structlog

from footnote.domain.usage import Budget, BudgetState, Period, UsageAbout, UsageNote
from footnote.errors import BudgetExceeded
from footnote.store.database import SYSTEM, Database
from footnote.store.usage import PricedUse, list_budgets
from footnote.telemetry.prices import Prices

BUDGET_CACHE_SECONDS = 5.0
"""How long a process caches the state of a workspace's budgets, in seconds."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True, kw_only=True)
class Metering:
    """The meter of an installation."""

    database: Database
    prices: Prices
    _cached: dict[UUID, tuple[float, tuple[Budget, ...]]] = field(default_factory=dict)

    def priced(self, about: UsageAbout, notes: Sequence[UsageNote]) -> tuple[PricedUse, ...]:
        """Uses with what they cost."""
        return tuple(
            PricedUse(about=about, note=note, cost_usd=self.prices.of(note)) for note in notes
        )

    def saw_room(self, workspace_id: UUID) -> bool:
        """Return whether the cached state is fresh and no budget in it is exceeded."""
        until, budgets = self._cached.get(workspace_id, (0.0, ()))
        return monotonic() < until and all(
            budget.state is not BudgetState.EXCEEDED for budget in budgets
        )

    async def require_budget(self, workspace_id: UUID) -> None:
        """Raise BudgetExceeded where a budget is used up; warn in the log where it soon is."""
        now = monotonic()
        until, budgets = self._cached.get(workspace_id, (0.0, ()))
        if until <= now:
            async with self.database.workspace(workspace_id, SYSTEM) as scope:
                budgets = await list_budgets(scope)
            self._cached[workspace_id] = (now + BUDGET_CACHE_SECONDS, budgets)
            for budget in budgets:
                if budget.state is not BudgetState.WITHIN:
                    _log.warning(
                        "budget",
                        workspace_id=str(workspace_id),
                        measure=budget.measure.value,
                        period=budget.period.value,
                        used=budget.used,
                        most=budget.most,
                    )
        for budget in budgets:
            if budget.state is BudgetState.EXCEEDED:
                raise _budget_exceeded(budget)

    def forget_budgets(self, workspace_id: UUID) -> None:
        """Drop the cached state of a workspace's budgets."""
        self._cached.pop(workspace_id, None)


def _budget_exceeded(budget: Budget) -> BudgetExceeded:
    when = {Period.DAY: "today", Period.MONTH: "this month", Period.TOTAL: "in all"}
    return BudgetExceeded(
        f"the budget of {budget.most:g} {budget.measure.value} is used up {when[budget.period]}",
        retry_after_seconds=_seconds_left(budget.period, datetime.now(UTC)),
        hint="an administrator can raise it: `footnote budget set --help`",
    )


def _seconds_left(period: Period, now: datetime) -> int | None:
    """Return the seconds until the period ends; None for one that does not end."""
    if period is Period.TOTAL:
        return None
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    end = today + timedelta(days=1)
    if period is Period.MONTH:
        end = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
    return max(1, math.ceil((end - now).total_seconds()))
