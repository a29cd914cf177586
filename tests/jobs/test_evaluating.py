"""A worker asks a golden set, and keeps the run once all of it is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import UUID, uuid4

import psycopg
import pytest

from footnote.domain import Principal, Role, Visibility
from footnote.domain.evaluations import EvaluationOrder, EvaluationState, StartedEvaluation
from footnote.domain.usage import Measure, Period
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.errors import Conflict, Forbidden, InvalidRequest, NotFound
from footnote.evaluation.golden import golden_of
from footnote.evaluation.run import Setup, evaluate
from footnote.evaluation.stored_runs import order_of, stored_form
from footnote.jobs.evaluating import EvaluationJob, evaluate_in_background
from footnote.jobs.inline import work_until_resting
from footnote.jobs.worker import run_worker
from footnote.settings import Settings
from tests.conftest import TestDatabase

pytestmark = pytest.mark.usefixtures("own_database")

PATIENCE_SECONDS = 600
TEXTS = {
    "policy.md": b"# Marine policy\n\nA claim must be reported to the insurer within 14 days.\n",
    "minutes.md": b"# Minutes\n\nThe launch of the buoy moves from June to September 2025.\n",
}
CLAIM: dict[str, object] = {
    "id": "claim",
    "question": "How soon must a claim be reported to the insurer?",
    "relevant": [{"document": "policy.md", "quote": "within 14 days"}],
}
BUOY: dict[str, object] = {
    "id": "buoy",
    "question": "When is the launch of the buoy?",
    "relevant": [{"document": "minutes.md", "quote": "September 2025"}],
}
CHESS: dict[str, object] = {
    "id": "chess",
    "question": "Who won the chess championship in 1972?",
    "answerable": False,
}


def lines(*questions: dict[str, object]) -> str:
    return "\n".join(map(json.dumps, questions))


def an_order(*questions: dict[str, object], plan: str | None = None) -> EvaluationOrder:
    return order_of(lines(*questions), "small.jsonl", plan=plan, k=5)


def many(count: int) -> list[dict[str, object]]:
    return [CLAIM | {"id": f"claim-{number}"} for number in range(count)]


@pytest.fixture
async def papers(engine: Engine, workspace: WorkspaceEngine) -> WorkspaceEngine:
    await put(engine, workspace)
    return workspace


async def put(engine: Engine, workspace: WorkspaceEngine, **how: object) -> None:
    received = [
        (await workspace.receive(text, name, **how)).document.document_id  # type: ignore[arg-type]  # who sees it
        for name, text in TEXTS.items()
    ]
    await work_until_resting(engine, workspace, received, lambda _: None)


@asynccontextmanager
async def working(workspace: WorkspaceEngine) -> AsyncIterator[None]:
    """A worker that is stopped after the block."""
    stop = asyncio.Event()
    worker = asyncio.create_task(run_worker(workspace.engine, stop=stop))
    try:
        yield
    finally:
        stop.set()
        await worker


async def until(
    workspace: WorkspaceEngine, run_id: UUID, asked: int | None = None
) -> StartedEvaluation:
    """The evaluation once it has ended, or has asked so many."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            found = await workspace.started_evaluation(run_id)
            if not found.is_under_way or (asked is not None and found.asked >= asked):
                return found
            await asyncio.sleep(0.05)  # between looks


def as_somebody(
    workspace: WorkspaceEngine, name: str, role: Role | None = Role.ADMIN, **roles: Role
) -> WorkspaceEngine:
    principal = Principal(principal_id=name, role=role, collections=tuple(roles.items()))
    return replace(workspace, principal=principal)


async def asked_of(workspace: WorkspaceEngine) -> Sequence[str | None]:
    """The queries of searches, by the audit log."""
    found = await workspace.audit_entries(limit=500)
    return [each.query for each in found.entries if each.verb == "search"]


async def test_what_a_worker_asks_is_the_run_that_a_command_would_have_made(
    papers: WorkspaceEngine,
) -> None:
    ann = as_somebody(papers, "ann")
    order = an_order(CLAIM, BUOY, CHESS)
    begun = await ann.start_evaluation(order)
    assert (begun.state, begun.asked, begun.questions) == (EvaluationState.QUEUED, 0, 3)
    with pytest.raises(Conflict, match="under way"):
        await papers.start_evaluation(order)
    async with working(papers):
        ended = await until(papers, begun.run_id)
    assert (ended.state, ended.failure, ended.asked) == (EvaluationState.DONE, None, 3)
    assert ended.ended_at is not None
    kept = await papers.evaluation_run(begun.run_id)
    assert (kept.run.kept_by, kept.run.golden_name, kept.run.k) == ("ann", "small.jsonl", 5)
    assert [each.verdict for each in kept.outcomes] == ["right", "right", "rightly refused"]

    golden = golden_of("small.jsonl", lines(CLAIM, BUOY, CHESS))
    direct = stored_form(await evaluate(ann, golden, Setup(k=5)))
    assert (kept.run.golden, kept.run.setup) == (direct.golden, direct.setup)
    for figures in (kept.run.figures, direct.figures):
        assert figures.keys() == direct.figures.keys()
    assert {
        name: value for name, value in kept.run.figures.items() if not name.endswith("_ms")
    } == {name: value for name, value in direct.figures.items() if not name.endswith("_ms")}

    # Its questions can be asked again by their digest alone.
    again = await papers.start_evaluation(EvaluationOrder(golden=order.golden, k=5))
    assert (again.golden_name, again.questions) == ("small.jsonl", 3)
    assert [each.run_id for each in await papers.started_evaluations()] == [
        again.run_id,
        begun.run_id,
    ]
    await papers.cancel_evaluation(again.run_id)
    with pytest.raises(NotFound, match="was asked lately"):
        await papers.start_evaluation(EvaluationOrder(golden="0" * 16))
    with pytest.raises(NotFound):
        await papers.start_evaluation(EvaluationOrder(golden="a\0b"))


async def test_a_worker_that_is_stopped_leaves_the_rest_and_nothing_is_asked_twice(
    papers: WorkspaceEngine,
) -> None:
    begun = await papers.start_evaluation(an_order(*many(40)))
    async with working(papers):
        cut_off = await until(papers, begun.run_id, asked=3)
    assert cut_off.asked < 40
    assert (await papers.evaluation_runs()) == ()
    async with papers.scope() as scope:
        kept = await scope.all("SELECT question_no FROM started_outcomes")
    before = await papers.started_evaluation(begun.run_id)
    assert before.is_under_way
    assert len(kept) == before.asked
    done_before = len(await asked_of(papers))
    async with working(papers):
        ended = await until(papers, begun.run_id)
    assert (ended.state, ended.asked) == (EvaluationState.DONE, 40)
    assert (await papers.evaluation_run(begun.run_id)).run.questions == 40
    # Two searches for each question: of what was kept, none was searched for again.
    assert len(await asked_of(papers)) - done_before <= 2 * (40 - before.asked)
    async with papers.scope() as scope:
        assert not await scope.all("SELECT FROM started_outcomes")


async def test_a_worker_that_dies_again_and_again_ends_it_with_the_reason(
    papers: WorkspaceEngine,
) -> None:
    begun = await papers.start_evaluation(an_order(CLAIM))
    job = EvaluationJob(
        workspace_id=papers.workspace_id,
        run_id=begun.run_id,
        attempt=papers.engine.settings.limits.attempts,
    )
    await evaluate_in_background(papers.engine, job)
    found = await papers.started_evaluation(begun.run_id)
    assert found.state is EvaluationState.FAILED
    assert "the worker ended" in (found.failure or "")
    # The next may begin, and the job of the first finds nothing to do.
    await papers.start_evaluation(an_order(CLAIM))
    await evaluate_in_background(papers.engine, replace(job, attempt=0))
    assert (await papers.started_evaluation(begun.run_id)) == found


async def test_what_is_cancelled_asks_no_more_and_keeps_nothing(papers: WorkspaceEngine) -> None:
    waiting = await papers.start_evaluation(an_order(CLAIM))
    assert (await papers.cancel_evaluation(waiting.run_id)).state is EvaluationState.CANCELLED
    running = await papers.start_evaluation(an_order(*many(200)))
    async with working(papers):
        await until(papers, running.run_id, asked=2)
        cancelled = await papers.cancel_evaluation(running.run_id)
        assert (cancelled.state, cancelled.asked < 200) == (EvaluationState.CANCELLED, True)
        last = await papers.start_evaluation(an_order(CLAIM))
        assert (await until(papers, last.run_id)).state is EvaluationState.DONE
    assert (await papers.started_evaluation(running.run_id)) == cancelled
    assert [each.run_id for each in await papers.evaluation_runs()] == [last.run_id]
    # What has ended stays as it is.
    assert (await papers.cancel_evaluation(last.run_id)).state is EvaluationState.DONE


async def test_it_fails_with_the_reason_and_the_remedy(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    empty = await workspace.start_evaluation(an_order(CLAIM))
    async with working(workspace):
        found = await until(workspace, empty.run_id)
        assert found.state is EvaluationState.FAILED
        assert "has no document; ingest documents first" in (found.failure or "")
        await put(engine, workspace)
        strange = await workspace.start_evaluation(an_order(CLAIM, plan="sideways"))
        found = await until(workspace, strange.run_id)
        assert found.state is EvaluationState.FAILED
        assert "sideways" in (found.failure or "")
        await workspace.set_budget(Measure.COST_USD, Period.TOTAL, 0)
        dear = await workspace.start_evaluation(an_order(CLAIM))
        found = await until(workspace, dear.run_id)
    assert found.state is EvaluationState.FAILED
    assert "the budget of 0 cost_usd is used up" in (found.failure or "")
    assert await workspace.evaluation_runs() == ()


async def test_what_is_asked_is_metered_for_who_started_it(own_settings: Settings) -> None:
    priced = own_settings.model_copy(
        update={"prices": json.dumps({"embedding": {"per_request": 0.5}})}
    )
    async with await open_engine(priced) as engine:
        workspace = await engine.workspace()
        await put(engine, workspace)
        ann = as_somebody(workspace, "ann")
        begun = await ann.start_evaluation(an_order(CLAIM, BUOY))
        async with working(workspace):
            ended = await until(workspace, begun.run_id)
        assert ended.state is EvaluationState.DONE
        spent = sum(each.cost_usd for each in await workspace.usage(principal_id="ann"))
        assert ended.cost_usd == pytest.approx(spent)
        assert ended.cost_usd >= 2 * 0.5


async def test_it_sees_what_who_started_it_sees(engine: Engine, workspace: WorkspaceEngine) -> None:
    bob = as_somebody(workspace, "bob", Role.WRITER)
    await put(engine, bob, visibility=Visibility.PRIVATE)
    ann = as_somebody(workspace, "ann")
    received = (await ann.receive(b"# Canteen\n\nSoup on Fridays.", "menu.md")).document
    await work_until_resting(engine, workspace, [received.document_id], lambda _: None)
    begun = await ann.start_evaluation(an_order(CLAIM))
    async with working(workspace):
        await until(workspace, begun.run_id)
    [outcome] = (await ann.evaluation_run(begun.run_id)).outcomes
    assert outcome.verdict == "refused"
    assert outcome.measures["recall"] == (0.0, 1.0)


async def test_only_administrators_of_the_whole_workspace_start_and_see_it(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    begun = await workspace.start_evaluation(an_order(CLAIM))
    for person in (
        as_somebody(workspace, "eve", Role.WRITER),
        as_somebody(workspace, "eve", None, default=Role.ADMIN),
    ):
        for refused in (
            person.start_evaluation(an_order(CLAIM)),
            person.started_evaluations(),
            person.started_evaluation(begun.run_id),
            person.cancel_evaluation(begun.run_id),
        ):
            with pytest.raises(Forbidden):
                await refused
    await engine.create_workspace("other")
    other = await engine.workspace("other")
    assert await other.started_evaluations() == ()
    said = []
    for run_id in (begun.run_id, uuid4()):
        for absent in (other.started_evaluation(run_id), other.cancel_evaluation(run_id)):
            with pytest.raises(NotFound) as refusal:
                await absent
            said.append(str(refusal.value).replace(str(run_id), "ID"))
    assert len(set(said)) == 1
    with pytest.raises(NotFound):
        await other.start_evaluation(EvaluationOrder(golden=begun.golden))
    assert (await workspace.started_evaluation(begun.run_id)).is_under_way


def test_a_golden_set_that_cannot_be_read_is_refused_before_anything_begins() -> None:
    for text, said in (
        ("not json", "line 1"),
        ("\n", "has no question"),
        (lines(CLAIM, CLAIM), "repeats line 1"),
    ):
        with pytest.raises(InvalidRequest, match=said):
            order_of(text, "small.jsonl", plan=None, k=10)


async def test_questions_are_encrypted_where_content_is(
    own_settings: Settings, own_database: TestDatabase
) -> None:
    settings = own_settings.model_copy(update={"encryption": "on"})
    async with await open_engine(settings) as engine:
        workspace = await engine.workspace((await engine.create_workspace("sealed")).name)
        await put(engine, workspace)
        begun = await workspace.start_evaluation(an_order(*many(60)))
        async with working(workspace):
            await until(workspace, begun.run_id, asked=1)
        with psycopg.connect(own_database.superuser_url) as connection:
            stored = connection.execute(
                "SELECT e.lines, o.outcome::text FROM footnote.started_evaluations AS e"
                " JOIN footnote.started_outcomes AS o USING (workspace_id, run_id)"
            ).fetchall()
        assert stored
        assert "insurer" not in repr(stored)
        async with working(workspace):
            assert (await until(workspace, begun.run_id)).state is EvaluationState.DONE
