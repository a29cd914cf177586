"""The cache of searches never hides a change, and never crosses a workspace or an access list."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from footnote.domain import (
    Comparison,
    Operator,
    PlanChanges,
    Principal,
    SearchFilters,
    SearchRequest,
    SearchResponse,
)
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.inline import work_until_resting

DEDUCTIBLE = SearchRequest(query="What is the deductible for storm damage?")
REWORDED = SearchRequest(query="deductible for storm damage please")


async def publish(
    workspace: WorkspaceEngine, text: str, name: str, access: tuple[str, ...] | None = None
) -> str:
    """The id of a document that was received and published."""
    received = await workspace.receive(text.encode(), name, external_id=name, shared_with=access)
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    return str(document_id)


def found(response: SearchResponse) -> set[str]:
    return {evidence.passage.document_title for evidence in response.evidence}


def texts(response: SearchResponse) -> str:
    return " ".join(evidence.passage.text for evidence in response.evidence)


async def test_the_same_search_is_answered_from_the_cache(workspace: WorkspaceEngine) -> None:
    await publish(workspace, "# Storm\n\nThe deductible for storm damage is EUR 500.", "a.md")
    first = await workspace.search(DEDUCTIBLE)
    again = await workspace.search(DEDUCTIBLE)
    near = await workspace.search(REWORDED)
    assert [first.cached, again.cached, near.cached] == [None, "exact", "near"]
    assert first.evidence == again.evidence == near.evidence
    assert near.query == REWORDED.query


@pytest.mark.parametrize("request_", [DEDUCTIBLE, REWORDED], ids=["exact", "near"])
async def test_a_new_a_changed_and_a_deleted_document_are_seen_at_once(
    workspace: WorkspaceEngine, request_: SearchRequest
) -> None:
    first = await publish(workspace, "# Storm\n\nStorm damage: deductible EUR 500.", "a.md")
    assert "500" in texts(await workspace.search(DEDUCTIBLE))

    await publish(workspace, "# Hail\n\nStorm damage by hail: deductible EUR 700.", "b.md")
    added = await workspace.search(request_)
    assert added.cached is None
    assert found(added) == {"Storm", "Hail"}

    await workspace.search(DEDUCTIBLE)
    await publish(workspace, "# Storm\n\nStorm damage: deductible EUR 900.", "a.md")
    changed = await workspace.search(request_)
    assert changed.cached is None
    assert "900" in texts(changed)
    assert "500" not in texts(changed)

    await workspace.search(DEDUCTIBLE)
    [gone] = {
        evidence.passage.document_id
        for evidence in changed.evidence
        if str(evidence.passage.document_id) == first
    }
    await workspace.delete_document(gone)
    deleted = await workspace.search(request_)
    assert deleted.cached is None
    assert found(deleted) == {"Hail"}


async def test_principals_and_workspaces_never_share_an_answer(engine: Engine) -> None:
    anna = await engine.workspace(principal=Principal(principal_id="anna"))
    bert = replace(anna, principal=Principal(principal_id="bert"))
    await publish(anna, "# Storm\n\nStorm damage: deductible EUR 500.", "a.md", ("anna",))
    await engine.create_workspace("bolt")
    bolt = await engine.workspace("bolt", principal=Principal(principal_id="anna"))
    assert found(await anna.search(DEDUCTIBLE)) == {"Storm"}
    for stranger in (bert, bolt):
        response = await stranger.search(REWORDED)
        assert (response.evidence, response.cached) == ((), None)
        assert (await stranger.search(DEDUCTIBLE)).evidence == ()


async def test_filters_plans_and_numbers_of_results_never_share_an_answer(
    workspace: WorkspaceEngine,
) -> None:
    await publish(workspace, "# Storm\n\nStorm damage: deductible EUR 500.", "a.md")
    await workspace.search(DEDUCTIBLE)
    one, yes = (
        Comparison(field="metadata.flag", operator=Operator.EQUALS, value=value)
        for value in (1, True)
    )
    for other in (
        replace(DEDUCTIBLE, top_k=1),
        replace(DEDUCTIBLE, filters=SearchFilters(where=one)),
        replace(DEDUCTIBLE, filters=SearchFilters(where=yes)),
        replace(DEDUCTIBLE, filters=SearchFilters(collections=("elsewhere",))),
        replace(DEDUCTIBLE, changes=PlanChanges(fusion="lexical_only")),
        replace(DEDUCTIBLE, facets=("language",)),
        replace(DEDUCTIBLE, changes=PlanChanges(cache=False)),
    ):
        assert (await workspace.search(other)).cached is None


async def test_questions_that_differ_in_a_number_or_a_negation_are_searched_apart(
    workspace: WorkspaceEngine,
) -> None:
    await publish(workspace, "# POL-1\n\nPOL-1 covers floods up to EUR 500.", "a.md")
    await publish(workspace, "# POL-2\n\nPOL-2 covers floods up to EUR 900.", "b.md")
    for one, other in (
        ("What does POL-1 cover?", "What does POL-2 cover?"),
        ("Is flood damage covered?", "Is flood damage not covered?"),
        ("floods covered", "floods -POL-1 covered"),
    ):
        await workspace.search(SearchRequest(query=one))
        assert (await workspace.search(SearchRequest(query=other))).cached is None


async def test_the_same_search_asked_at_once_finds_the_same(workspace: WorkspaceEngine) -> None:
    await publish(workspace, "# Storm\n\nStorm damage: deductible EUR 500.", "a.md")
    responses = await asyncio.gather(*(workspace.search(DEDUCTIBLE) for _ in range(8)))
    assert [each.cached for each in responses].count(None) == 1
    assert all(each.evidence == responses[0].evidence for each in responses)
