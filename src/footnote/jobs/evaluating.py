"""Ask the questions of a golden set one by one, and store the run once all are asked."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import structlog

from footnote.domain.evaluations import EvaluationState, QuestionOutcome
from footnote.domain.usage import UsageNote
from footnote.engine import Services, WorkspaceEngine
from footnote.engine.evaluations import RETAINED_RUNS
from footnote.engine.redaction import model_use_of_job
from footnote.errors import BlobsFull, FootnoteError, NotFound, StoreFull
from footnote.ports.metering import watching_use
from footnote.store.database import SYSTEM
from footnote.store.evaluations import store_run
from footnote.store.pushes import workspace_of
from footnote.store.started_evaluations import OrderInHand, claim_run, end, store_outcome

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationJob:
    """The arguments of a queued evaluation job."""

    workspace_id: UUID
    run_id: UUID
    attempt: int
    """Number of earlier attempts."""


async def evaluate_in_background(engine: Services, job: EvaluationJob) -> None:
    """Ask the remaining questions, and store the run. Raises if a retry may help.

    Each outcome is stored at once, so that no question is asked twice.
    """
    limit = engine.settings.limits.attempts
    try:
        if job.attempt >= limit:
            await _fail(engine, job, f"the worker ended {job.attempt} times while it asked")
            return
        await _ask_remaining(engine, job)
    except (StoreFull, BlobsFull):
        raise  # The questions are not at fault: retried until there is space.
    except FootnoteError as error:
        if error.retryable and job.attempt + 1 < limit:
            raise
        await _fail(engine, job, "; ".join(filter(None, (str(error), error.hint))))
    except Exception:
        _log.exception("evaluation_failed", run_id=str(job.run_id))
        if job.attempt + 1 < limit:
            raise
        await _fail(engine, job, "something unexpected happened; the worker's log says what")


async def _ask_remaining(engine: Services, job: EvaluationJob) -> None:
    # numpy and the rest of evaluation load when something is evaluated.
    from footnote.evaluation.golden import golden_of  # noqa: PLC0415  # as said above
    from footnote.evaluation.run import Setup, judge_question, library_to_ask  # noqa: PLC0415
    from footnote.evaluation.stored_runs import outcome_of, run_of  # noqa: PLC0415

    claim = await _take_up(engine, job)
    if claim is None:
        return
    workspace, order = claim
    started = order.started
    golden = golden_of(started.golden_name, order.lines)
    setup = Setup(plan=started.plan, k=started.k)
    outcomes: dict[int, QuestionOutcome] = dict(order.outcomes)
    library = await library_to_ask(workspace)
    principal_id = order.principal.principal_id
    for number, question in enumerate(golden.questions):
        if number in outcomes:
            continue
        # The answer is not made by a method that checks the budget itself.
        await engine.metering.require_budget(job.workspace_id)
        notes: list[UsageNote] = []
        with watching_use(notes):
            async with model_use_of_job(engine, job.workspace_id, principal_id=principal_id):
                judged = await judge_question(workspace, question, library, setup.uncached)
        outcomes[number] = outcome_of(judged)
        cost_usd = sum(engine.metering.prices.of(note) or 0.0 for note in notes)
        async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
            if not await store_outcome(scope, job.run_id, number, outcomes[number], cost_usd):
                return
    run = run_of(golden, setup, [outcomes[number] for number in range(len(golden.questions))])
    async with engine.database.workspace(job.workspace_id, order.principal) as scope:
        if await end(scope, job.run_id, EvaluationState.DONE) is not None:
            await store_run(scope, run, RETAINED_RUNS, job.run_id)


async def _take_up(
    engine: Services, job: EvaluationJob
) -> tuple[WorkspaceEngine, OrderInHand] | None:
    """Return the workspace, opened as the principal that started the run, and the order; None if
    nothing is left to do."""
    async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
        try:
            workspace = await workspace_of(scope)
        except NotFound:
            return None
        order = await claim_run(scope, job.run_id)
    if order is None:
        return None
    return WorkspaceEngine(engine=engine, workspace=workspace, principal=order.principal), order


async def _fail(engine: Services, job: EvaluationJob, reason: str) -> None:
    async with engine.database.workspace(job.workspace_id, SYSTEM) as scope:
        await end(scope, job.run_id, EvaluationState.FAILED, reason)
