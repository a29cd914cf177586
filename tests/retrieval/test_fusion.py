"""Laws of fusing two rankings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import Hit, Ranking
from footnote.retrieval.fusion import ReciprocalRankFusion, SingleRecall, fusion_by_name

rankings = st.lists(st.integers(0, 50), unique=True, max_size=20).map(
    lambda numbers: tuple(
        Hit(chunk_no=number, score=float(len(numbers) - place))
        for place, number in enumerate(numbers)
    )
)


@given(rankings, rankings)
def test_the_order_of_the_recalls_does_not_matter(dense: Ranking, lexical: Ranking) -> None:
    fuse = ReciprocalRankFusion()
    assert fuse({"dense": dense, "lexical": lexical}) == fuse({"lexical": lexical, "dense": dense})


@given(rankings, rankings)
def test_every_hit_is_kept_once_with_the_published_score(dense: Ranking, lexical: Ranking) -> None:
    fused = ReciprocalRankFusion(k=60)({"dense": dense, "lexical": lexical})
    places = [{hit.chunk_no: rank for rank, hit in enumerate(each, 1)} for each in (dense, lexical)]
    assert sorted(hit.chunk_no for hit in fused) == sorted(places[0].keys() | places[1].keys())
    for hit in fused:
        expected = sum(1 / (60 + place[hit.chunk_no]) for place in places if hit.chunk_no in place)
        assert hit.score == pytest.approx(expected)


@given(rankings, rankings)
def test_ties_are_broken_by_chunk_number(dense: Ranking, lexical: Ranking) -> None:
    fused = ReciprocalRankFusion()({"dense": dense, "lexical": lexical})
    assert list(fused) == sorted(fused, key=lambda hit: (-hit.score, hit.chunk_no))


@given(rankings, rankings)
def test_a_hit_that_leads_both_recalls_leads_the_fusion(dense: Ranking, lexical: Ranking) -> None:
    best = Hit(chunk_no=99, score=1e9)
    fused = ReciprocalRankFusion()({"dense": (best, *dense), "lexical": (best, *lexical)})
    assert fused[0].chunk_no == 99


def test_a_recall_without_weight_changes_no_order() -> None:
    fuse = ReciprocalRankFusion(weights={"dense": 1.0, "lexical": 0.0})
    dense = (Hit(chunk_no=2, score=0.9), Hit(chunk_no=1, score=0.8))
    assert [hit.chunk_no for hit in fuse({"dense": dense, "lexical": dense[::-1]})] == [2, 1]


def test_a_single_recall_is_passed_on_as_it_is() -> None:
    ranking = (Hit(chunk_no=2, score=0.9),)
    fuse = SingleRecall(name="dense_only", recall="dense")
    assert fuse({"dense": ranking, "lexical": ()}) == ranking
    assert fuse({"lexical": ranking}) == ()


@pytest.mark.parametrize("name", ["rrf", "dense_only", "lexical_only"])
def test_a_fusion_is_found_under_the_name_it_gives_itself(name: str) -> None:
    assert fusion_by_name(name, 60).name == name
