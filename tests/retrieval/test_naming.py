"""Passages of documents that the question names come before the same of others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from footnote.ports import Recalled
from footnote.retrieval.fusion import Recalls, ReciprocalRankFusion, blend
from footnote.retrieval.naming import (
    NAMES,
    favour_named,
    name_records,
    naming_in_words,
    naming_words,
    score_factor,
)
from tests.retrieval.test_fusion import recalls, recalls_of


def test_of_two_that_say_the_same_the_one_of_the_named_document_is_first() -> None:
    fused = ReciprocalRankFusion()(recalls_of({1: 0.9, 2: 0.89}, {1: 3.0, 2: 2.9}))
    assert [hit.chunk_no for hit in fused.ranking] == [1, 2]
    moved = favour_named(fused, {1: 2.0, 2: 0.0})
    assert [hit.chunk_no for hit in moved.ranking] == [2, 1]


@given(recalls, st.dictionaries(st.integers(0, 30), st.floats(0, 20)))
def test_the_parts_of_a_score_still_add_up(made: Recalls, lacks: dict[int, float]) -> None:
    fused = blend(made, 0.5)
    moved = favour_named(fused, lacks)
    assert {hit.chunk_no for hit in moved.ranking} == {hit.chunk_no for hit in fused.ranking}
    for hit in moved.ranking:
        assert abs(hit.score - sum(moved.parts[hit.chunk_no].values())) < 1e-9


def test_a_question_that_names_nothing_changes_nothing() -> None:
    fused = blend(recalls_of({1: 0.9, 2: 0.8}, {}), 0.5)
    assert favour_named(fused, {}) is fused
    assert name_records(1, Recalled().name_score_gaps) == []


def test_nothing_is_lost_whatever_it_lacks() -> None:
    assert score_factor(0.0) == 1.0
    assert score_factor(1.0) < 1.0
    assert score_factor(1000.0) == score_factor(4.0) > 0.5


def test_only_names_numbers_and_codes_can_name_a_document() -> None:
    asked = "What was the gross margin of NVIDIA in Q3 2022, as told in its 10-Q?"
    assert naming_words(asked) == "What NVIDIA Q3 2022, 10-Q?"
    assert naming_words("how high is the excess of the travel policy") == ""


def test_the_record_says_that_the_document_is_named() -> None:
    (best,) = name_records(1, {1: 0.0, 2: 1.5})
    (other,) = name_records(2, {1: 0.0, 2: 1.5})
    assert (best.stage, best.rank_after, other.rank_after) == (NAMES, 1, 2)
    assert naming_in_words(best) == "in a document that the question names"
    assert naming_in_words(other) == ""
