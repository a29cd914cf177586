"""Passages in other languages stand beside those that share words with the question."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import Hit, Lane, Plan
from footnote.retrieval.cross_lingual import (
    LANGUAGES,
    across_records,
    looks_across,
    with_other_languages,
)
from footnote.retrieval.fusion import Recalls, blend, rank_by_score
from footnote.retrieval.query import parse_query
from tests.retrieval.test_fusion import recalls, recalls_of

LANE = Lane(name="document", provider="p", model="m", dimensions=8, revision="1")
PLAN = Plan(name="balanced")
nearest = st.dictionaries(st.integers(0, 30), st.floats(-1, 1)).map(rank_by_score)


def test_what_shares_no_word_stands_behind_the_best_that_does() -> None:
    made = recalls_of({1: 0.5, 2: 0.45, 3: 0.4, 4: 0.3}, {1: 9.0, 2: 4.0})
    fused = blend(made, 0.5)
    assert [hit.chunk_no for hit in fused.ranking] == [1, 2, 3, 4]
    moved = with_other_languages(fused, made.dense, (Hit(chunk_no=4, score=0.3),))
    assert [hit.chunk_no for hit in moved.ranking] == [1, 2, 4, 3]


def test_names_that_it_shares_lift_it_further() -> None:
    made = recalls_of({1: 0.5, 4: 0.3}, {1: 9.0, 4: 8.0})
    fused = blend(made, 0.5)
    moved = with_other_languages(fused, made.dense, (Hit(chunk_no=4, score=0.3),))
    alone = with_other_languages(
        blend(recalls_of({1: 0.5, 4: 0.3}, {1: 9.0}), 0.5),
        made.dense,
        (Hit(chunk_no=4, score=0.3),),
    )
    assert moved.parts[4]["lexical"] > alone.parts[4]["lexical"] == 0
    assert moved.ranking[1].score > alone.ranking[1].score


@given(recalls, nearest)
def test_parts_add_up_and_nothing_is_lost_or_lowered(
    made: Recalls, across: tuple[Hit, ...]
) -> None:
    fused = blend(made, 0.5)
    moved = with_other_languages(fused, made.dense, across)
    before = {hit.chunk_no: hit.score for hit in fused.ranking}
    after = {hit.chunk_no: hit.score for hit in moved.ranking}
    assert before.keys() <= after.keys() <= before.keys() | {each.chunk_no for each in across}
    assert all(after[number] >= score for number, score in before.items())
    for number, score in after.items():
        assert sum(moved.parts[number].values()) == pytest.approx(score)


@given(recalls, nearest)
def test_the_others_keep_their_order(made: Recalls, across: tuple[Hit, ...]) -> None:
    fused = blend(made, 0.5)
    numbers = {each.chunk_no for each in across}
    moved = with_other_languages(fused, made.dense, across)
    kept = [hit for hit in moved.ranking if hit.chunk_no not in numbers]
    assert kept == [hit for hit in fused.ranking if hit.chunk_no not in numbers]


def test_nothing_in_another_language_changes_nothing() -> None:
    fused = blend(recalls_of({1: 0.9, 2: 0.8}, {}), 0.5)
    assert with_other_languages(fused, (), ()) is fused
    assert across_records(1, {}) == []


def test_they_are_looked_for_where_there_are_some_and_a_model_may_know_them() -> None:
    asked = parse_query("who prints the posters")
    assert looks_across(("en", "de"), PLAN, LANE, asked)
    assert not looks_across(("en",), PLAN, LANE, asked)
    assert not looks_across(("en", "de"), replace(PLAN, fusion="lexical_only"), LANE, asked)
    assert not looks_across(("en", "de"), PLAN, replace(LANE, languages=("en",)), asked)


@pytest.mark.parametrize("query", ['"the posters"', "posters -Kiel"])
def test_a_search_for_certain_words_is_left_alone(query: str) -> None:
    assert not looks_across(("en", "de"), PLAN, LANE, parse_query(query))


def test_the_record_says_where_it_stands_among_them() -> None:
    (record,) = across_records(7, {7: (2, 0.4)})
    assert (record.stage, record.rank_after, record.score_after) == (LANGUAGES, 2, 0.4)
