"""A search degrades rather than fails, and explains itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import pytest

from footnote.domain import (
    LOCAL_PRINCIPAL,
    Lane,
    Plan,
    PlanChanges,
    SearchFilters,
    SearchRequest,
    SearchResponse,
    Turn,
)
from footnote.errors import InvalidRequest, LaneUnavailable, ModelUnavailable, StoreUnavailable
from footnote.models.testing import HashEmbedder, ScriptedLanguageModel, scripted_model
from footnote.ports import Vector, Vectors
from footnote.retrieval.explain import why
from footnote.retrieval.fusion import FusionChoices
from footnote.retrieval.gathering import Gather
from footnote.retrieval.journal import Asker
from footnote.retrieval.phrasing import Phrase
from footnote.retrieval.pipeline import Search
from footnote.retrieval.plans import named_plans
from footnote.retrieval.refinement import Refine
from footnote.retrieval.rerank import Rerank
from footnote.retrieval.spelling import Correct

from .list_index import ANALYZER, ListIndex

ASKER = Asker(workspace_id=UUID(int=1), principal=LOCAL_PRINCIPAL)
INDEX = ListIndex(
    (
        "The buoy is red.",
        "The anchor is heavy.",
        "An anchor chain and another anchor.",
        "Storm damage to the moorings is covered.",
    )
)


@dataclass(frozen=True)
class DeafEmbedder:
    """A model that cannot be reached."""

    lane: Lane = HashEmbedder().lane
    max_tokens: int = 256

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise LaneUnavailable(f"the model is away, {len(texts)} texts wait")

    async def embed_query(self, text: str) -> Vector:
        raise LaneUnavailable(f"the model is away, {text!r} waits")


@dataclass(frozen=True)
class BackwardReranker:
    """Likes short texts best."""

    name: str = "backward"

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        return [1.0 / len(text) for text in texts]


@dataclass(frozen=True)
class AbsentReranker:
    """Cannot be reached."""

    name: str = "absent"

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        raise ModelUnavailable(f"absent did not read {len(texts)} texts")


def search(
    embedder: HashEmbedder | DeafEmbedder | None = None,
    *,
    plan: Plan | None = None,
    reranker: BackwardReranker | AbsentReranker | None = None,
    model: ScriptedLanguageModel | None = None,
) -> Search:
    embedder = embedder or HashEmbedder()
    plans = dict(
        named_plans(
            fusion="adaptive",
            diversity="none",
            neighbours=0,
            reranks=reranker is not None,
            writes=model is not None,
        )
    )
    if plan is not None:
        plans["balanced"] = plan
    return Search(
        phrase=Phrase(embedder=embedder, model=model),
        gather=Gather(
            embedder=embedder,
            analyzer=ANALYZER,
            correct=Correct(ANALYZER),
            choices=FusionChoices(),
            recall_limit=10,
        ),
        refine=Refine(rerank=Rerank(reranker=reranker) if reranker else None),
        plans=plans,
        model=model,
    )


async def ask(stages: Search, query: str, index: ListIndex = INDEX, **asked: Any) -> SearchResponse:
    return await stages(SearchRequest(query=query, **asked), index, ASKER)


def found(response: SearchResponse) -> list[int]:
    return [each.passage.chunk_no for each in response.evidence]


# --- explaining -------------------------------------------------------------------------------


async def test_every_evidence_carries_the_record_of_each_stage() -> None:
    response = await ask(search(), "anchor")
    best = response.evidence[0]
    assert [each.stage for each in best.explanation] == [
        "dense",
        "lexical",
        "adaptive",
        "duplicates",
    ]
    assert [each.rank for each in response.evidence] == [1, 2, 3, 4]
    assert why(best).startswith("Ranked 1st: ")
    assert "“anchor”" in why(best)


@pytest.mark.parametrize("fusion", ["adaptive", "rrf", "weighted_blend"])
@pytest.mark.parametrize("diversity", ["none", "round_robin", "mmr"])
@pytest.mark.parametrize("reranked", [False, True])
async def test_the_recorded_numbers_reproduce_the_order(
    fusion: Any, diversity: Any, reranked: bool
) -> None:
    plan = Plan(name="p", fusion=fusion, diversity=diversity, rerank=reranked)
    response = await ask(search(plan=plan, reranker=BackwardReranker()), "anchor damage")
    evidence = response.evidence
    assert evidence
    for each in evidence:
        fused = next(record for record in each.explanation if record.stage == fusion)
        parts = [float(fused.detail[name]) for name in ("dense", "lexical") if name in fused.detail]
        assert sum(parts) == pytest.approx(fused.score_after)
        assert each.explanation[-1].score_after == each.score
        assert each.explanation[-1].rank_after == each.rank
    by_numbers = sorted(evidence, key=lambda each: (-each.score, each.passage.chunk_no))
    assert [each.rank for each in by_numbers] == [each.rank for each in evidence]


async def test_the_reason_names_the_stage_that_moved_it() -> None:
    plan = Plan(name="p", rerank=True)
    response = await ask(search(plan=plan, reranker=BackwardReranker()), "anchor")
    assert "once backward had read it" in why(response.evidence[0])


# --- degrading --------------------------------------------------------------------------------


async def test_without_the_model_the_words_still_answer_and_it_says_so() -> None:
    response = await ask(search(DeafEmbedder()), "anchor")
    assert set(found(response)) == {1, 2}
    assert response.degraded == ("dense: the model is away, 'anchor' waits",)
    assert all(each.similarity is None for each in response.evidence)


@pytest.mark.parametrize("part", ["dense", "lexical"])
async def test_a_recall_that_fails_leaves_the_other(part: str) -> None:
    response = await ask(search(), "anchor", replace(INDEX, failing=frozenset({part})))
    assert {1, 2} <= set(found(response))
    assert response.degraded == (f"recall: {part} is away",)


async def test_without_either_recall_the_search_fails() -> None:
    with pytest.raises(StoreUnavailable):
        await ask(search(), "anchor", replace(INDEX, failing=frozenset({"dense", "lexical"})))


async def test_without_the_reranker_the_fused_order_stands() -> None:
    fused = await ask(search(), "anchor")
    response = await ask(
        search(plan=Plan(name="p", rerank=True), reranker=AbsentReranker()), "anchor"
    )
    assert found(response) == found(fused)
    assert response.degraded == ("rerank: absent did not read 4 texts",)


async def test_a_plan_that_wants_what_is_not_configured_says_so() -> None:
    plan = Plan(name="p", rerank=True, condense=True, queries=3, hypothetical=True, corrections=2)
    said = await ask(
        search(plan=plan), "anchor", conversation=(Turn(role="user", text="What about boats?"),)
    )
    assert {note.partition(":")[0] for note in said.degraded} == {
        *("rerank", "condense", "queries", "hypothetical", "correct")
    }
    assert said.evidence


@pytest.mark.parametrize(
    ("part", "stage", "plan"),
    [
        ("holders", "spelling", Plan(name="p")),
        ("vectors", "diversify", Plan(name="p", diversity="mmr")),
        ("widened", "expand", Plan(name="p", neighbours=1)),
        ("facets", "facets", Plan(name="p")),
    ],
)
async def test_a_stage_that_fails_is_named_and_left_out(part: str, stage: str, plan: Plan) -> None:
    response = await ask(
        search(plan=plan),
        "anchor damagge",
        replace(INDEX, failing=frozenset({part})),
        facets=("language",),
    )
    assert response.degraded == (f"{stage}: {part} is away",)
    assert {1, 2} <= set(found(response))


async def test_without_a_vector_the_least_similarity_cannot_be_told() -> None:
    filters = SearchFilters(min_similarity=0.9)
    response = await ask(search(DeafEmbedder()), "anchor", filters=filters)
    assert "min_similarity: it needs the lane's model, which is not available" in response.degraded


@pytest.mark.parametrize("failing_from", [0, 1, 2, 3])
async def test_a_language_model_that_goes_away_costs_only_its_stages(failing_from: int) -> None:
    replies = ["where is the anchor", "heavy anchor\nanchor chain", "An anchor is heavy."]
    model = scripted_model(*replies[:failing_from])
    plan = Plan(name="p", condense=True, queries=3, hypothetical=True, corrections=1)
    response = await ask(
        search(plan=plan, model=model),
        "where is it",
        conversation=(Turn(role="user", text="Tell me of the anchor."),),
    )
    stages = [note.partition(":")[0] for note in response.degraded]
    # Where the model does not condense, the reader would, and there is none.
    assert (
        list(dict.fromkeys(stages))
        == ["condense", "queries", "hypothetical", "grade"][failing_from:]
    )
    if failing_from:
        assert {1, 2} <= set(found(response))


# --- choosing ---------------------------------------------------------------------------------


async def test_top_k_bounds_what_is_returned() -> None:
    assert len((await ask(search(), "anchor", top_k=1)).evidence) == 1


async def test_a_misspelt_word_is_mended_and_it_says_so() -> None:
    response = await ask(search(), "anchr")
    assert response.corrected_query == "anchor"
    assert found(response)[0] in (1, 2)
    assert (
        await ask(search(), "anchr", changes=PlanChanges(spelling=False))
    ).corrected_query is None


async def test_the_least_similarity_is_reached_by_all_that_is_found() -> None:
    response = await ask(search(), "anchor heavy", filters=SearchFilters(min_similarity=0.5))
    assert found(response) == [1]
    assert all((each.similarity or 0) >= 0.5 for each in response.evidence)


async def test_other_wordings_find_more_and_are_named() -> None:
    model = scripted_model("storm damage")
    plan = Plan(name="p", queries=2, fusion="lexical_only")
    response = await ask(search(plan=plan, model=model), "anchor")
    assert set(found(response)) == {1, 2, 3}
    assert response.searched == ("storm damage",)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"query": "  "}, "empty"),
        ({"query": "x" * 10_001}, "characters"),
        ({"query": "x", "top_k": 0}, "top_k"),
        ({"query": "x", "plan": "clever"}, "clever"),
        ({"query": "x", "changes": PlanChanges(neighbours=11)}, "neighbours"),
        ({"query": "x", "changes": PlanChanges(queries=0)}, "queries"),
        ({"query": "x", "changes": PlanChanges(corrections=3)}, "corrections"),
        ({"query": "-only"}, "not to find"),
    ],
)
async def test_what_makes_no_sense_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidRequest, match=said):
        await search()(SearchRequest(**asked), INDEX, ASKER)
