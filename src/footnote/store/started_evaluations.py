"""Evaluations that a worker runs: their order, progress and outcomes so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from uuid import UUID, uuid4

from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from footnote.domain import Principal, Role
from footnote.domain.evaluations import (
    EvaluationOrder,
    EvaluationState,
    QuestionOutcome,
    StartedEvaluation,
)
from footnote.store.database import WorkspaceScope
from footnote.store.queue import enqueue_evaluation
from footnote.store.sealing import STARTED_LINES, STARTED_OUTCOME
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("started_evaluations")
_OUTCOME = TypeAdapter(QuestionOutcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderInHand:
    """What a worker needs to run or resume an evaluation."""

    started: StartedEvaluation
    lines: str
    """The golden set as lines of JSON."""
    principal: Principal
    """The principal with whose access rights the questions are asked."""
    outcomes: Mapping[int, QuestionOutcome]
    """Outcomes so far, by position in the golden set from 0."""


async def start(
    scope: WorkspaceScope, order: EvaluationOrder, retained: int
) -> StartedEvaluation | None:
    """Store an order that has lines, and enqueue it; None while another is in progress.

    Only the `retained` newest orders are kept.
    """
    assert order.lines is not None, "looked up before"
    run_id, principal = uuid4(), scope.principal
    row = await scope.one(
        _SQL["start"],
        {
            "run_id": run_id,
            "golden_name": order.golden_name,
            "golden": order.golden,
            "lines": scope.sealing.text(STARTED_LINES.of(run_id), order.lines),
            "plan": order.plan,
            "k": order.k,
            "questions": order.questions,
            "starter_groups": list(principal.groups),
            "starter_role": principal.role,
            "starter_collections": [name for name, _ in principal.collections],
        },
    )
    if row is None:
        return None
    await scope.execute(_SQL["trim"], {"kept": retained})
    await enqueue_evaluation(scope, run_id)
    return _started(row)


async def stored_lines(scope: WorkspaceScope, golden: str) -> tuple[str, str, int] | None:
    """Return name, lines and question count of the stored golden set with this digest, if any."""
    row = await scope.one(_SQL["lines_of"], {"golden": golden})
    if row is None:
        return None
    lines = scope.sealing.plain_text(STARTED_LINES.of(row["run_id"]), row["lines"])
    return row["golden_name"], lines, row["questions"]


async def list_started(scope: WorkspaceScope, limit: int) -> tuple[StartedEvaluation, ...]:
    """Those that were started, latest first."""
    return tuple(map(_started, await scope.all(_SQL["list"], {"limit": limit})))


async def get_started(scope: WorkspaceScope, run_id: UUID) -> StartedEvaluation | None:
    """One of them, if it is there."""
    row = await scope.one(_SQL["get"], {"run_id": run_id})
    return None if row is None else _started(row)


async def claim_run(scope: WorkspaceScope, run_id: UUID) -> OrderInHand | None:
    """Mark an evaluation as running, and return it; None when it has ended or is gone."""
    row = await scope.one(_SQL["take_up"], {"run_id": run_id})
    if row is None:
        return None
    role = row["starter_role"]
    outcomes = {
        outcome_row["question_no"]: _OUTCOME.validate_python(
            scope.sealing.plain_json(
                STARTED_OUTCOME.of(run_id, outcome_row["question_no"]), outcome_row["outcome"]
            )
        )
        for outcome_row in await scope.all(_SQL["outcomes"], {"run_id": run_id})
    }
    return OrderInHand(
        started=_started(row),
        lines=scope.sealing.plain_text(STARTED_LINES.of(run_id), row["lines"]),
        principal=Principal(
            principal_id=row["started_by"],
            groups=tuple(row["starter_groups"]),
            role=None if role is None else Role(role),
            # Questions only read, so the reader role is enough.
            collections=tuple((name, Role.READER) for name in row["starter_collections"]),
        ),
        outcomes=outcomes,
    )


async def store_outcome(
    scope: WorkspaceScope,
    run_id: UUID,
    question_no: int,
    outcome: QuestionOutcome,
    cost_usd: float,
) -> bool:
    """Store the outcome of a question; return False if the evaluation was cancelled or is gone."""
    if not await scope.change(_SQL["go_on"], {"run_id": run_id, "cost_usd": cost_usd}):
        return False
    sealed = scope.sealing.json(STARTED_OUTCOME.of(run_id, question_no), asdict(outcome))
    await scope.execute(
        _SQL["keep_outcome"],
        {"run_id": run_id, "question_no": question_no, "outcome": Jsonb(sealed)},
    )
    return True


async def end(
    scope: WorkspaceScope, run_id: UUID, state: EvaluationState, failure: str | None = None
) -> StartedEvaluation | None:
    """Record how an evaluation ended, and delete its outcomes; None if it had ended before."""
    row = await scope.one(_SQL["end"], {"run_id": run_id, "state": state.value, "failure": failure})
    if row is None:
        return None
    await scope.execute(_SQL["forget_outcomes"], {"run_id": run_id})
    return _started(row)


def _started(row: DictRow) -> StartedEvaluation:
    return record_of(StartedEvaluation, row, state=EvaluationState(row["state"]))
