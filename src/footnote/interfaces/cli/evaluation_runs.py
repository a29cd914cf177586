"""`footnote eval-runs`: evaluation runs that are kept, how two differ, and new ones by workers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from footnote.domain.evaluations import EvaluationOrder, StartedEvaluation
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.command_runner import Shown, in_workspace, workspace_command
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.schemas import EvaluationRunList, StartedEvaluationList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="eval-runs",
    help="See evaluation runs that were kept, and have workers make more.",
    no_args_is_help=True,
)

_LISTED_METRICS = ("ndcg", "recall", "right", "refused", "quote_found")
"""Metrics that a list has room for."""
RunId = Annotated[UUID, typer.Argument(metavar="RUN", help="The run's id.")]


@workspace_command(app, "list")
async def show_runs(
    workspace: WorkspaceEngine,
    *,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, max=200, help="The most runs.")
    ] = 20,
) -> Shown:
    """List the runs, latest first."""
    runs = await workspace.evaluation_runs(limit=limit)
    yield EvaluationRunList(runs=runs)
    if not runs:
        present.terminal().print("No runs are kept: footnote eval GOLDEN --keep keeps one.")
        return
    listing = present.table(
        "run",
        "kept",
        "golden set",
        "setup",
        "#questions",
        *(f"#{name}" for name in _LISTED_METRICS),
    )
    for run in runs:
        figures = {label.split("@")[0]: value for label, value in run.figures.items()}
        listing.add_row(
            str(run.run_id),
            f"{run.kept_at:%Y-%m-%d %H:%M}",
            present.plain(run.golden_name),
            present.plain(run.setup),
            f"{run.questions:,}",
            *(_figure(figures.get(name)) for name in _LISTED_METRICS),
        )
    listing.show(present.terminal())


@workspace_command(app, "show")
async def show_run(workspace: WorkspaceEngine, *, run_id: RunId) -> Shown:
    """Show a run with what came of each question."""
    detail = await workspace.evaluation_run(run_id)
    yield detail
    figures = present.table("metric", "#figure")
    for label, value in detail.run.figures.items():
        figures.add_row(label, _figure(value))
    figures.show(present.terminal())
    questions = present.table("id", "kind", "verdict", "question")
    for outcome in detail.outcomes:
        questions.add_row(
            present.plain(outcome.id),
            present.plain(outcome.kind),
            outcome.verdict,
            present.plain(outcome.question),
        )
    questions.show(present.terminal())


@workspace_command(app, "compare")
async def compare_runs(
    workspace: WorkspaceEngine,
    *,
    a: Annotated[UUID, typer.Argument(metavar="A", help="The run that is compared with.")],
    b: Annotated[UUID, typer.Argument(metavar="B", help="The run that is compared.")],
) -> Shown:
    """Compare two runs over the same questions."""
    from footnote.evaluation.stored_runs import compare_evaluations

    comparison = await compare_evaluations(workspace, a, b)
    yield comparison
    listing = present.table("metric", "#a", "#b", "#b - a", "#p", "better")
    for difference in comparison.differences:
        listing.add_row(
            difference.metric,
            _figure(difference.a),
            _figure(difference.b),
            f"{difference.difference:+.3f}",
            f"{difference.p:.3f}",
            difference.better or "even",
        )
    listing.show(present.terminal())
    if comparison.changes:
        changes = present.table("id", "a", "b", "question")
        for change in comparison.changes:
            changes.add_row(
                present.plain(change.id), change.a, change.b, present.plain(change.question)
            )
        changes.show(present.terminal())


@workspace_command(app, "delete")
async def delete_run(workspace: WorkspaceEngine, *, run_id: RunId) -> None:
    """Forget a run."""
    await workspace.delete_evaluation(run_id)
    present.show_done(f"Deleted the run {run_id}.")


@app.command("start", epilog=EXIT_CODES)
def start_run(
    *,
    context: typer.Context,
    golden: Annotated[
        Path | None,
        typer.Argument(exists=True, dir_okay=False, metavar="GOLDEN", help="Questions, JSONL."),
    ] = None,
    again: Annotated[
        str | None,
        typer.Option("--again", metavar="DIGEST", help="Ask a golden set that was started before."),
    ] = None,
    plan: Annotated[str | None, typer.Option(metavar="PLAN", help="How to search.")] = None,
    k: Annotated[int, typer.Option("--k", min=1, max=200, help="Results looked at.")] = 10,
    workspace: Workspace = None,
    as_json: AsJson = False,
) -> None:
    """Have a worker ask a golden set, and keep the run when all of it is asked."""
    if (golden is None) == (again is None):
        raise InvalidRequest(
            "give either a file of questions or --again",
            hint="footnote eval-runs started shows digests",
        )

    async def start(workspace: WorkspaceEngine) -> StartedEvaluation:
        from footnote.evaluation.golden import text_of
        from footnote.evaluation.stored_runs import order_of

        if golden is None:
            order = EvaluationOrder(golden=again or "", plan=plan, k=k)
        else:
            order = order_of(text_of(golden), golden.name, plan=plan, k=k)
        return await workspace.start_evaluation(order)

    started = in_workspace(context, workspace, start)
    if as_json:
        present.print_json(started)
        return
    present.terminal().print(
        f"A worker will ask {started.questions:,} questions and keep the run as {started.run_id}."
    )


@workspace_command(app, "started")
async def show_started(workspace: WorkspaceEngine) -> Shown:
    """List what workers were told to ask lately, with how far it is."""
    started = await workspace.started_evaluations()
    yield StartedEvaluationList(started=started)
    if not started:
        present.terminal().print(
            "No worker was told to ask a golden set: footnote eval-runs start GOLDEN does."
        )
        return
    listing = present.table(
        "run", "started", "golden set", "digest", "plan", "state", "#asked", "#of", "#cost"
    )
    for run in started:
        listing.add_row(
            str(run.run_id),
            f"{run.started_at:%Y-%m-%d %H:%M}",
            present.plain(run.golden_name),
            run.golden,
            present.plain(run.plan or "default"),
            run.state,
            f"{run.asked:,}",
            f"{run.questions:,}",
            f"${run.cost_usd:,.4f}",
        )
    listing.show(present.terminal())
    for run in started:
        if run.failure is not None:
            present.terminal().print(f"{run.run_id}: {present.plain(run.failure)}")


@workspace_command(app, "cancel")
async def cancel_run(workspace: WorkspaceEngine, *, run_id: RunId) -> None:
    """Have no more questions of a started evaluation asked; nothing is kept of it."""
    await workspace.cancel_evaluation(run_id)
    present.show_done(f"Cancelled the run {run_id}.")


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.3f}"
