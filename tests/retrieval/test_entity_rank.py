"""A walk from the question's entities ranks chunks, whatever order they are given in."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import Hit
from footnote.ports import EntityGraph, NamedEntity
from footnote.retrieval.entity_rank import (
    Nodes,
    Visits,
    mentioned_names,
    personalised_pagerank,
    rank_by_entities,
)
from footnote.retrieval.fusion import (
    Fused,
    ReciprocalRankFusion,
    WeightedBlend,
    rank_by_score,
    with_graph,
)

Edges = tuple[Nodes, Nodes, Visits]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Visits, Edges]:
    """Restarts of some nodes and edges between them; loops and double edges are among them."""
    size = draw(st.integers(1, 12))
    weight = st.floats(0.01, 10)
    restarts = np.array(draw(st.lists(weight, min_size=size, max_size=size)))
    idle = draw(st.lists(st.integers(0, size - 1), max_size=size - 1))
    restarts[[each for each in idle if each != 0]] = 0.0
    node = st.integers(0, size - 1)
    edges = draw(st.lists(st.tuples(node, node, weight), max_size=30))
    first, second, weights = (np.array([each[at] for each in edges]) for at in range(3))
    return restarts, (first.astype(np.int64), second.astype(np.int64), weights.astype(np.float64))


@given(graphs())
def test_visits_sum_to_one_and_begin_where_walks_do(graph: tuple[Visits, Edges]) -> None:
    restarts, edges = graph
    visits = personalised_pagerank(restarts, edges)
    assert visits.shape == restarts.shape
    assert visits.sum() == pytest.approx(1)
    assert (visits >= 0).all()
    assert (visits[restarts > 0] > 0).all()


@given(graphs())
def test_the_walk_has_settled(graph: tuple[Visits, Edges]) -> None:
    restarts, (first, second, weights) = graph
    visits = personalised_pagerank(restarts, (first, second, weights))
    size = len(restarts)
    steps = np.zeros((size, size))
    for one, other, weight in zip(first, second, weights, strict=True):
        steps[other, one] += weight
        steps[one, other] += weight
    for node in range(size):
        steps[node, node] += not steps[:, node].any()
    steps /= steps.sum(axis=0)
    exact = np.linalg.solve(np.eye(size) - 0.5 * steps, 0.5 * restarts / restarts.sum())
    assert visits == pytest.approx(exact, abs=1e-8)


@given(graphs(), st.randoms(use_true_random=False))
def test_the_order_of_nodes_and_edges_does_not_matter(
    graph: tuple[Visits, Edges], chance: st.DrawFn
) -> None:
    restarts, (first, second, weights) = graph
    shuffled = list(range(len(restarts)))
    chance.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives a Random
    order = np.array(shuffled)
    place = np.argsort(order)
    turned = personalised_pagerank(
        restarts[order], (place[second][::-1], place[first][::-1], weights[::-1])
    )
    assert turned[place] == pytest.approx(
        personalised_pagerank(restarts, (first, second, weights)), abs=1e-8
    )


@given(graphs(), st.integers(0, 11), st.floats(0.1, 10))
def test_where_walks_begin_oftener_they_come_oftener(
    graph: tuple[Visits, Edges], node: int, more: float
) -> None:
    restarts, edges = graph
    node %= len(restarts)
    raised = restarts.copy()
    raised[node] += more
    before, after = (personalised_pagerank(each, edges) for each in (restarts, raised))
    assert after[node] >= before[node] - 1e-9


RARE, COMMON, BESIDE = UUID(int=1), UUID(int=2), UUID(int=3)
GRAPH = EntityGraph(
    named={
        RARE: NamedEntity(text="Keller", documents=1),
        COMMON: NamedEntity(text="Hull", documents=9),
    },
    pairs={(RARE, BESIDE): 1.0},
    mentions={(RARE, 7): 2, (COMMON, 5): 1, (COMMON, 7): 1, (BESIDE, 9): 1},
)


def test_what_names_the_rarest_comes_first_and_what_stands_beside_it_is_reached() -> None:
    ranking = rank_by_entities(GRAPH, {})
    assert [hit.chunk_no for hit in ranking] == [7, 9, 5]
    assert mentioned_names(GRAPH) == {5: {"Hull": 1}, 7: {"Hull": 1, "Keller": 2}}


def test_what_other_recalls_found_is_visited_a_little_more() -> None:
    alone, with_others = (
        {hit.chunk_no: hit.score for hit in rank_by_entities(GRAPH, promising)}
        for promising in ({}, {5: 1.0, 1000: 1.0})
    )
    assert with_others[5] > alone[5]


def test_a_question_that_names_nothing_ranks_nothing() -> None:
    assert rank_by_entities(EntityGraph(), {1: 1.0}) == ()


@pytest.mark.parametrize("fusion", [ReciprocalRankFusion(), WeightedBlend()], ids=["rrf", "blend"])
@given(
    scores=st.dictionaries(st.integers(0, 9), st.floats(0.01, 2), max_size=6),
    walked=st.dictionaries(st.integers(0, 9), st.floats(0.01, 1), max_size=6),
)
def test_parts_add_up_to_the_score_with_a_third_recall(
    fusion: ReciprocalRankFusion | WeightedBlend,
    scores: dict[int, float],
    walked: dict[int, float],
) -> None:
    fused = Fused(
        ranking=rank_by_score(scores),
        parts={number: {"dense": score} for number, score in scores.items()},
        dense_weight=1.0,
    )
    joined = with_graph(fused, rank_by_score(walked), fusion)
    assert {hit.chunk_no for hit in joined.ranking} == {*scores, *walked}
    for hit in joined.ranking:
        assert hit.score == pytest.approx(sum(joined.parts[hit.chunk_no].values()))
    assert with_graph(fused, (), fusion) == fused


def test_a_third_recall_lifts_what_it_found() -> None:
    fused = Fused(
        ranking=(Hit(chunk_no=1, score=1.0), Hit(chunk_no=2, score=0.95)),
        parts={1: {"dense": 1.0}, 2: {"dense": 0.95}},
        dense_weight=1.0,
    )
    joined = with_graph(fused, (Hit(chunk_no=2, score=0.4),), WeightedBlend())
    assert [hit.chunk_no for hit in joined.ranking] == [2, 1]
