"""Usage of a workspace, summed by day, and its budgets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from footnote.domain.usage import (
    Budget,
    Measure,
    Period,
    PersonUsageRow,
    UsageAbout,
    UsageKind,
    UsageNote,
    UsageRow,
)
from footnote.store.database import WorkspaceScope
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("usage")
_NONE = UUID(int=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedUse:
    """A use, with its subject and cost."""

    about: UsageAbout
    note: UsageNote
    cost_usd: float | None
    """None where the price is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageFilter:
    """Filter of usage; None matches everything."""

    first_day: date
    last_day: date
    principal: str | None = None
    conversation_id: UUID | None = None
    document_id: UUID | None = None


async def add_usage(scope: WorkspaceScope, uses: Iterable[PricedUse]) -> None:
    """Add uses to today's sums, always in the same order, so that calls cannot deadlock."""
    sums: dict[tuple[str, str, str, UUID, UUID], list[float]] = {}
    for use in uses:
        subject, note = use.about, use.note
        ids = (subject.conversation_id or _NONE, subject.document_id or _NONE)
        amounts = (
            note.requests,
            note.input_tokens,
            note.output_tokens,
            note.units,
            use.cost_usd or 0.0,
            note.requests if use.cost_usd is None else 0,
        )
        key = (note.kind.value, note.model, subject.principal, *ids)
        previous = sums.get(key, [0.0] * len(amounts))
        sums[key] = [total + amount for total, amount in zip(previous, amounts, strict=True)]
    for key in sorted(sums):
        parameters = dict(zip(_KEY, key, strict=True)) | dict(zip(_AMOUNTS, sums[key], strict=True))
        await scope.execute(_SQL["add"], parameters)


_KEY = ("kind", "model", "user", "conversation_id", "document_id")
_AMOUNTS = ("requests", "input_tokens", "output_tokens", "units", "cost_usd", "unpriced_requests")


async def usage_by_day(scope: WorkspaceScope, filters: UsageFilter) -> tuple[UsageRow, ...]:
    """Sum up what was used by day, kind and model, latest first."""
    rows = await scope.all(
        _SQL["by_day"],
        {
            "first_day": filters.first_day,
            "last_day": filters.last_day,
            "user": filters.principal,
            "conversation": filters.conversation_id,
            "document": filters.document_id,
        },
    )
    return tuple(record_of(UsageRow, row, kind=UsageKind(row["kind"])) for row in rows)


async def usage_by_person(
    scope: WorkspaceScope, first_day: date, last_day: date
) -> tuple[PersonUsageRow, ...]:
    """Sum usage by day and principal, latest day first, then by falling cost."""
    days = {"first_day": first_day, "last_day": last_day}
    return tuple(record_of(PersonUsageRow, row) for row in await scope.all(_SQL["by_person"], days))


async def list_budgets(scope: WorkspaceScope) -> tuple[Budget, ...]:
    """List the budgets with what was used of each."""
    return tuple(
        record_of(Budget, row, measure=Measure(row["measure"]), period=Period(row["period"]))
        for row in await scope.all(_SQL["budgets"])
    )


async def set_budget(
    scope: WorkspaceScope, measure: Measure, period: Period, most: float, warn_share: float
) -> None:
    """Set a budget, replacing the one for the same measure and period."""
    await scope.execute(
        _SQL["set_budget"],
        {"measure": measure, "period": period, "most": most, "warn_share": warn_share},
    )


async def remove_budget(scope: WorkspaceScope, measure: Measure, period: Period) -> bool:
    """Remove a budget; return whether there was one."""
    return bool(await scope.change(_SQL["remove_budget"], {"measure": measure, "period": period}))
