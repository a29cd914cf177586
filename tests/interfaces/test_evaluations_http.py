"""Kept evaluation runs over HTTP and by the client."""

from __future__ import annotations

from uuid import uuid4

import pytest

import footnote
from footnote.domain.evaluations import EvaluationOrder, EvaluationState
from footnote.engine import WorkspaceEngine
from footnote.errors import Conflict, Forbidden, InvalidRequest, NotFound
from footnote.settings import Settings, settings_from
from tests.evaluation.factories import a_new_run, an_order, an_outcome
from tests.interfaces.serving import served
from tests.interfaces.test_refusals import assert_problem


async def test_runs_are_listed_compared_and_deleted(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    boss = await workspace.create_key("boss", rights=["read", "administer"])
    reader = await workspace.create_key("reader", rights=["read"])
    first = await workspace.keep_evaluation(a_new_run())
    wrong = an_outcome("q1", "wrong", ndcg=0.25, right=0.0)
    second = await workspace.keep_evaluation(a_new_run("golden.jsonl", wrong))
    other = await workspace.keep_evaluation(a_new_run(golden="1" * 16))
    async with served(settings_from(settings, {"identity": "keys"})) as http:
        async with footnote.AsyncClient(str(http.base_url), api_key=boss.secret) as client:
            assert await client.evaluation_runs() == (other, second, first)
            assert await client.evaluation_runs(limit=1) == (other,)
            assert await client.evaluation_run(second.run_id) == await workspace.evaluation_run(
                second.run_id
            )
            found = await client.compare_evaluations(first.run_id, second.run_id)
            [change] = found.changes
            assert (change.id, change.a, change.b) == ("q1", "right", "wrong")
            assert {each.metric: each.difference for each in found.differences} == {
                "ndcg@10": -0.5,
                "right": -1.0,
            }
            with pytest.raises(InvalidRequest, match="other questions"):
                await client.compare_evaluations(first.run_id, other.run_id)
            await client.delete_evaluation(first.run_id)
            for run_id in (first.run_id, uuid4()):
                with pytest.raises(NotFound):
                    await client.evaluation_run(run_id)
                with pytest.raises(NotFound):
                    await client.delete_evaluation(run_id)
                with pytest.raises(NotFound):
                    await client.compare_evaluations(second.run_id, run_id)
        async with footnote.AsyncClient(str(http.base_url), api_key=reader.secret) as client:
            with pytest.raises(Forbidden):
                await client.evaluation_runs()
            with pytest.raises(Forbidden):
                await client.compare_evaluations(second.run_id, second.run_id)
        asked = {"Authorization": f"Bearer {boss.secret}"}
        for query in ("limit=0", "limit=201", "limit=many"):
            refused = await http.get(f"/v1/evaluations?{query}", headers=asked)
            assert_problem(refused, 422, "invalid-request")
        refused = await http.get("/v1/evaluations/comparison", headers=asked)
        assert_problem(refused, 422, "invalid-request")


async def test_a_worker_is_told_to_ask_and_to_stop(
    settings: Settings, workspace: WorkspaceEngine
) -> None:
    boss = await workspace.create_key("boss", rights=["read", "administer"])
    reader = await workspace.create_key("reader", rights=["read"])
    order = an_order("merger.jsonl", plan="fast", k=5)
    async with served(settings_from(settings, {"identity": "keys"})) as http:
        async with footnote.AsyncClient(str(http.base_url), api_key=boss.secret) as client:
            assert await client.started_evaluations() == ()
            begun = await client.start_evaluation(order)
            assert (begun.golden_name, begun.plan, begun.k, begun.questions) == (
                *("merger.jsonl", "fast", 5),
                1,
            )
            assert begun.state is EvaluationState.QUEUED
            # The digest is the server's own.
            assert begun.golden != order.golden
            with pytest.raises(Conflict):
                await client.start_evaluation(order)
            assert await client.started_evaluation(begun.run_id) == begun
            cancelled = await client.cancel_evaluation(begun.run_id)
            assert cancelled.state is EvaluationState.CANCELLED
            again = await client.start_evaluation(EvaluationOrder(golden=begun.golden))
            assert (again.golden_name, again.golden) == ("merger.jsonl", begun.golden)
            await client.cancel_evaluation(again.run_id)
            found = await client.started_evaluations()
            assert [each.run_id for each in found] == [again.run_id, begun.run_id]
            with pytest.raises(NotFound):
                await client.start_evaluation(EvaluationOrder(golden="f" * 16))
            for absent in (
                client.started_evaluation(uuid4()),
                client.cancel_evaluation(uuid4()),
            ):
                with pytest.raises(NotFound):
                    await absent
            with pytest.raises(InvalidRequest, match=r"merger\.jsonl, line 1"):
                await client.start_evaluation(an_order("merger.jsonl", lines="no"))
        async with footnote.AsyncClient(str(http.base_url), api_key=reader.secret) as client:
            for refused in (
                client.start_evaluation(order),
                client.started_evaluations(),
                client.started_evaluation(begun.run_id),
                client.cancel_evaluation(begun.run_id),
            ):
                with pytest.raises(Forbidden):
                    await refused
