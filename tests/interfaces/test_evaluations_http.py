"""Kept evaluation runs over HTTP and by the client."""

from __future__ import annotations

from uuid import uuid4

import pytest

import footnote
from footnote.engine import WorkspaceEngine
from footnote.errors import Forbidden, InvalidRequest, NotFound
from footnote.settings import Settings, settings_from
from tests.evaluation.factories import a_new_run, an_outcome
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
