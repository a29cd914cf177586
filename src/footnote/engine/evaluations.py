"""Evaluation runs that a workspace keeps; administrators of all of it have them."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from footnote.domain import Right
from footnote.domain.evaluations import EvaluationDetail, EvaluationRun, NewEvaluationRun
from footnote.domain.identity import WHOLE_WORKSPACE
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest, NotFound
from footnote.store import evaluations as stored

KEPT_RUNS = 200
"""The newest runs of a workspace."""
MOST_QUESTIONS = 5_000

ListedRuns = Annotated[int, Field(ge=1, le=KEPT_RUNS)]


async def keep_evaluation(workspace: WorkspaceAccess, run: NewEvaluationRun) -> EvaluationRun:
    """Keep a run among the newest of the workspace. Raises Forbidden and InvalidRequest."""
    workspace.require(Right.ADMINISTER, WHOLE_WORKSPACE)
    require_keepable(len(run.outcomes))
    async with workspace.scope() as scope:
        return await stored.keep_run(scope, run, KEPT_RUNS)


def require_keepable(questions: int) -> None:
    """Raise InvalidRequest for a run of no question, or of too many to be kept."""
    if not 0 < questions <= MOST_QUESTIONS:
        raise InvalidRequest(
            f"a run of {questions:,} questions is not kept",
            hint=f"ask at most {MOST_QUESTIONS:,} at once",
        )


async def evaluation_runs(
    workspace: WorkspaceAccess, *, limit: ListedRuns = 50
) -> tuple[EvaluationRun, ...]:
    """The runs that are kept, latest first. Raises Forbidden."""
    workspace.require(Right.ADMINISTER, WHOLE_WORKSPACE)
    async with workspace.scope() as scope:
        return await stored.list_runs(scope, limit)


async def evaluation_run(workspace: WorkspaceAccess, run_id: UUID) -> EvaluationDetail:
    """A run with what came of each question. Raises NotFound and Forbidden."""
    workspace.require(Right.ADMINISTER, WHOLE_WORKSPACE)
    async with workspace.scope() as scope:
        found = await stored.get_run(scope, run_id)
    if found is None:
        raise _absent(run_id)
    return found


async def delete_evaluation(workspace: WorkspaceAccess, run_id: UUID) -> None:
    """Forget a run. Raises NotFound and Forbidden."""
    workspace.require(Right.ADMINISTER, WHOLE_WORKSPACE)
    async with workspace.scope() as scope:
        if not await stored.remove_run(scope, run_id):
            raise _absent(run_id)


def _absent(run_id: UUID) -> NotFound:
    return NotFound(f"there is no evaluation run {run_id}", hint="see `footnote eval-runs list`")
