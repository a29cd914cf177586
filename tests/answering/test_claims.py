"""What a text claims: figures, dates, names, denials and opposites in six languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.answering.claims import read_claims
from footnote.answering.names import names_of
from footnote.answering.opposites import opposed, sides_in
from footnote.index.analysis import TextAnalyzer


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
