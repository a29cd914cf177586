"""Store the newest evaluation runs of a workspace."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from footnote.domain.evaluations import (
    EvaluationDetail,
    EvaluationRun,
    NewEvaluationRun,
    QuestionOutcome,
)
from footnote.store.database import WorkspaceScope
from footnote.store.sealing import OUTCOMES
from footnote.store.statements import load_statements, record_of

_SQL = load_statements("evaluations")
_OUTCOMES = TypeAdapter(tuple[QuestionOutcome, ...])


async def store_run(
    scope: WorkspaceScope, run: NewEvaluationRun, retained: int, run_id: UUID | None = None
) -> EvaluationRun:
    """Store a run, under the given id if any, and delete all but the `retained` newest."""
    run_id = run_id or uuid4()
    plain = [asdict(outcome) for outcome in run.outcomes]
    row = await scope.single(
        _SQL["keep"],
        {
            "run_id": run_id,
            "golden_name": run.golden_name,
            "golden": run.golden,
            "setup": run.setup,
            "k": run.k,
            "questions": len(run.outcomes),
            "figures": Jsonb(dict(run.figures)),
            "outcomes": Jsonb(scope.sealing.json(OUTCOMES.of(run_id), plain)),
        },
    )
    await scope.execute(_SQL["trim"], {"kept": retained})
    return record_of(EvaluationRun, row)


async def list_runs(scope: WorkspaceScope, limit: int) -> tuple[EvaluationRun, ...]:
    """List runs, latest first."""
    rows = await scope.all(_SQL["runs"], {"limit": limit})
    return tuple(record_of(EvaluationRun, row) for row in rows)


async def get_run(scope: WorkspaceScope, run_id: UUID) -> EvaluationDetail | None:
    """Return a run with its outcomes; None if it is absent."""
    row = await scope.one(_SQL["run"], {"run_id": run_id})
    if row is None:
        return None
    plain = scope.sealing.plain_json(OUTCOMES.of(run_id), row["outcomes"])
    return EvaluationDetail(
        run=record_of(EvaluationRun, row), outcomes=_OUTCOMES.validate_python(plain)
    )


async def remove_run(scope: WorkspaceScope, run_id: UUID) -> bool:
    """Delete a run; return whether there was one."""
    return bool(await scope.change(_SQL["remove"], {"run_id": run_id}))
