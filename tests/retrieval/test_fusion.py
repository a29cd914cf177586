"""Laws of fusing two rankings."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import FusionName, Hit, Ranking
from footnote.retrieval.fusion import (
    AdaptiveFusion,
    Fusion,
    FusionChoices,
    Recalls,
    ReciprocalRankFusion,
    SingleRecall,
    WeightedBlend,
)
from footnote.retrieval.recall_weighting import Signals

SIGNALS = Signals(language_support=1, coverage=0.5, prominence=0.5)
FUSIONS: list[Fusion] = [
    ReciprocalRankFusion(),
    WeightedBlend(),
    AdaptiveFusion(),
    SingleRecall(name="dense_only", recall="dense"),
    SingleRecall(name="lexical_only", recall="lexical"),
]
each_fusion = pytest.mark.parametrize("fuse", FUSIONS, ids=lambda fuse: fuse.name)


def ranked(scores: dict[int, float]) -> Ranking:
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Hit(chunk_no=number, score=score) for number, score in ordered)


def recalls_of(similarities: dict[int, float], bm25: dict[int, float], depth: int = 5) -> Recalls:
    """Both recalls to a depth, completed, of chunks with these scores."""
    dense = ranked(similarities)[:depth]
    lexical = ranked({number: score for number, score in bm25.items() if score > 0})[:depth]
    recalled = {hit.chunk_no for hit in (*dense, *lexical)}
    return Recalls(
        dense=dense,
        lexical=lexical,
        similarities={
            number: similarities[number] for number in recalled if number in similarities
        },
        bm25={number: bm25[number] for number in recalled if number in bm25},
        signals=SIGNALS,
    )


scores = st.dictionaries(st.integers(0, 30), st.floats(0.001, 1.0), max_size=12)
recalls = st.builds(recalls_of, scores, scores)


@each_fusion
@given(given=recalls)
def test_a_ranking_falls_and_breaks_ties_by_chunk_number(fuse: Fusion, given: Recalls) -> None:
    ranking = fuse(given).ranking
    assert list(ranking) == sorted(ranking, key=lambda hit: (-hit.score, hit.chunk_no))
    assert len({hit.chunk_no for hit in ranking}) == len(ranking)


@each_fusion
@given(given=recalls)
def test_the_parts_add_up_to_the_score(fuse: Fusion, given: Recalls) -> None:
    fused = fuse(given)
    for hit in fused.ranking:
        assert sum(fused.parts[hit.chunk_no].values()) == pytest.approx(hit.score)
    assert 0.0 <= fused.dense_weight <= 1.0


@given(recalls)
def test_rrf_keeps_every_hit_once_with_the_published_score(given: Recalls) -> None:
    fused = ReciprocalRankFusion(k=60)(given).ranking
    both = (given.dense, given.lexical)
    places = [{hit.chunk_no: rank for rank, hit in enumerate(each, 1)} for each in both]
    assert {hit.chunk_no for hit in fused} == places[0].keys() | places[1].keys()
    for hit in fused:
        expected = sum(1 / (60 + place[hit.chunk_no]) for place in places if hit.chunk_no in place)
        assert hit.score == pytest.approx(expected)


def test_rrf_weights_decide_between_equal_ranks() -> None:
    given = recalls_of({1: 0.9}, {2: 9.0})
    lexical = ReciprocalRankFusion(weights={"dense": 1.0, "lexical": 2.0})
    assert [hit.chunk_no for hit in ReciprocalRankFusion()(given).ranking] == [1, 2]
    assert [hit.chunk_no for hit in lexical(given).ranking] == [2, 1]


@given(scores, scores)
def test_a_blend_does_not_depend_on_how_deep_the_recalls_went(
    similarities: dict[int, float], bm25: dict[int, float]
) -> None:
    shallow = WeightedBlend(alpha=0.5)(recalls_of(similarities, bm25, depth=3)).ranking
    deep = WeightedBlend(alpha=0.5)(recalls_of(similarities, bm25, depth=99)).ranking
    scores_in_depth = {hit.chunk_no: hit.score for hit in deep}
    assert all(scores_in_depth[hit.chunk_no] == hit.score for hit in shallow)


@pytest.mark.parametrize(("alpha", "first"), [(1.0, 1), (0.0, 2)])
def test_the_ends_of_a_blend_are_its_parts(alpha: float, first: int) -> None:
    given = recalls_of({1: 0.9, 2: 0.5}, {1: 2.0, 2: 9.0})
    assert WeightedBlend(alpha=alpha)(given).ranking[0].chunk_no == first


@given(scores)
def test_with_one_recall_empty_adaptive_fusion_takes_the_other(present: dict[int, float]) -> None:
    dense = recalls_of(present, {})
    assert [hit.chunk_no for hit in AdaptiveFusion()(dense).ranking] == [
        hit.chunk_no for hit in dense.dense
    ]
    lexical = recalls_of({}, present)
    assert [hit.chunk_no for hit in AdaptiveFusion()(lexical).ranking] == [
        hit.chunk_no for hit in lexical.lexical
    ]


def test_adaptive_fusion_follows_the_words_where_the_lane_cannot_read_the_query() -> None:
    given = recalls_of({1: 0.9, 2: 0.7}, {1: 6.0, 2: 9.0})
    native = AdaptiveFusion()(given)
    alien = AdaptiveFusion()(replace(given, signals=replace(SIGNALS, language_support=-1)))
    assert native.ranking[0].chunk_no == 1 or native.dense_weight > alien.dense_weight
    assert alien.ranking[0].chunk_no == 2


def test_a_negative_cosine_counts_as_nothing() -> None:
    fused = WeightedBlend(alpha=0.5)(recalls_of({1: 0.8, 2: -0.4}, {2: 3.0}))
    assert fused.parts[2]["dense"] == 0.0


@given(recalls)
def test_a_single_recall_is_passed_on_as_it_is(given: Recalls) -> None:
    assert SingleRecall(name="dense_only", recall="dense")(given).ranking == given.dense
    assert SingleRecall(name="lexical_only", recall="lexical")(given).ranking == given.lexical


@pytest.mark.parametrize("name", get_args(FusionName))
def test_a_fusion_is_found_under_the_name_it_gives_itself(name: FusionName) -> None:
    assert FusionChoices().named(name).name == name
