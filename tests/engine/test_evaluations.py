"""Evaluation runs are kept for administrators, encrypted where content is, and compared."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import psycopg
import pytest

from footnote.domain import Principal, Role
from footnote.domain.audit import Act
from footnote.domain.evaluations import EvaluationRun
from footnote.engine import Engine, WorkspaceEngine, open_engine
from footnote.engine.evaluations import MAX_QUESTIONS
from footnote.errors import Forbidden, InvalidRequest, NotFound
from footnote.evaluation.stored_runs import compare_evaluations, stored_form
from footnote.settings import Settings
from footnote.store.sealing import OUTCOMES
from tests.conftest import TestDatabase
from tests.evaluation.factories import a_new_run, a_run, an_outcome


@pytest.fixture(params=["off", "on"], ids=["plain", "encrypted"])
async def engine(request: pytest.FixtureRequest, own_settings: Settings) -> AsyncIterator[Engine]:
    settings = own_settings.model_copy(update={"encryption": request.param})
    async with await open_engine(settings) as opened:
        yield opened


@pytest.fixture
async def workspace(engine: Engine) -> WorkspaceEngine:
    return await engine.workspace((await engine.create_workspace("measured")).name)


def acting(
    workspace: WorkspaceEngine, name: str, role: Role | None = Role.ADMIN, **roles: Role
) -> WorkspaceEngine:
    principal = Principal(principal_id=name, role=role, collections=tuple(roles.items()))
    return replace(workspace, principal=principal)


async def two_runs(workspace: WorkspaceEngine) -> tuple[EvaluationRun, EvaluationRun]:
    """Two runs over 40 questions, of which the second has half as many right."""
    names = [f"q{number}" for number in range(40)]
    first = [an_outcome(name, ndcg=1.0, right=1.0) for name in names]
    second = [
        an_outcome(name, ndcg=1.0, right=1.0)
        if number % 2
        else an_outcome(name, "wrong", ndcg=1.0, right=0.0)
        for number, name in enumerate(names)
    ]
    return (
        await workspace.keep_evaluation(a_new_run("golden.jsonl", *first)),
        await workspace.keep_evaluation(a_new_run("golden.jsonl", *second)),
    )


async def test_a_run_is_kept_with_figures_and_verdicts(workspace: WorkspaceEngine) -> None:
    run = a_run({"ndcg": [1.0, 0.25], "right": [1.0, 0.0]}, "careful")
    kept = await acting(workspace, "ann").keep_evaluation(stored_form(run))
    assert (kept.kept_by, kept.golden_name, kept.setup, kept.k, kept.questions) == (
        *("ann", "golden.jsonl", "careful", 10),
        2,
    )
    assert kept.figures == run.figures
    found = await workspace.evaluation_run(kept.run_id)
    assert found.run == kept
    assert [each.verdict for each in found.outcomes] == ["right", "refused"]
    assert [each.measures["ndcg"] for each in found.outcomes] == [(1.0, 1.0), (0.25, 1.0)]
    # Nothing that documents or answers say.
    assert "within 14 days" not in repr(found)
    assert await workspace.evaluation_runs() == (kept,)
    await workspace.delete_evaluation(kept.run_id)
    assert await workspace.evaluation_runs() == ()


async def test_two_runs_are_compared_question_by_question(workspace: WorkspaceEngine) -> None:
    a, b = await two_runs(workspace)
    found = await compare_evaluations(workspace, a.run_id, b.run_id)
    assert (found.a, found.b) == (a, b)
    by_metric = {each.metric: each for each in found.differences}
    right = by_metric["right"]
    assert (right.a, right.b, right.difference, right.better) == (1.0, 0.5, -0.5, "a")
    assert right.p < 0.05
    assert right.low <= -0.5 <= right.high < 0
    assert (by_metric["ndcg@10"].difference, by_metric["ndcg@10"].better) == (0.0, None)
    assert [each.id for each in found.changes] == [f"q{number}" for number in range(0, 40, 2)]
    assert {(each.a, each.b) for each in found.changes} == {("right", "wrong")}
    same = await compare_evaluations(workspace, a.run_id, a.run_id)
    assert same.changes == ()


async def test_runs_of_other_questions_or_another_k_are_not_compared(
    workspace: WorkspaceEngine,
) -> None:
    one = await workspace.keep_evaluation(a_new_run())
    for changes in ({"golden": "1" * 16}, {"k": 5}):
        other = await workspace.keep_evaluation(a_new_run(**changes))
        with pytest.raises(InvalidRequest, match="other questions"):
            await compare_evaluations(workspace, one.run_id, other.run_id)
    with pytest.raises(NotFound):
        await compare_evaluations(workspace, one.run_id, uuid4())


async def test_only_administrators_of_the_whole_workspace_have_them(
    workspace: WorkspaceEngine,
) -> None:
    kept = await workspace.keep_evaluation(a_new_run())
    for person in (
        acting(workspace, "eve", Role.WRITER),
        acting(workspace, "eve", None, default=Role.ADMIN),
    ):
        for refused in (
            person.evaluation_runs(),
            person.evaluation_run(kept.run_id),
            person.keep_evaluation(a_new_run()),
            person.delete_evaluation(kept.run_id),
            compare_evaluations(person, kept.run_id, kept.run_id),
        ):
            with pytest.raises(Forbidden):
                await refused
    assert await acting(workspace, "eve").evaluation_runs() == (kept,)


async def test_a_run_of_another_workspace_looks_absent(
    engine: Engine, workspace: WorkspaceEngine
) -> None:
    kept = await workspace.keep_evaluation(a_new_run())
    elsewhere = await engine.workspace((await engine.create_workspace("elsewhere")).name)
    assert await elsewhere.evaluation_runs() == ()
    for run_id in (kept.run_id, uuid4()):
        with pytest.raises(NotFound, match=f"there is no evaluation run {run_id}"):
            await elsewhere.evaluation_run(run_id)
        with pytest.raises(NotFound):
            await elsewhere.delete_evaluation(run_id)
    assert await workspace.evaluation_runs() == (kept,)


async def test_too_many_questions_and_none_are_refused(workspace: WorkspaceEngine) -> None:
    outcome = an_outcome("q1")
    for outcomes in ((), (outcome,) * (MAX_QUESTIONS + 1)):
        run = a_new_run(outcomes=outcomes)
        with pytest.raises(InvalidRequest, match="is not kept"):
            await workspace.keep_evaluation(run)
    for limit in (0, 201):
        with pytest.raises(InvalidRequest):
            await workspace.evaluation_runs(limit=limit)


async def test_questions_are_encrypted_where_content_is(
    workspace: WorkspaceEngine, own_database: TestDatabase
) -> None:
    kept = await workspace.keep_evaluation(a_new_run("golden.jsonl", an_outcome("quillwort")))
    with psycopg.connect(own_database.superuser_url) as connection:
        row = connection.execute("SELECT outcomes::text FROM footnote.evaluation_runs").fetchone()
    assert row is not None
    async with workspace.scope() as scope:
        assert ("quillwort" in row[0]) is not scope.sealing.encrypts
        assert OUTCOMES.of(kept.run_id).row == str(kept.run_id)
    assert (await workspace.evaluation_run(kept.run_id)).outcomes[0].id == "quillwort"


async def test_runs_of_an_erased_person_go_with_the_person(workspace: WorkspaceEngine) -> None:
    await acting(workspace, "ann").keep_evaluation(a_new_run())
    of_ben = await acting(workspace, "ben").keep_evaluation(a_new_run())
    erasure = await workspace.erase_principal("ann")
    assert erasure.complete
    held = {each.place: each.held for each in erasure.checks}
    assert held["evaluations of the principal"] == 1
    assert await workspace.evaluation_runs() == (of_ben,)


async def test_what_is_done_with_runs_is_entered_in_the_log(workspace: WorkspaceEngine) -> None:
    kept = await workspace.keep_evaluation(a_new_run("secret name.jsonl"))
    await workspace.evaluation_run(kept.run_id)
    await workspace.delete_evaluation(kept.run_id)
    entries = (await workspace.audit_entries(limit=50)).entries
    of_run = {each.verb: each for each in entries if each.subject.get("run_id") == str(kept.run_id)}
    assert {name: each.act for name, each in of_run.items()} == {
        "keep_evaluation": Act.CHANGED,
        "evaluation_run": Act.READ,
        "delete_evaluation": Act.DELETED,
    }
    assert "secret name" not in repr(entries)
