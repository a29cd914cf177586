"""What a text claims: figures, dates, names, denials and opposites in six languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.answering.claims import read_claims
from footnote.answering.figures import agrees, figures_of
from footnote.answering.names import names_of
from footnote.answering.number_words import chinese_value, spelled_numbers
from footnote.answering.opposites import opposed, sides_in
from footnote.index.analysis import TextAnalyzer

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
    found = [value for _, _, value, _ in spelled_numbers(f"Es gibt {in_german(number)} Zimmer.")]
    assert found == [number]


@given(st.integers(1, 9_999))
def test_chinese_numerals_have_their_value(number: int) -> None:
    assert chinese_value(in_chinese(number)) == number


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
        ("quatre-vingt-dix-sept", "97"),
        ("treinta y uno", "31"),
        ("ventotto", "28"),
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


def test_names_are_the_words_with_capitals_within_a_sentence() -> None:
    names = names_of("We met Anna Braun's cousin of the National Football League in Basel.")
    assert [name.word for name in names if name.sure] == (
        "anna braun national football league basel".split()
    )
    assert {name.initials for name in names if name.word == "league"} == {"nfl"}


def test_a_single_german_noun_is_no_sure_name() -> None:
    names = names_of("Dort zahlt die Mieterin Anna Braun ihre Miete.", nouns_have_capitals=True)
    assert [name.word for name in names if name.sure] == ["mieterin", "anna", "braun"]


def test_function_words_and_numbers_at_the_beginning_are_no_names() -> None:
    claims = read_claims("The rent is due. Twenty tenants pay. In June.", "en", TextAnalyzer())
    assert claims.names == ()


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "at least three", "at most three"),
        ("en", "no more than three", "not less than three"),
        ("de", "mindestens drei", "höchstens drei"),
        ("es", "al menos tres", "como máximo tres"),
        ("fr", "au moins trois", "au plus trois"),
        ("it", "almeno tre", "al massimo tre"),
        ("zh", "至少三个", "最多三个"),
    ],
)
def test_limits_are_opposites(language: str, one: str, other: str) -> None:
    assert opposed(sides_in(one, language), sides_in(other, language)) == {"limits"}
    assert not opposed(sides_in(one, language), sides_in(one, language))


@pytest.mark.parametrize(
    ("language", "text", "count"),
    [
        ("en", "Floods are not covered.", 1),
        ("en", "Not only floods are covered.", 0),
        ("en", "No more than three floods are covered.", 0),
        ("en", "The tenant doesn't pay.", 1),
        ("de", "Schäden sind nicht gedeckt, keine Frist gilt.", 2),
        ("de", "Nicht nur Schäden sind gedeckt.", 0),
        ("es", "No cubre nunca las inundaciones, sin embargo paga.", 2),
        ("fr", "Elle ne couvre pas les inondations.", 1),
        ("it", "La polizza non copre mai le alluvioni.", 2),
        ("zh", "该保险不承保洪水，不仅如此。", 1),
    ],
)
def test_denials_are_found_and_their_look_alikes_are_not(
    language: str, text: str, count: int
) -> None:
    assert len(read_claims(text, language, TextAnalyzer()).denials) == count


@given(st.text(max_size=300), st.sampled_from(["en", "de", "es", "fr", "it", "zh", None]))
def test_any_text_can_be_read(text: str, language: str | None) -> None:
    claims = read_claims(text, language, TextAnalyzer())
    for figure in claims.figures:
        assert 0 <= figure.start < figure.end <= len(text)
        assert figure.values or figure.code
