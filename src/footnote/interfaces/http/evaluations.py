"""Routes of the evaluation runs that a workspace keeps."""

from __future__ import annotations

from typing import Annotated, Self
from uuid import UUID

from fastapi import Query
from pydantic import Field, model_validator

from footnote.domain.evaluations import (
    EvaluationComparison,
    EvaluationDetail,
    EvaluationOrder,
    StartedEvaluation,
)
from footnote.engine.evaluations import RETAINED_RUNS
from footnote.interfaces.http import requests
from footnote.interfaces.http.problems import problem_responses
from footnote.interfaces.http.routing import workspace_router
from footnote.interfaces.http.scope import TheWorkspace
from footnote.interfaces.schemas import EvaluationRunList, StartedEvaluationList
from footnote.validation.constrained_types import Name, StorableText

router = workspace_router("evaluations")


class StartEvaluation(requests.Request):
    """Which questions a worker is to ask, and how: new ones, or those that were asked before."""

    lines: StorableText | None = Field(
        None, min_length=1, description="A golden set: one JSON object in each line."
    )
    name: Name = Field("golden.jsonl", description="What lists call the golden set in `lines`.")
    golden: str | None = Field(
        None, max_length=64, description="The digest of a golden set that was started before."
    )
    plan: Name | None = Field(None, description="How to search; the default plan if null.")
    k: Annotated[requests.Whole, Field(ge=1, le=200)] = Field(
        10, description="Results of each search that are looked at."
    )

    @model_validator(mode="after")
    def _one_golden_set(self) -> Self:
        if (self.lines is None) == (self.golden is None):
            raise ValueError("give either lines or golden")
        return self


@router.get("/v1/evaluations")
async def list_evaluations(
    workspace: TheWorkspace,
    *,
    limit: Annotated[int, Query(ge=1, le=RETAINED_RUNS, description="The most runs.")] = 50,
) -> EvaluationRunList:
    """List the evaluation runs that were kept, latest first, with their figures."""
    return EvaluationRunList(runs=await workspace.evaluation_runs(limit=limit))


@router.post(
    "/v1/evaluations", status_code=202, responses=problem_responses("conflict", "not-found")
)
async def start_evaluation(workspace: TheWorkspace, body: StartEvaluation) -> StartedEvaluation:
    """Have a worker ask a golden set and keep the run; one at a time in a workspace."""
    from footnote.evaluation import stored_runs  # noqa: PLC0415  # numpy is slow to import

    if body.lines is None:
        order = EvaluationOrder(golden=body.golden or "", plan=body.plan, k=body.k)
    else:
        order = stored_runs.order_of(body.lines, body.name, plan=body.plan, k=body.k)
    return await workspace.start_evaluation(order)


@router.get("/v1/evaluations/started")
async def list_started_evaluations(workspace: TheWorkspace) -> StartedEvaluationList:
    """List what workers were told to ask lately, latest first, with how far it is."""
    return StartedEvaluationList(started=await workspace.started_evaluations())


@router.get("/v1/evaluations/started/{evaluation_id}", responses=problem_responses("not-found"))
async def get_started_evaluation(workspace: TheWorkspace, evaluation_id: UUID) -> StartedEvaluation:
    """Show how far an evaluation is that a worker asks."""
    return await workspace.started_evaluation(evaluation_id)


@router.post(
    "/v1/evaluations/started/{evaluation_id}/cancel", responses=problem_responses("not-found")
)
async def cancel_evaluation(workspace: TheWorkspace, evaluation_id: UUID) -> StartedEvaluation:
    """Have no more questions asked; nothing is kept of it."""
    return await workspace.cancel_evaluation(evaluation_id)


@router.get("/v1/evaluations/comparison", responses=problem_responses("not-found"))
async def compare_evaluations(
    workspace: TheWorkspace,
    *,
    a: Annotated[UUID, Query(description="The run that is compared with.")],
    b: Annotated[UUID, Query(description="The run that is compared.")],
) -> EvaluationComparison:
    """Compare two runs over the same questions, by a paired randomisation test."""
    from footnote.evaluation import stored_runs  # noqa: PLC0415  # numpy is slow to import

    return await stored_runs.compare_evaluations(workspace, a, b)


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
