"""Laws of diversity: the worse never displaces the clearly better, and the seeds' rounds hold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.domain import Evidence
from footnote.ports import Vector
from footnote.retrieval.diversify import (
    Diversify,
    MaximalMarginalRelevance,
    NoDiversity,
    RoundRobin,
    diversity_by_name,
    score_bound,
)
from tests.retrieval.evidence import evidence_of, passage_of

# Reciprocal rank sums, cosines and blends, rerankers' logits, and whatever else is finite.
SCORES = st.one_of(
    st.integers(1, 200).map(lambda rank: 1 / (60 + rank)),
    st.floats(-1, 1),
    st.floats(-12, 12),
    st.integers(-3, 3).map(float),
)
# Scores that a scale by a power of two and a shift by a whole number leave exact.
EXACT_SCORES = st.integers(-(2**12), 2**12).map(lambda number: number / 2**10)
MARGINS = st.sampled_from([0.0, 0.05, 0.15, 0.5, 1.0, math.inf])
TOP_K = st.integers(1, 12)


def candidates(scores: Sequence[float], documents: Sequence[int]) -> list[Evidence]:
    ordered = sorted(enumerate(scores), key=lambda item: (-item[1], item[0]))
    return [
        evidence_of(passage_of("", number=number, document=document), rank=rank, score=score)
        for rank, ((number, score), document) in enumerate(
            zip(ordered, documents, strict=True), start=1
        )
    ]


@st.composite
def lists(draw: st.DrawFn, scores: st.SearchStrategy[float] = SCORES) -> list[Evidence]:
    drawn = draw(st.lists(scores, max_size=24))
    documents = draw(st.lists(st.integers(0, 5), min_size=len(drawn), max_size=len(drawn)))
    return candidates(drawn, documents)


def vectors_of(evidence: Sequence[Evidence], seed: int = 0) -> dict[int, Vector]:
    """A vector for all but every fifth chunk."""
    made = np.random.default_rng(seed).normal(size=(64, 3)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    numbers = [each.passage.chunk_no for each in evidence]
    return {number: made[number] for number in numbers if number % 5 != 4}


def numbers_of(evidence: Sequence[Evidence]) -> list[int]:
    return [each.passage.chunk_no for each in evidence]


def strategies(margin: float) -> list[Diversify]:
    return [
        RoundRobin(margin=margin),
        RoundRobin(margin=margin, min_per_document=1),
        MaximalMarginalRelevance(margin=margin),
        MaximalMarginalRelevance(margin=margin, diversity=1.0),
        NoDiversity(),
    ]


@settings(deadline=None)
@given(lists(), TOP_K, MARGINS)
def test_the_clearly_better_stands_first_and_is_kept(
    evidence: list[Evidence], top_k: int, margin: float
) -> None:
    bound = score_bound([each.score for each in evidence], top_k, margin)
    for diversify in strategies(margin):
        arranged = diversify(evidence, top_k, vectors_of(evidence))
        assert len(arranged) == min(top_k, len(evidence))
        places = {number: place for place, number in enumerate(numbers_of(arranged))}
        for better in evidence:
            for worse in evidence:
                if better.score - worse.score > bound and worse.passage.chunk_no in places:
                    place = places.get(better.passage.chunk_no, math.inf)
                    assert place < places[worse.passage.chunk_no], diversify.name


@settings(deadline=None)
@given(lists(), TOP_K, MARGINS)
def test_the_scores_that_are_handed_out_give_the_order_and_cost_no_more_than_the_bound(
    evidence: list[Evidence], top_k: int, margin: float
) -> None:
    bound = score_bound([each.score for each in evidence], top_k, margin)
    before = {each.passage.chunk_no: each for each in evidence}
    for diversify in strategies(margin):
        arranged = diversify(evidence, top_k, vectors_of(evidence))
        by_score = sorted(arranged, key=lambda each: (-each.score, each.passage.chunk_no))
        assert list(arranged) == by_score
        assert [each.rank for each in arranged] == list(range(1, len(arranged) + 1))
        for each in arranged:
            was = before[each.passage.chunk_no]
            for record in each.explanation:
                assert record.stage == diversify.name
                assert (record.rank_before, record.score_before) == (was.rank, was.score)
                assert (record.rank_after, record.score_after) == (each.rank, each.score)
                assert record.detail["penalty"] == was.score - each.score
            assert 0 <= was.score - each.score <= bound + 1e-12


@settings(deadline=None)
@given(
    lists(EXACT_SCORES),
    TOP_K,
    st.sampled_from([0.0, 0.125, 0.5, math.inf]),
    st.integers(-8, 8),
    st.integers(-4, 4),
)
def test_neither_scale_nor_origin_of_the_scores_matters(
    evidence: list[Evidence], top_k: int, margin: float, power: int, shift: int
) -> None:
    moved = [replace(each, score=each.score * 2.0**power + shift) for each in evidence]
    for diversify in strategies(margin):
        here = diversify(evidence, top_k, vectors_of(evidence))
        there = diversify(moved, top_k, vectors_of(evidence))
        assert numbers_of(here) == numbers_of(there)


@given(lists(), TOP_K, st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(
    evidence: list[Evidence], top_k: int, random: object
) -> None:
    shuffled = list(evidence)
    random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis hides its type
    for diversify in strategies(0.15):
        vectors = vectors_of(evidence)
        assert diversify(evidence, top_k, vectors) == diversify(shuffled, top_k, vectors)


@given(lists(), TOP_K)
def test_without_a_margin_only_the_order_of_equals_changes(
    evidence: list[Evidence], top_k: int
) -> None:
    scores = [each.score for each in evidence[:top_k]]
    for diversify in strategies(0.0):
        arranged = diversify(evidence, top_k, vectors_of(evidence))
        assert [before.score for before in arranged] == pytest.approx(scores)


@given(lists(), TOP_K, st.integers(1, 4))
def test_an_infinite_margin_gives_the_turns_of_the_seed(
    evidence: list[Evidence], top_k: int, min_per_document: int
) -> None:
    """The seed's rounds, as its pseudo-code has them."""
    by_document: dict[object, list[int]] = {}
    for each in evidence:
        by_document.setdefault(each.passage.document_id, []).append(each.passage.chunk_no)
    expected: list[int] = []
    turn = 0
    while len(expected) < top_k and by_document:
        for document, numbers in list(by_document.items()):
            if turn < len(numbers):
                expected.append(numbers[turn])
                if len(expected) >= top_k:
                    break
            elif turn >= min_per_document:
                del by_document[document]
        turn += 1
    diversify = RoundRobin(min_per_document=min_per_document, margin=math.inf)
    assert numbers_of(diversify(evidence, top_k, {})) == expected


def seed_example() -> list[Evidence]:
    documents = {1: 0, 3: 0, 5: 0, 7: 0, 2: 1, 4: 1, 6: 2}
    return [
        evidence_of(
            passage_of("", number=chunk, document=documents[chunk]),
            rank=chunk,
            score=1 / (60 + chunk),
        )
        for chunk in range(1, 8)
    ]


def test_the_worked_example_of_the_seed() -> None:
    diversify = RoundRobin(min_per_document=2, margin=math.inf)
    assert numbers_of(diversify(seed_example(), 6, {})) == [1, 2, 6, 3, 4, 5]


def test_how_far_the_worked_example_goes_depends_on_the_margin() -> None:
    assert numbers_of(RoundRobin()(seed_example(), 6, {})) == [1, 2, 3, 4, 5, 6]
    arranged = RoundRobin(margin=0.5)(seed_example(), 6, {})
    assert numbers_of(arranged) == [1, 2, 6, 3, 4, 5]
    assert [each.explanation[-1].detail["document_turn"] for each in arranged] == [1, 1, 1, 2, 2, 3]


def test_a_document_that_has_its_minimum_claims_less() -> None:
    scores = [1.0, 0.99, 0.98, 0.97, 0.96, 0.88, 0.0, 0.0]
    evidence = candidates(scores, [0, 0, 0, 0, 0, 1, 1, 1])
    arranged = RoundRobin(min_per_document=1, margin=0.125)(evidence, 4, {})
    assert numbers_of(arranged) == [0, 5, 1, 2]
    # The other document's second passage may pass by half of the margin only.
    scores[6] = 0.88
    evidence = candidates(scores, [0, 0, 0, 0, 0, 1, 1, 1])
    for minimum, expected in ((1, [0, 5, 1, 2, 3]), (2, [0, 5, 1, 6, 2])):
        arranged = RoundRobin(min_per_document=minimum, margin=0.125)(evidence, 5, {})
        assert numbers_of(arranged) == expected


@pytest.mark.parametrize("scale", [1 / 60, 1.0, -8.0], ids=["rrf", "cosine", "logit"])
def test_a_runaway_best_keeps_its_place_on_every_scale(scale: float) -> None:
    scores = [10 + abs(scale), 10 + 0.1 * abs(scale), 10.0]
    shift = -20.0 if scale < 0 else 0.0
    evidence = candidates([score + shift for score in scores], [0, 0, 1])
    assert numbers_of(RoundRobin()(evidence, 3, {}))[0] == 0
    same = {number: np.array([1.0, 0.0], dtype=np.float32) for number in range(3)}
    assert numbers_of(MaximalMarginalRelevance(diversity=0.9)(evidence, 3, same))[0] == 0


def naive_mmr(
    evidence: Sequence[Evidence], top_k: int, vectors: Mapping[int, Vector], diversity: float
) -> list[int]:
    """Carbonell and Goldstein's greedy choice, pair by pair."""
    near = [each.score for each in evidence[: 2 * top_k]]
    spread = near[0] - near[-1] if near else 0.0
    left, taken = list(evidence), list[Evidence]()

    def similarity(one: Evidence, other: Evidence) -> float:
        pair = [vectors.get(each.passage.chunk_no) for each in (one, other)]
        return 0.0 if any(each is None for each in pair) else max(0.0, float(pair[0] @ pair[1]))  # type: ignore[operator]  # neither is None

    def marginal(each: Evidence) -> float:
        relevance = (each.score - near[-1]) / spread if spread else 0.0
        redundancy = max((similarity(each, other) for other in taken), default=0.0)
        return (1 - diversity) * relevance - diversity * redundancy

    while left and len(taken) < top_k:
        best = max(left, key=marginal)
        taken.append(best)
        left.remove(best)
    return numbers_of(taken)


@settings(deadline=None)
@given(
    lists(st.integers(0, 40).map(float)),
    TOP_K,
    st.sampled_from([0.0, 0.25, 0.5, 0.75]),
    st.integers(0, 9),
)
def test_an_infinite_margin_gives_maximal_marginal_relevance_as_published(
    evidence: list[Evidence], top_k: int, diversity: float, seed: int
) -> None:
    vectors = vectors_of(evidence, seed)
    arranged = MaximalMarginalRelevance(diversity=diversity, margin=math.inf)(
        evidence, top_k, vectors
    )
    assert numbers_of(arranged) == naive_mmr(evidence, top_k, vectors, diversity)


def test_of_two_that_are_as_good_the_unlike_comes_next() -> None:
    evidence = candidates([1.0, 0.95, 0.94, 0.0], [0, 1, 2, 3])
    axes = np.eye(3, dtype=np.float32)
    vectors = {0: axes[0], 1: axes[0], 2: axes[1], 3: axes[2]}
    arranged = MaximalMarginalRelevance()(evidence, 3, vectors)
    assert numbers_of(arranged) == [0, 2, 1]
    detail = arranged[2].explanation[-1].detail
    assert detail["redundancy"] == 1.0
    assert detail["penalty"] == pytest.approx(0.01)


def test_what_has_no_vector_resembles_nothing() -> None:
    evidence = candidates([1.0, 0.95, 0.94, 0.0], [0, 1, 2, 3])
    axis = np.array([1.0, 0.0], dtype=np.float32)
    arranged = MaximalMarginalRelevance()(evidence, 3, {0: axis, 1: axis, 3: axis})
    assert numbers_of(arranged) == [0, 2, 1]
    assert numbers_of(MaximalMarginalRelevance()(evidence, 3, {})) == [0, 1, 2]


@pytest.mark.parametrize("name", ["round_robin", "mmr", "none"])
def test_a_strategy_is_found_under_the_name_it_gives_itself(name: str) -> None:
    strategy = diversity_by_name(name, min_per_document=2, diversity=0.3, margin=0.15)
    assert strategy.name == name
    assert strategy([], 5, {}) == ()
    assert strategy.needs_vectors == (name == "mmr")


def test_without_diversity_the_best_are_taken_without_a_word() -> None:
    evidence = candidates([3.0, 2.0, 1.0], [0, 0, 1])
    assert NoDiversity()(evidence, 2, {}) == tuple(evidence[:2])
