"""`footnote usage` and `footnote budget`: what a workspace used, what it cost, what it may use."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnote.domain.usage import Budget, BudgetState, Measure, Period, UsageRow
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.schemas import BudgetList, UsageReport

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

budget = typer.Typer(name="budget", help="Limit what a workspace may use.", no_args_is_help=True)

What = Annotated[
    Measure,
    typer.Argument(metavar="MEASURE", help="cost_usd, tokens, documents, chunks or bytes."),
]
When = Annotated[Period, typer.Option("--period", help="Over which time, in UTC.")]


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
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Show what was used by day, kind and model, with what it cost."""

    async def used(inside: WorkspaceEngine) -> tuple[UsageRow, ...]:
        return await inside.usage(
            since=since and since.date(),
            until=until and until.date(),
            principal_id=principal,
            document_id=None if document is None else await inside.document_called(document),
        )

    rows = in_workspace(context, workspace, used)
    if as_json:
        present.print_json(UsageReport(rows=rows))
        return
    if not rows:
        present.terminal().print("Nothing was used.")
        return
    listing = present.table("day", "kind", "model", "requests", "tokens", "units", "US dollars")
    for each in rows:
        cost = f"{each.cost_usd:.4f}"
        listing.add_row(
            str(each.day),
            each.kind,
            present.plain(each.model),
            f"{each.requests:,}",
            f"{each.input_tokens + each.output_tokens:,}",
            f"{each.units:,.0f}",
            f"{cost} and {each.unpriced_requests:,} without a price"
            if each.unpriced_requests
            else cost,
        )
    listing.show(present.terminal())


@budget.command("set", epilog=EXIT_CODES)
def set_budget(
    *,
    context: typer.Context,
    measure: What,
    most: Annotated[float, typer.Argument(metavar="MOST", min=0, help="The most of it.")],
    period: When = Period.MONTH,
    warn: Annotated[
        float,
        typer.Option("--warn", metavar="SHARE", min=0.01, max=1, help="Warn from this share on."),
    ] = 0.8,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Set a budget, in the place of one for the same measure and period."""
    found = in_workspace(
        context,
        workspace,
        lambda inside: inside.set_budget(measure, period, most, warn_share=warn),
    )
    _show(found, as_json=as_json)


@budget.command("list", epilog=EXIT_CODES)
def show_budgets(
    *, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """List the budgets with what was used of each."""
    _show(in_workspace(context, workspace, lambda inside: inside.budgets()), as_json=as_json)


@budget.command("remove", epilog=EXIT_CODES)
def remove_budget(
    *,
    context: typer.Context,
    measure: What,
    period: When = Period.MONTH,
    workspace: Workspace = None,
) -> None:
    """Remove a budget."""
    in_workspace(context, workspace, lambda inside: inside.remove_budget(measure, period))


def _show(budgets: tuple[Budget, ...], *, as_json: bool) -> None:
    if as_json:
        present.print_json(BudgetList(budgets=budgets))
        return
    if not budgets:
        present.terminal().print("No budgets.")
        return
    listing = present.table("measure", "period", "used", "most", "state")
    for each in budgets:
        style = "" if each.state is BudgetState.WITHIN else "bold red"
        listing.add_row(
            each.measure,
            each.period,
            f"{each.used:,.6g}",
            f"{each.most:,.6g}",
            Text(each.state, style=style),
        )
    listing.show(present.terminal())
