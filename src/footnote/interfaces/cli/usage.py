"""`footnote usage` and `footnote budget`: what a workspace used, what it cost, what it may use."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain.usage import Budget, BudgetState, Measure, Period, PersonUsageRow, UsageRow
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, in_workspace, workspace_command
from footnote.interfaces.cli.options import AsJson, Workspace
from footnote.interfaces.schemas import BudgetList, PersonUsageReport, UsageReport

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

budget = typer.Typer(name="budget", help="Limit what a workspace may use.", no_args_is_help=True)

MeasureArgument = Annotated[
    Measure,
    typer.Argument(metavar="MEASURE", help="cost_usd, tokens, documents, chunks or bytes."),
]
PeriodOption = Annotated[Period, typer.Option("--period", help="Over which time, in UTC.")]


def usage(
    *,
    context: typer.Context,
    since: Annotated[
        datetime | None,
        typer.Option("--since", formats=["%Y-%m-%d"], metavar="DAY", help="The first day."),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option("--until", formats=["%Y-%m-%d"], metavar="DAY", help="The last day."),
    ] = None,
    principal: Annotated[
        str | None, typer.Option("--principal", metavar="ID", help="Of this principal alone.")
    ] = None,
    document: Annotated[
        str | None, typer.Option("--document", metavar="DOCUMENT", help="Of this one alone.")
    ] = None,
    by_person: Annotated[
        bool, typer.Option("--by-person", help="By day and person, key or service.")
    ] = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="With --by-person, as comma-separated values.")
    ] = False,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show what was used by day, kind and model, with what it cost."""
    days = since and since.date(), until and until.date()
    if by_person:
        if principal is not None or document is not None:
            raise InvalidRequest(
                "--by-person is about all of the workspace",
                hint="leave --principal and --document out, or --by-person",
            )
        people = in_workspace(
            context,
            workspace,
            lambda workspace_engine: workspace_engine.usage_by_person(since=days[0], until=days[1]),
        )
        _show_people(people, as_csv=as_csv, as_json=as_json)
        return
    if as_csv:
        raise InvalidRequest("--csv is for --by-person alone", hint="add --by-person")

    async def read_usage(workspace: WorkspaceEngine) -> tuple[UsageRow, ...]:
        return await workspace.usage(
            since=days[0],
            until=days[1],
            principal_id=principal,
            document_id=None if document is None else await workspace.document_called(document),
        )

    rows = in_workspace(context, workspace, read_usage)
    if as_json:
        present.print_json(UsageReport(rows=rows))
        return
    if not rows:
        present.terminal().print("Nothing was used.")
        return
    listing = present.table("day", "kind", "model", "requests", "tokens", "units", "US dollars")
    for row in rows:
        listing.add_row(
            str(row.day),
            row.kind,
            present.plain(row.model),
            f"{row.requests:,}",
            f"{row.input_tokens + row.output_tokens:,}",
            f"{row.units:,.0f}",
            _cost(row.cost_usd, row.unpriced_requests),
        )
    listing.show(present.terminal())


def _show_people(rows: tuple[PersonUsageRow, ...], *, as_csv: bool, as_json: bool) -> None:
    if as_json:
        present.print_json(PersonUsageReport(rows=rows))
        return
    if as_csv:
        from footnote.engine.usage import usage_by_person_csv

        typer.echo(usage_by_person_csv(rows), nl=False)
        return
    if not rows:
        present.terminal().print("Nothing was used.")
        return
    listing = present.table("day", "who", "requests", "tokens", "US dollars")
    for row in rows:
        listing.add_row(
            str(row.day),
            present.plain(row.principal),
            f"{row.requests:,}",
            f"{row.input_tokens + row.output_tokens:,}",
            _cost(row.cost_usd, row.unpriced_requests),
        )
    listing.show(present.terminal())


def _cost(cost_usd: float, unpriced_requests: int) -> str:
    cost = f"{cost_usd:.4f}"
    return f"{cost} and {unpriced_requests:,} without a price" if unpriced_requests else cost


@workspace_command(budget, "set")
async def set_budget(
    workspace: WorkspaceEngine,
    *,
    measure: MeasureArgument,
    most: Annotated[float, typer.Argument(metavar="MOST", min=0, help="The most of it.")],
    period: PeriodOption = Period.MONTH,
    warn: Annotated[
        float,
        typer.Option("--warn", metavar="SHARE", min=0.01, max=1, help="Warn from this share on."),
    ] = 0.8,
) -> Shown:
    """Set a budget, in the place of one for the same measure and period."""
    budgets = await workspace.set_budget(measure, period, most, warn_share=warn)
    yield BudgetList(budgets=budgets)
    _show(budgets)


@workspace_command(budget, "list")
async def show_budgets(workspace: WorkspaceEngine) -> Shown:
    """List the budgets with what was used of each."""
    budgets = await workspace.budgets()
    yield BudgetList(budgets=budgets)
    _show(budgets)


@workspace_command(budget, "remove")
async def remove_budget(
    workspace: WorkspaceEngine, *, measure: MeasureArgument, period: PeriodOption = Period.MONTH
) -> None:
    """Remove a budget."""
    await workspace.remove_budget(measure, period)
    present.show_done(f"Removed the budget of {measure} ({period}).")


def _show(budgets: tuple[Budget, ...]) -> None:
    if not budgets:
        present.terminal().print("No budgets.")
        return
    listing = present.table("measure", "period", "used", "most", "state")
    for entry in budgets:
        style = "" if entry.state is BudgetState.WITHIN else "bold red"
        listing.add_row(
            entry.measure,
            entry.period,
            f"{entry.used:,.6g}",
            f"{entry.most:,.6g}",
            Text(entry.state, style=style),
        )
    listing.show(present.terminal())
