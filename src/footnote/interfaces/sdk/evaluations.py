"""The evaluation runs that a workspace on a remote server keeps."""

from __future__ import annotations

from uuid import UUID

from footnote.domain.evaluations import (
    EvaluationComparison,
    EvaluationDetail,
    EvaluationOrder,
    EvaluationRun,
    StartedEvaluation,
)
from footnote.interfaces.schemas import EvaluationRunList, StartedEvaluationList, decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content, Repeat

_RUNS = "/v1/evaluations"


async def evaluation_runs(client: Remote, *, limit: int = 50) -> tuple[EvaluationRun, ...]:
    """The runs that were kept, latest first, with their figures."""
    found = await client.transport.json("GET", _RUNS, Content(params={"limit": limit}))
    return decoded(EvaluationRunList, found).runs


async def evaluation_run(client: Remote, run_id: UUID) -> EvaluationDetail:
    """A run with what came of each question. Raises NotFound."""
    return decoded(EvaluationDetail, await client.transport.json("GET", f"{_RUNS}/{run_id}"))


async def compare_evaluations(client: Remote, a: UUID, b: UUID) -> EvaluationComparison:
    """Two runs over the same questions, side by side. Raises NotFound and InvalidRequest."""
    content = Content(params={"a": str(a), "b": str(b)})
    found = await client.transport.json("GET", f"{_RUNS}/comparison", content)
    return decoded(EvaluationComparison, found)


async def delete_evaluation(client: Remote, run_id: UUID) -> None:
    """Forget a run. Raises NotFound."""
    await client.transport.call("DELETE", f"{_RUNS}/{run_id}", repeat=Repeat.REFUSED)


async def start_evaluation(client: Remote, order: EvaluationOrder) -> StartedEvaluation:
    """Have a worker ask a golden set and keep the run; one at a time in a workspace.

    The server reads the lines of the order, and works out their digest and number itself. Raises
    InvalidRequest, NotFound for a digest that is not known, and Conflict while another is under
    way.
    """
    body: dict[str, object] = {"plan": order.plan, "k": order.k}
    if order.lines is None:
        body["golden"] = order.golden
    else:
        body |= {"lines": order.lines, "name": order.golden_name}
    found = await client.transport.json("POST", _RUNS, Content(json=body), repeat=Repeat.REFUSED)
    return decoded(StartedEvaluation, found)


async def started_evaluations(client: Remote) -> tuple[StartedEvaluation, ...]:
    """What workers were told to ask lately, latest first."""
    found = await client.transport.json("GET", f"{_RUNS}/started")
    return decoded(StartedEvaluationList, found).started


async def started_evaluation(client: Remote, run_id: UUID) -> StartedEvaluation:
    """How far an evaluation is that a worker asks. Raises NotFound."""
    found = await client.transport.json("GET", f"{_RUNS}/started/{run_id}")
    return decoded(StartedEvaluation, found)


async def cancel_evaluation(client: Remote, run_id: UUID) -> StartedEvaluation:
    """Have no more questions asked; one that has ended stays as it is. Raises NotFound."""
    path = f"{_RUNS}/started/{run_id}/cancel"
    return decoded(StartedEvaluation, await client.transport.json("POST", path))
