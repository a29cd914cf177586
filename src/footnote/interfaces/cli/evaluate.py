"""`footnote eval`: a golden set is asked, and the figures are shown, compared or gated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footnote.interfaces.cli.options import AsJson, Workspace, workspace_name

_FOLDER = typer.Option(
    "--ingest", exists=True, metavar="FOLDER", help="Ingest this for the occasion and ask that."
)
_CHANGES = typer.Option("--set", metavar="KEY=VALUE", help="Change the plan or a setting.")
_OTHER_CHANGES = typer.Option(
    "--against-set", metavar="KEY=VALUE", help="The same for the second run."
)
_BASELINE = typer.Option(
    "--gate", metavar="BASELINE", help="Fail if a figure is significantly below this one's."
)


def evaluate(
    *,
    context: typer.Context,
    golden: Annotated[
        Path,
        typer.Argument(exists=True, dir_okay=False, metavar="GOLDEN", help="Questions, JSONL."),
    ],
    workspace: Workspace = None,
    ingest: Annotated[Path | None, _FOLDER] = None,
    plan: Annotated[str | None, typer.Option(metavar="PLAN", help="How to search.")] = None,
    against: Annotated[
        str | None, typer.Option(metavar="PLAN", help="Compare with this plan.")
    ] = None,
    changes: Annotated[list[str] | None, _CHANGES] = None,
    other_changes: Annotated[list[str] | None, _OTHER_CHANGES] = None,
    k: Annotated[int, typer.Option("--k", min=1, max=200, help="Results looked at.")] = 10,
    concurrency: Annotated[
        int, typer.Option(min=1, max=64, metavar="N", help="Questions in flight; 1 for true times.")
    ] = 1,
    gate: Annotated[Path | None, _BASELINE] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="BASELINE", help="Write the figures for a later gate.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report with charts.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Keep the figures in the workspace, for eval-runs.")
    ] = False,
    worst: Annotated[
        int, typer.Option(min=0, metavar="N", help="How many of the worst questions to show.")
    ] = 5,
    as_json: AsJson = False,
) -> None:
    """Measure search and answers on questions whose answers are known."""
    # The engine and numpy load only when something is measured, so that --help answers at once.
    from footnote.interfaces.cli.evaluation_session import Order, carry_out

    order = Order(
        golden=golden,
        workspace=workspace if ingest else workspace_name(context, workspace),
        folder=ingest,
        plan=plan,
        against=against,
        changes=tuple(changes or ()),
        other_changes=tuple(other_changes or ()),
        k=k,
        concurrency=concurrency,
        gate=gate,
        save=save,
        html=html,
        keep=keep,
        worst=worst,
        as_json=as_json,
    )
    if not carry_out(order):
        raise typer.Exit(1)
