"""The evaluation runs that a workspace on a remote server keeps."""

from __future__ import annotations

from uuid import UUID

from footnote.domain.evaluations import EvaluationComparison, EvaluationDetail, EvaluationRun
from footnote.interfaces.schemas import EvaluationRunList, decoded
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
