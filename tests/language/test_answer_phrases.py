"""Each language has every phrase, with the same places to fill in, in words of its own."""

from __future__ import annotations

import re
from dataclasses import fields
from itertools import combinations

import pytest

from footnote.language.answer_phrases import ENGLISH, AnswerPhrases
from footnote.language.phrases_by_language import PHRASES
from footnote.language.scripts import HAN, KANA_LETTERS

NAMES = [each.name for each in fields(AnswerPhrases)]
OTHERS = sorted({*PHRASES} - {"en"})
OF_ALL_LANGUAGES = {"comma", "value", "noted"}
"""Which may be the same as in English, being punctuation."""
LETTERS = {
    "ru": "[\u0400-\u04ff]",
    "uk": "[\u0400-\u04ff]",
    "zh": f"[{HAN}]",
    "ja": f"[{HAN}{KANA_LETTERS}]",
}


def holes(phrase: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", phrase))


def words(phrase: str) -> str:
    return re.sub(r"\{\w+\}|\W", "", phrase)


def test_english_and_seventeen_further_languages_have_phrases() -> None:
    assert PHRASES["en"] is ENGLISH
    assert len(OTHERS) == 17


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", NAMES)
def test_a_phrase_keeps_what_is_filled_in(language: str, name: str) -> None:
    said, english = getattr(PHRASES[language], name), getattr(ENGLISH, name)
    assert holes(said) == holes(english)
    assert said.count("{") == said.count("}") == len(holes(said))
    assert "  " not in said
    assert said.strip() == said or name in {"and_more", "comma"}


@pytest.mark.parametrize("language", OTHERS)
def test_a_phrase_is_in_the_language_and_not_left_in_english(language: str) -> None:
    letters = LETTERS.get(language, r"[^\W\d_]")
    same = set()
    for name in NAMES:
        said = words(getattr(PHRASES[language], name))
        if name not in {*OF_ALL_LANGUAGES, "of_column"}:
            assert re.search(letters, said), name
        if said and said == words(getattr(ENGLISH, name)):
            same.add(name)
    # "Sum" is a Danish and a Norwegian word, too.
    assert same <= {"sum"}


@pytest.mark.parametrize(("one", "other"), [*combinations(sorted(PHRASES), 2)])
def test_no_two_languages_say_the_same(one: str, other: str) -> None:
    first, second = PHRASES[one], PHRASES[other]
    assert first.not_found != second.not_found
    same = [name for name in NAMES if getattr(first, name) == getattr(second, name)]
    # Danish and Norwegian have more in common than others, and yet are two.
    assert len({*same} - OF_ALL_LANGUAGES) <= len(NAMES) // 3, same


@pytest.mark.parametrize("language", sorted(PHRASES))
def test_what_is_filled_in_is_said_as_it_is(language: str) -> None:
    phrases = PHRASES[language]
    assert "{Preis}" in phrases.of_title(phrases.sum, "{Preis}")
    assert phrases.of_title(phrases.sum, "") == phrases.sum
    assert "1" in phrases.rows_of(1)
    assert "21" in phrases.rows_of(21)
    assert phrases.rows_of(21) != phrases.rows_of(1)
    assert phrases.listed(["A", "B", "C"], 3) == "A; B; C"
    assert phrases.listed(["A", "B", "C"], 2).startswith("A; B")
    assert "1" in phrases.listed(["A", "B", "C"], 2)
    assert phrases.joined("", "a", "") == "a"
    assert phrases.joined("a", "b") == f"a{phrases.comma}b"
