"""What a text claims exactly: figures, dates and names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from footnote.answering.exact_values import extract_values
from footnote.answering.names import names_of
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


def test_a_german_article_makes_no_name_of_its_noun() -> None:
    claims = extract_values("Die Kündigungsfrist beträgt drei Monate.", "de", TextAnalyzer())
    assert not [name for name in claims.names if name.sure]
    claims = extract_values("Anna Braun leitet den Verein.", "de", TextAnalyzer())
    assert "braun" in {name.word for name in claims.names if name.sure}


def test_function_words_and_numbers_at_the_beginning_are_no_names() -> None:
    claims = extract_values("The rent is due. Twenty tenants pay. In June.", "en", TextAnalyzer())
    assert claims.names == ()


@given(st.text(max_size=300), st.sampled_from(["en", "de", "es", "fr", "it", "zh", None]))
def test_any_text_can_be_read(text: str, language: str | None) -> None:
    claims = extract_values(text, language, TextAnalyzer())
    for figure in claims.figures:
        assert 0 <= figure.start < figure.end <= len(text)
        assert figure.values or figure.code
