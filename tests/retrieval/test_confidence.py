"""Confidence is a probability that rises with what the evidence shares with the question."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import Hit
from footnote.ports import Recalled
from footnote.retrieval.confidence import (
    Observed,
    confidence,
    observe_recall,
)
from footnote.retrieval.coverage import query_words
from footnote.retrieval.recall_weighting import NATIVE, OTHER_SCRIPT, SAME_SCRIPT

from .list_index import ANALYZER

SHARES = st.floats(0.0, 1.0)
OBSERVED = st.builds(Observed, coverage=SHARES, similarity=st.floats(-1.0, 1.0))


def ranking(*scores: float) -> tuple[Hit, ...]:
    return tuple(Hit(chunk_no=number, score=score) for number, score in enumerate(scores))


RECALLED = Recalled(
    dense=ranking(0.7, 0.6, *[0.4] * 8),
    lexical=ranking(8.0, 6.0, *[2.0] * 8),
    matched_terms={0: {"notic": 5.0, "period": 3.0}, 1: {"period": 3.0, "leas": 3.0}},
    similarities={0: 0.7, 1: 0.6},
    idf={"notic": 2.0, "noticia": 9.0, "period": 1.0, "leas": 1.0, "rhubarb": 4.0, "a1": 9.0},
    languages=("en",),
)


def sought(text: str, recalled: Recalled) -> tuple[frozenset[str], ...]:
    return query_words(text, recalled.idf, recalled.languages, ANALYZER)


@given(OBSERVED, st.sampled_from([NATIVE, SAME_SCRIPT, OTHER_SCRIPT]), st.booleans())
def test_confidence_is_a_probability(observed: Observed, support: int, has_vectors: bool) -> None:
    assert 0.0 <= confidence(observed, language_support=support, has_vectors=has_vectors) <= 1.0


@given(OBSERVED, st.sampled_from([NATIVE, OTHER_SCRIPT]), st.booleans())
def test_more_of_the_question_never_lowers_it(
    observed: Observed, support: int, has_vectors: bool
) -> None:
    better = replace(observed, coverage=1.0, similarity=1.0)
    assert confidence(better, language_support=support, has_vectors=has_vectors) >= confidence(
        observed, language_support=support, has_vectors=has_vectors
    )


def test_nothing_found_is_nothing_to_trust() -> None:
    nothing = observe_recall((), Recalled(), ())
    assert nothing == Observed(coverage=0.0, similarity=0.0)
    for support in (NATIVE, SAME_SCRIPT, OTHER_SCRIPT):
        for has_vectors in (True, False):
            assert confidence(nothing, language_support=support, has_vectors=has_vectors) < 0.1


def test_words_count_once_whatever_languages_they_were_sought_in() -> None:
    words = sought("the notice period, lease of period", RECALLED)
    assert words == (frozenset({"notic"}), frozenset({"period"}), frozenset({"leas"}))


def test_a_word_is_weighed_by_its_commonest_term() -> None:
    words = (frozenset({"notic", "noticia"}), frozenset({"period"}), frozenset({"rhubarb"}))
    observed = observe_recall(words, RECALLED, ranking(0.9, 0.8))
    assert observed.coverage == pytest.approx(3.0 / 7.0)


def test_what_is_observed_is_of_the_leading_chunks() -> None:
    words = tuple(frozenset({term}) for term in ("notic", "period", "leas", "rhubarb"))
    observed = observe_recall(words, RECALLED, ranking(0.9, 0.8))
    assert observed.coverage == pytest.approx(3.0 / 8.0)
    assert observed.similarity == pytest.approx(0.7)


def test_pairs_of_characters_and_parts_of_identifiers_are_words_too() -> None:
    recalled = replace(
        RECALLED, idf={"保险": 1.0, "险合": 1.0, "pol": 1.0, "88213": 2.0, "pol88213": 2.0}
    )
    assert len(sought("保险合", recalled)) == 2
    assert len(sought("POL-88213", recalled)) == 3
