"""Numbers have one value, however they are written; identifiers are compared as they are."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.language.figures import agrees, figures_of
from footnote.language.number_words import chinese_value, spelled_numbers

SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
KLEIN = (
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn "
    "sechzehn siebzehn achtzehn neunzehn"
).split()
ZEHNER = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()


def in_english(number: int) -> str:
    if number >= 1000:
        rest = f" {in_english(number % 1000)}" if number % 1000 else ""
        return f"{in_english(number // 1000)} thousand{rest}"
    if number >= 100:
        rest = f" and {in_english(number % 100)}" if number % 100 else ""
        return f"{SMALL[number // 100]} hundred{rest}"
    if number < 20:
        return SMALL[number]
    return TENS[number // 10 - 2] + (f"-{SMALL[number % 10]}" if number % 10 else "")


def in_german(number: int) -> str:
    if number >= 1000:
        return (
            f"{in_german(number // 1000)}tausend{in_german(number % 1000) if number % 1000 else ''}"
        )
    if number >= 100:
        return f"{KLEIN[number // 100]}hundert{in_german(number % 100) if number % 100 else ''}"
    if number < 20:
        return KLEIN[number]
    unit = f"{KLEIN[number % 10]}und" if number % 10 else ""
    return unit + ZEHNER[number // 10 - 2]


def in_chinese(number: int) -> str:
    digits = "零一二三四五六七八九"
    written = ""
    for scale, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // scale % 10
        if digit:
            written += digits[digit] + name
        elif written and not written.endswith("零") and number % scale:
            written += "零"
    return written


def values_of(text: str) -> list[float]:
    return [max(figure.values) for figure in figures_of(text) if figure.claims]


@given(st.integers(2, 999_999))
def test_english_number_words_have_their_value(number: int) -> None:
    found = [value for _, _, value, _ in spelled_numbers(f"There are {in_english(number)} rooms.")]
    assert found == [number]


@given(st.integers(2, 99_999))
def test_german_number_words_have_their_value(number: int) -> None:
    found = [
        value for _, _, value, _ in spelled_numbers(f"Es gibt {in_german(number)} Zimmer.", "de")
    ]
    assert found == [number]


@given(st.integers(1, 9_999))
def test_chinese_numerals_have_their_value(number: int) -> None:
    assert chinese_value(in_chinese(number)) == number


@pytest.mark.parametrize(
    ("language", "text", "values"),
    [
        ("en", "two hundred and five of three, two thousand million", [205, 3, 2_000_000_000]),
        ("en", "one of them, the second house, hundreds of them, once, none", []),
        ("en", "a hundred, twenty-one-year-old, thirty seconds", [100, 21, 30]),
        ("en", "a two-volume edition", [2]),
        ("de", "einundzwanzig, der dritte, dreissig, eine Million", [21, 3, 30, 1_000_000]),
        ("fr", "quatre-vingts, quatre-vingt-dix-sept, dix-sept, non, une fois", [80, 97, 17]),
        ("es", "treinta y uno, dos mil, la tercera", [31, 2000, 3]),
        ("it", "ventotto, duecento, ventitré, non", [28, 200, 23]),
        ("pt", "vinte e um, dois mil", [21, 2000]),
        ("nl", "eenentwintig, tweehonderd", [21, 200]),
        (None, "three", [3]),
        ("sv", "three", [3]),
    ],
)
def test_numbers_in_words_have_their_value(
    language: str | None, text: str, values: list[float]
) -> None:
    assert [value for _, _, value, sure in spelled_numbers(text, language) if sure] == values


@given(st.text(st.sampled_from("one two hundred and a zwei -.,o 三十 5\n"), max_size=60))
def test_numbers_in_words_do_not_overlap(text: str) -> None:
    spans = sorted((start, end) for start, end, _, _ in spelled_numbers(text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


@given(
    st.integers(1_000, 999_999_999), st.sampled_from([",", ".", "'", "’", "\u00a0", "\u202f", " "])
)
def test_a_number_is_the_same_with_any_separator(number: int, separator: str) -> None:
    grouped = f"{number:,}".replace(",", separator)
    [one], [other] = figures_of(f"It is {grouped} now"), figures_of(f"It is {number} now")
    assert agrees(one, other)
    assert agrees(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.2k", "1,200"),
        ("3 Mio. Euro", "3.000.000 EUR"),
        ("7 mil millones", "7.000.000.000"),
        ("1.3亿", "130000000"),
        ("5 per cent", "5 %"),
        ("百分之五", "5%"),
        ("the third", "3rd"),
        ("1990s", "1990er"),
        ("2015–16", "2015–2016"),
        ("6½", "6.5"),
    ],
)
def test_figures_agree(one: str, other: str) -> None:
    claimed = [figure for figure in figures_of(one) if figure.claims]
    assert claimed
    for figure in claimed:
        assert any(agrees(figure, each) for each in figures_of(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1,200 EUR", "1,200 USD"),
        ("5 %", "5 EUR"),
        ("13,008", "about 13,000"),
        ("POL-2024/88-A", "POL-2024/88-B"),
        ("1.2 million", "1,340,000"),
        ("10.0.0.1", "10.0.0.2"),
    ],
)
def test_figures_disagree(one: str, other: str) -> None:
    [claimed], [held] = figures_of(one), figures_of(other)
    assert not agrees(claimed, held)


def test_a_rough_number_agrees_with_an_exact_one_but_not_the_other_way() -> None:
    [rough], [exact] = figures_of("about 1,200"), figures_of("1,213")
    assert agrees(rough, exact)
    [claimed], [vague] = figures_of("1,213"), figures_of("about 1,200")
    assert not agrees(claimed, vague)


def test_articles_and_manners_claim_no_number() -> None:
    assert values_of("A tenant of both houses, einer von uns, un piso, une fois, 一个人") == []
