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
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.transport import Content, Repeat
from footnote.interfaces.sdk.verbs import Remote, verb

_RUNS = "/v1/evaluations"


@verb("GET", "/v1/evaluations", "runs")
async def evaluation_runs(client: Remote, *, limit: int = 50) -> tuple[EvaluationRun, ...]:
    """The runs that were kept, latest first, with their figures."""


@verb("GET", "/v1/evaluations/{run_id}")
async def evaluation_run(client: Remote, run_id: UUID) -> EvaluationDetail:
    """A run with what came of each question. Raises NotFound."""


@verb("GET", "/v1/evaluations/comparison")
async def compare_evaluations(client: Remote, a: UUID, b: UUID) -> EvaluationComparison:
    """Two runs over the same questions, side by side. Raises NotFound and InvalidRequest."""


@verb("DELETE", "/v1/evaluations/{run_id}", repeat=Repeat.REFUSED)
async def delete_evaluation(client: Remote, run_id: UUID) -> None:
    """Forget a run. Raises NotFound."""


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
    response = await client.transport.json("POST", _RUNS, Content(json=body), repeat=Repeat.REFUSED)
    return decoded(StartedEvaluation, response)


@verb("GET", "/v1/evaluations/started", "started")
async def started_evaluations(client: Remote) -> tuple[StartedEvaluation, ...]:
    """What workers were told to ask lately, latest first."""


@verb("GET", "/v1/evaluations/started/{run_id}")
async def started_evaluation(client: Remote, run_id: UUID) -> StartedEvaluation:
    """How far an evaluation is that a worker asks. Raises NotFound."""


@verb("POST", "/v1/evaluations/started/{run_id}/cancel")
async def cancel_evaluation(client: Remote, run_id: UUID) -> StartedEvaluation:
    """Have no more questions asked; one that has ended stays as it is. Raises NotFound."""
