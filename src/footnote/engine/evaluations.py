"""Stored evaluation runs of a workspace, for administrators of all of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated
from uuid import UUID

from pydantic import Field

from footnote.domain.evaluations import (
    EvaluationDetail,
    EvaluationOrder,
    EvaluationRun,
    EvaluationState,
    NewEvaluationRun,
    StartedEvaluation,
)
from footnote.engine.services import WorkspaceAccess
from footnote.errors import Conflict, InvalidRequest, NotFound
from footnote.store import evaluations as stored
from footnote.store import started_evaluations as started
from footnote.validation.text import is_storable

RETAINED_RUNS = 200
"""The newest runs of a workspace."""
MAX_QUESTIONS = 5_000
RETAINED_STARTED_RUNS = 20
"""Number of newest worker runs kept; their golden sets can be asked again."""

ListedRuns = Annotated[int, Field(ge=1, le=RETAINED_RUNS)]


async def keep_evaluation(workspace: WorkspaceAccess, run: NewEvaluationRun) -> EvaluationRun:
    """Store a run; only the newest of the workspace remain. Raises Forbidden and InvalidRequest."""
    require_keepable(len(run.outcomes))
    async with workspace.scope() as scope:
        return await stored.store_run(scope, run, RETAINED_RUNS)


def require_keepable(questions: int) -> None:
    """Raise InvalidRequest for a run without questions, or with too many to store."""
    if not 0 < questions <= MAX_QUESTIONS:
        raise InvalidRequest(
            f"a run of {questions:,} questions is not kept",
            hint=f"ask at most {MAX_QUESTIONS:,} at once",
        )


async def evaluation_runs(
    workspace: WorkspaceAccess, *, limit: ListedRuns = 50
) -> tuple[EvaluationRun, ...]:
    """The stored runs, latest first. Raises Forbidden."""
    async with workspace.scope() as scope:
        return await stored.list_runs(scope, limit)


async def evaluation_run(workspace: WorkspaceAccess, run_id: UUID) -> EvaluationDetail:
    """A run with the outcome of each question. Raises NotFound and Forbidden."""
    async with workspace.scope() as scope:
        run = await stored.get_run(scope, run_id)
    if run is None:
        raise _no_such_run(run_id)
    return run


async def delete_evaluation(workspace: WorkspaceAccess, run_id: UUID) -> None:
    """Delete a run. Raises NotFound and Forbidden."""
    async with workspace.scope() as scope:
        if not await stored.remove_run(scope, run_id):
            raise _no_such_run(run_id)


async def start_evaluation(workspace: WorkspaceAccess, order: EvaluationOrder) -> StartedEvaluation:
    """Have a worker ask a golden set and store the run; it sees what the principal sees now.

    Raises Forbidden, NotFound for a golden set that is not known, InvalidRequest, and Conflict
    while another evaluation of the workspace is under way.
    """
    async with workspace.scope() as scope:
        if order.lines is None:
            storable = is_storable(order.golden)
            golden_set = await started.stored_lines(scope, order.golden) if storable else None
            if golden_set is None:
                raise NotFound(
                    f"no golden set {order.golden} was asked lately",
                    hint="hand its questions in; `footnote eval-runs started` lists what was asked",
                )
            name, lines, questions = golden_set
            order = replace(order, golden_name=name, lines=lines, questions=questions)
        require_keepable(order.questions)
        evaluation = await started.start(scope, order, RETAINED_STARTED_RUNS)
    if evaluation is None:
        raise Conflict(
            "an evaluation of the workspace is under way",
            hint="wait until it has ended, or cancel it: `footnote eval-runs started`",
        )
    return evaluation


async def started_evaluations(workspace: WorkspaceAccess) -> tuple[StartedEvaluation, ...]:
    """The evaluations started lately, latest first. Raises Forbidden."""
    async with workspace.scope() as scope:
        return await started.list_started(scope, RETAINED_STARTED_RUNS)


async def started_evaluation(workspace: WorkspaceAccess, run_id: UUID) -> StartedEvaluation:
    """The progress of a started evaluation. Raises NotFound and Forbidden."""
    async with workspace.scope() as scope:
        evaluation = await started.get_started(scope, run_id)
    if evaluation is None:
        raise _not_started(run_id)
    return evaluation


async def cancel_evaluation(workspace: WorkspaceAccess, run_id: UUID) -> StartedEvaluation:
    """Cancel a started evaluation and store no results; an ended one stays unchanged.

    Raises NotFound and Forbidden.
    """
    async with workspace.scope() as scope:
        evaluation = await started.end(scope, run_id, EvaluationState.CANCELLED)
        evaluation = evaluation or await started.get_started(scope, run_id)
    if evaluation is None:
        raise _not_started(run_id)
    return evaluation


def _not_started(run_id: UUID) -> NotFound:
    return NotFound(
        f"no evaluation {run_id} was started",
        hint="`footnote eval-runs started` or `GET /v1/evaluations/started` shows the ids",
    )


def _no_such_run(run_id: UUID) -> NotFound:
    return NotFound(
        f"there is no evaluation run {run_id}",
        hint="`footnote eval-runs list` or `GET /v1/evaluations` shows the ids",
    )
