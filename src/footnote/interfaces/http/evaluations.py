"""Routes of the evaluation runs that a workspace keeps."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Query

from footnote.domain.evaluations import EvaluationComparison, EvaluationDetail
from footnote.engine.evaluations import KEPT_RUNS
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import EvaluationRunList

router = workspace_router("evaluations")


@router.get("/v1/evaluations")
async def list_evaluations(
    workspace: TheWorkspace,
    *,
    limit: Annotated[int, Query(ge=1, le=KEPT_RUNS, description="The most runs.")] = 50,
) -> EvaluationRunList:
    """List the evaluation runs that were kept, latest first, with their figures."""
    return EvaluationRunList(runs=await workspace.evaluation_runs(limit=limit))


@router.get("/v1/evaluations/comparison", responses=problem_responses("not-found"))
async def compare_evaluations(
    workspace: TheWorkspace,
    *,
    a: Annotated[UUID, Query(description="The run that is compared with.")],
    b: Annotated[UUID, Query(description="The run that is compared.")],
) -> EvaluationComparison:
    """Compare two runs over the same questions, by a paired randomisation test."""
    # numpy and the rest of evaluation load when two runs are compared.
    from footnote.evaluation import kept  # noqa: PLC0415  # as said above

    return await kept.compare_evaluations(workspace, a, b)


@router.get("/v1/evaluations/{evaluation_id}", responses=problem_responses("not-found"))
async def get_evaluation(workspace: TheWorkspace, evaluation_id: UUID) -> EvaluationDetail:
    """Show a run with what came of each question."""
    return await workspace.evaluation_run(evaluation_id)


@router.delete(
    "/v1/evaluations/{evaluation_id}", status_code=204, responses=problem_responses("not-found")
)
async def delete_evaluation(workspace: TheWorkspace, evaluation_id: UUID) -> None:
    """Forget a run."""
    await workspace.delete_evaluation(evaluation_id)
