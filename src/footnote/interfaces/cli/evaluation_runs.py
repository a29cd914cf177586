"""`footnote eval-runs`: evaluation runs that are kept, how two differ, and new ones by workers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from footnote.domain.evaluations import EvaluationComparison, EvaluationOrder, StartedEvaluation
from footnote.errors import InvalidRequest
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import in_workspace
from footnote.interfaces.cli.options import EXIT_CODES, AsJson, Workspace
from footnote.interfaces.schemas import EvaluationRunList, StartedEvaluationList

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine

app = typer.Typer(
    name="eval-runs",
    help="See evaluation runs that were kept, and have workers make more.",
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

    async def start(inside: WorkspaceEngine) -> StartedEvaluation:
        from footnote.evaluation.golden import text_of
        from footnote.evaluation.kept import order_of

        if golden is None:
            order = EvaluationOrder(golden=again or "", plan=plan, k=k)
        else:
            order = order_of(text_of(golden), golden.name, plan=plan, k=k)
        return await inside.start_evaluation(order)

    found = in_workspace(context, workspace, start)
    if as_json:
        present.print_json(found)
        return
    present.terminal().print(
        f"A worker will ask {found.questions:,} questions and keep the run as {found.run_id}."
    )


@app.command("started", epilog=EXIT_CODES)
def show_started(
    *, context: typer.Context, workspace: Workspace = None, as_json: AsJson = False
) -> None:
    """List what workers were told to ask lately, with how far it is."""
    found = in_workspace(context, workspace, lambda inside: inside.started_evaluations())
    if as_json:
        present.print_json(StartedEvaluationList(started=found))
        return
    if not found:
        present.terminal().print(
            "No worker was told to ask a golden set: footnote eval-runs start GOLDEN does."
        )
        return
    listing = present.table(
        "run", "started", "golden set", "digest", "plan", "state", "#asked", "#of", "#cost"
    )
    for each in found:
        listing.add_row(
            str(each.run_id),
            f"{each.started_at:%Y-%m-%d %H:%M}",
            present.plain(each.golden_name),
            each.golden,
            present.plain(each.plan or "default"),
            each.state,
            f"{each.asked:,}",
            f"{each.questions:,}",
            f"${each.cost_usd:,.4f}",
        )
    listing.show(present.terminal())
    for each in found:
        if each.failure is not None:
            present.terminal().print(f"{each.run_id}: {present.plain(each.failure)}")


@app.command("cancel", epilog=EXIT_CODES)
def cancel_run(*, context: typer.Context, run_id: RunId, workspace: Workspace = None) -> None:
    """Have no more questions of a started evaluation asked; nothing is kept of it."""
    in_workspace(context, workspace, lambda inside: inside.cancel_evaluation(run_id))


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.3f}"
