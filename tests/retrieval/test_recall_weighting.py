"""How far the dense recall is trusted follows from what is known and observed of a query."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import Hit, Lane
from footnote.retrieval.recall_weighting import (
    NATIVE,
    OTHER_SCRIPT,
    SAME_SCRIPT,
    Signals,
    TrustModel,
    language_support,
    observe,
    script_of,
)

ENGLISH = Lane(
    name="document", provider="p", model="m", dimensions=2, revision="1", languages=("en",)
)
ANY = replace(ENGLISH, languages=())


@pytest.mark.parametrize(
    ("query", "language", "lane", "expected"),
    [
        ("storm damage", "en", ENGLISH, NATIVE),
        ("Sturmschaden", "de", ENGLISH, SAME_SCRIPT),
        ("风暴损失", "zh", ENGLISH, OTHER_SCRIPT),
        ("ущерб от бури", "ru", ENGLISH, OTHER_SCRIPT),
        ("Sturmschaden", None, ENGLISH, NATIVE),
        ("风暴损失", None, ENGLISH, OTHER_SCRIPT),
        ("POL-88213", "de", ENGLISH, OTHER_SCRIPT),
        ("风暴损失", "zh", ANY, NATIVE),
        ("風害の補償はいくらですか", "ja", replace(ENGLISH, languages=("ja",)), NATIVE),
        ("バッテリー", "zh", replace(ENGLISH, languages=("ja",)), SAME_SCRIPT),
    ],
)
def test_language_support_is_what_the_lane_declares(
    query: str, language: str | None, lane: Lane, expected: int
) -> None:
    assert language_support(query, language, lane) == expected


@pytest.mark.parametrize(
    ("text", "script"),
    [("", "LATIN"), ("123", "LATIN"), ("été", "LATIN"), ("Δοκιμή", "GREEK"), ("ひと漢", "CJK")],
)
def test_the_script_is_that_of_most_letters(text: str, script: str) -> None:
    assert script_of(text) == script


signals = st.builds(
    Signals,
    language_support=st.sampled_from([OTHER_SCRIPT, SAME_SCRIPT, NATIVE]),
    coverage=st.floats(0, 1),
    prominence=st.floats(0, 1),
)


@given(signals)
def test_trust_is_a_share(observed: Signals) -> None:
    assert 0 < TrustModel()(observed) < 1


@given(signals)
def test_trust_falls_as_the_words_say_more(observed: Signals) -> None:
    certain = replace(observed, coverage=1.0, prominence=1.0)
    assert TrustModel()(certain) <= TrustModel()(observed)


@given(signals)
def test_trust_rises_with_language_support(observed: Signals) -> None:
    trusts = [
        TrustModel()(replace(observed, language_support=each))
        for each in (OTHER_SCRIPT, SAME_SCRIPT, NATIVE)
    ]
    assert trusts == sorted(trusts)


def observed_of(scores: list[float], matched: dict[str, float], rare: dict[str, float]) -> Signals:
    return observe(
        query="q",
        language="en",
        lane=ENGLISH,
        words=tuple(frozenset({term}) for term in rare),
        lexical=tuple(Hit(chunk_no=n, score=score) for n, score in enumerate(scores)),
        matched_terms={0: matched},
        idf=rare,
    )


def test_coverage_is_the_share_of_rarity_that_the_best_hit_holds() -> None:
    found = observed_of([3.0], {"storm": 3.0}, {"storm": 3.0, "deductible": 1.0})
    assert found.coverage == pytest.approx(0.75)


def test_a_word_sought_in_two_languages_is_held_by_one_of_its_stems() -> None:
    found = observe(
        query="q",
        language="en",
        lane=ENGLISH,
        words=(frozenset({"hall", "halle"}), frozenset({"storm"})),
        lexical=(Hit(chunk_no=0, score=3.0),),
        matched_terms={0: {"hall": 3.0}},
        idf={"hall": 2.0, "halle": 5.0, "storm": 2.0},
    )
    assert found.coverage == pytest.approx(0.5)


def test_prominence_is_the_fall_to_the_tenth() -> None:
    assert observed_of([4.0] * 20, {}, {}).prominence == 0.0
    assert observed_of([4.0, *[1.0] * 9], {}, {}).prominence == pytest.approx(0.75)
    assert observed_of([4.0], {}, {}).prominence == 1.0
    assert observed_of([], {}, {}).prominence == 0.0


@pytest.mark.parametrize("query", ["2.3.1", "POL-88213-X", "zephyr.example", "+49 30 1234567?"])
def test_no_lane_reads_identifiers(query: str) -> None:
    assert language_support(query, None, ENGLISH) == OTHER_SCRIPT
    assert language_support(f"{query} premium", None, ENGLISH) == NATIVE
