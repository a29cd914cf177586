"""Phrases match literally, and their terms never rule out a text that holds them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.index.analysis import TextAnalyzer
from footnote.index.phrases import folded_text, read_phrase
from footnote.index.stemming import SNOWBALL, without_accents
from footnote.index.tokens import folded

ANALYZER = TextAnalyzer()


def holds(text: str, phrase: str) -> bool:
    found = read_phrase(phrase)
    assert found is not None
    return found.occurs_in(folded_text(text))


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("notice period", "The NOTICE  period, however"),
        ("notice period", "notice-period"),
        ("Kündigung der Police", "die kundigung der POLICE"),
        ("to be or not", "To be, or not to be"),
        ("POL-88213-X", "see POL 88213 X."),
        ("POL-88213-X", "see POL88213X."),
        ("pol 88213 x", "POL-88213/X"),
        ("ISO 27001", "ISO27001:2022"),
        ("v2.3", "since v2.3.1"),
        ("1'240.50", "CHF 1,240.50"),
        ("保险合同", "这份保险 合同是"),
        ("猫", "小猫咪"),
        ("ภาษา", "ภาษาไทย"),
        ("e-mail", "by e mail"),
        ("don’t", "I don't know"),
        ("naïve Ærø", "NAIVE AERO"),
        ("İstanbul", "istanbul"),
    ],
)
def test_a_phrase_is_found_whatever_its_case_accents_and_punctuation(
    phrase: str, text: str
) -> None:
    assert holds(text, phrase)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("notice period", "period of notice"),
        ("notice period", "notice periods"),
        ("notice", "noticed"),
        ("the rapist", "therapist"),
        ("88", "188"),
        ("12", "1 2"),
        ("电脑", "电的脑"),
        ("किताब", "किताबें"),
        ("мой", "мои"),
    ],
)
def test_a_phrase_is_literal(phrase: str, text: str) -> None:
    assert not holds(text, phrase)


@pytest.mark.parametrize("text", ["", " ", "…", "—", "_"])
def test_what_has_no_letter_and_no_digit_is_no_phrase(text: str) -> None:
    assert read_phrase(text) is None


@pytest.mark.parametrize(
    ("text", "stems"),
    [("drafts", ("draft",)), ("the", ()), ("two words", ()), ("mp3", ()), ("保险", ())],
)
def test_one_plain_word_has_a_stem(text: str, stems: tuple[str, ...]) -> None:
    phrase = read_phrase(text)
    assert phrase is not None
    assert phrase.stems("en") == stems


_TOKENS = st.text(st.sampled_from("aB3é2.-/'@_&,:保险ภ้йx"), min_size=1, max_size=8)


@given(
    st.lists(_TOKENS, max_size=3),
    st.lists(_TOKENS, min_size=1, max_size=3),
    st.lists(_TOKENS, max_size=3),
    st.sampled_from([*SNOWBALL, "zh", "th", "zz"]),
)
def test_a_text_that_contains_a_phrase_holds_what_the_phrase_requires(
    before: list[str], inside: list[str], after: list[str], language: str
) -> None:
    text, phrase = " ".join([*before, *inside, *after]), read_phrase(" ".join(inside))
    if phrase is None:
        return
    assert phrase.occurs_in(folded_text(text))
    held = set(ANALYZER.terms(text, language))
    for alternatives in phrase.requirements(language):
        assert any(held.issuperset(terms) for terms in alternatives)


@given(st.text(st.characters(max_codepoint=0x6FF), max_size=20))
def test_a_whole_text_folds_as_its_words_do(text: str) -> None:
    # A mark on nothing, or after a space, belongs to no word.
    words = " ".join(text.split())
    letters = "".join(mark for mark in words if mark.isalnum() or mark == " ")
    assert folded_text(letters) == without_accents(folded(letters))
