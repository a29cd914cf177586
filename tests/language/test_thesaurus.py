"""What the thesaurus promises."""

from __future__ import annotations

import pytest

from footnote.index.analysis import TextAnalyzer
from footnote.language.thesaurus import LANGUAGES, related_words
from footnote.retrieval.coverage import cross_language_terms

ANALYZER = TextAnalyzer()


def meanings(text: str, language: str) -> frozenset[int]:
    related = related_words(ANALYZER)
    return related.all_meanings(ANALYZER.terms(text, language), language)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("deposit", "en"), ("Kaution", "de")),
        (("deposit", "en"), ("dépôt de garantie", "fr")),
        (("pets", "en"), ("dogs", "en")),
        (("holiday", "en"), ("Urlaubstage", "de")),
        (("alquiler", "es"), ("affitto", "it")),
    ],
)
def test_words_that_mean_alike_meet(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert meanings(*one) & meanings(*other)


def test_words_that_do_not_mean_alike_stay_apart() -> None:
    assert not meanings("butter", "en") & meanings("Kaution", "de")


def test_a_language_without_a_column_has_no_meanings() -> None:
    assert related_words(ANALYZER).meanings(["huur"], "nl") == [frozenset()]


def test_a_question_is_taken_into_the_other_languages_of_the_documents() -> None:
    found = cross_language_terms("How high is the deposit?", ["en", "de"], ANALYZER)
    assert "kaution" in found
    assert "fianz" not in found
    assert cross_language_terms("How high is the deposit?", ["en"], ANALYZER) == []


def test_without_a_function_word_nothing_is_looked_up_in_other_languages() -> None:
    assert cross_language_terms("PEL-3-ICE", list(LANGUAGES), ANALYZER) == []
