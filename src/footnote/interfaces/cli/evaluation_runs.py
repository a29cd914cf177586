"""`footnote eval-runs`: the evaluation runs that a workspace keeps, and how two of them differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from footnote.domain.evaluations import EvaluationComparison
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.schemas import EvaluationRunList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="eval-runs",
    help="See evaluation runs that `footnote eval --keep` kept.",
    no_args_is_help=True,
)

_SHOWN = ("ndcg", "recall", "right", "refused", "quote_found")
"""Metrics that a list has room for."""
RunId = Annotated[UUID, typer.Argument(metavar="RUN", help="The run's id.")]


@app.command("list", epilog=EXIT_CODES)
def show_runs(
    *,
    context: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=200, help="The most runs.")
    ] = 20,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """List the runs, latest first."""
    found = in_workspace(context, workspace, lambda inside: inside.evaluation_runs(limit=limit))
    if as_json:
        present.print_json(EvaluationRunList(runs=found))
        return
    if not found:
        present.terminal().print("No runs are kept: footnote eval GOLDEN --keep keeps one.")
        return
    listing = present.table(
        "run", "kept", "golden set", "setup", "#questions", *(f"#{each}" for each in _SHOWN)
    )
    for each in found:
        figures = {label.split("@")[0]: value for label, value in each.figures.items()}
        listing.add_row(
            str(each.run_id),
            f"{each.kept_at:%Y-%m-%d %H:%M}",
            present.plain(each.golden_name),
            present.plain(each.setup),
            f"{each.questions:,}",
            *(_figure(figures.get(name)) for name in _SHOWN),
        )
    listing.show(present.terminal())


@app.command("show", epilog=EXIT_CODES)
def show_run(
    *, context: typer.Context, run_id: RunId, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """Show a run with what came of each question."""
    found = in_workspace(context, workspace, lambda inside: inside.evaluation_run(run_id))
    if as_json:
        present.print_json(found)
        return
    figures = present.table("metric", "#figure")
    for label, value in found.run.figures.items():
        figures.add_row(label, _figure(value))
    figures.show(present.terminal())
    questions = present.table("id", "kind", "verdict", "question")
    for each in found.outcomes:
        questions.add_row(
            present.plain(each.id),
            present.plain(each.kind),
            each.verdict,
            present.plain(each.question),
        )
    questions.show(present.terminal())


@app.command("compare", epilog=EXIT_CODES)
def compare_runs(
    *,
    context: typer.Context,
    a: Annotated[UUID, typer.Argument(metavar="A", help="The run that is compared with.")],
    b: Annotated[UUID, typer.Argument(metavar="B", help="The run that is compared.")],
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Compare two runs over the same questions."""

    async def compared(inside: WorkspaceEngine) -> EvaluationComparison:
        from footnote.evaluation.kept import compare_evaluations

        return await compare_evaluations(inside, a, b)

    found = in_workspace(context, workspace, compared)
    if as_json:
        present.print_json(found)
        return
    listing = present.table("metric", "#a", "#b", "#b - a", "#p", "better")
    for each in found.differences:
        listing.add_row(
            each.metric,
            _figure(each.a),
            _figure(each.b),
            f"{each.difference:+.3f}",
            f"{each.p:.3f}",
            each.better or "even",
        )
    listing.show(present.terminal())
    if found.changes:
        changes = present.table("id", "a", "b", "question")
        for change in found.changes:
            changes.add_row(
                present.plain(change.id), change.a, change.b, present.plain(change.question)
            )
        changes.show(present.terminal())


@app.command("delete", epilog=EXIT_CODES)
def delete_run(*, context: typer.Context, run_id: RunId, workspace: Workspace = None) -> None:
    """Forget a run."""
    in_workspace(context, workspace, lambda inside: inside.delete_evaluation(run_id))


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.3f}"
