"""What the marks in a query mean, and when they mean nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.errors import InvalidRequest
from footnote.retrieval.query import MAX_PARTS, parse_query, plain_query, query_parts


@pytest.mark.parametrize(
    ("query", "text", "phrases"),
    [
        ('"notice period" of leases', "notice period of leases", ("notice period",)),
        ("“notice period”", "notice period", ("notice period",)),
        ("die „Frist“ und „noch eine”", "die Frist und noch eine", ("Frist", "noch eine")),
        (
            "la «clause finale» ou »la fin«",
            "la clause finale ou la fin",
            ("clause finale", "la fin"),
        ),
        ("「保険」と『契約』", "保険 と 契約", ("保険", "契約")),
        ('什么是"保险合同"的', "什么是 保险合同 的", ("保险合同",)),
        ('a ("b c") d', "a ( b c ) d", ("b c",)),
        ('"a b" "a b"', "a b a b", ("a b",)),
    ],
)
def test_quotes_make_phrases(query: str, text: str, phrases: tuple[str, ...]) -> None:
    parsed = parse_query(query)
    assert (parsed.text, parsed.phrases, parsed.excluded) == (text, phrases, ())


@pytest.mark.parametrize(
    ("query", "text", "excluded"),
    [
        ("contract -draft", "contract", ("draft",)),
        ("-draft, contract", ", contract", ("draft",)),
        ('contract -"first draft"', "contract", ("first draft",)),
        ("contract -„erster Entwurf“", "contract", ("erster Entwurf",)),
        ("policy -POL-88213-X", "policy", ("POL-88213-X",)),
        ("tape -3M", "tape", ("3M",)),
        ("北京 -上海", "北京", ("上海",)),
        ("a -b -c -b", "a", ("b", "c")),
        ("-3 degrees -draft", "-3 degrees", ("draft",)),
    ],
)
def test_a_hyphen_before_a_word_excludes(query: str, text: str, excluded: tuple[str, ...]) -> None:
    parsed = parse_query(query)
    assert (parsed.text, parsed.phrases, parsed.excluded) == (text, (), excluded)


@pytest.mark.parametrize(
    "query",
    [
        "POL-88213-X and e-mail",
        "- bullet",
        "temperature below -5 or -1,240.00 or -5% or -2024-06",
        'a 5" pipe and a 6" pipe',
        '"unbalanced',
        "unbalanced”",
        "„unbalanced",
        'nothing "" at all',
        '"…" dots',
        "--option x -- y",
        'end -"',
        "it's 'quoted' singly",
        "−5 and –dash",
        "",
    ],
)
def test_what_cannot_be_meant_as_a_mark_is_plain_text(query: str) -> None:
    parsed = parse_query(query)
    assert (parsed.text, parsed.phrases, parsed.excluded) == (query, (), ())


@pytest.mark.parametrize("query", ["-draft", '-"first draft" -x', "-draft ?", '-draft ""'])
def test_a_query_of_exclusions_alone_is_refused(query: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse_query(query)
    assert refused.value.hint == "say also what to look for"


def test_too_many_parts_are_refused() -> None:
    parse_query("x " + " ".join(f'"a{number}"' for number in range(MAX_PARTS)))
    with pytest.raises(InvalidRequest, match="33 phrases"):
        parse_query("x " + " ".join(f'"a{number}"' for number in range(MAX_PARTS + 1)))


@given(st.text(st.sampled_from('ab5 -"“”„«».,保')))
def test_the_parts_of_a_query_are_in_order_and_lose_no_word(query: str) -> None:
    parts = query_parts(query)
    ends = [0, *(part.end for part in parts)]
    assert all(start <= part.start for start, part in zip(ends, parts, strict=False))
    left = [character for part in parts for character in part.text if character.isalnum()]
    assert left == [character for character in query if character.isalnum()]
    assert all(query[part.start : part.end].count(part.text) for part in parts)


@given(st.text(st.characters(blacklist_characters='-"“„‟«»「『＂')))
def test_a_query_without_marks_is_left_alone(query: str) -> None:
    assert parse_query(query).text == query


def test_a_hostile_query_costs_little() -> None:
    # Each of these quotes opens and none closes.
    assert parse_query(' "a' * 3000).phrases == ()
    assert parse_query("„" * 10_000).phrases == ()


@given(st.text(st.sampled_from('ab5 -"“”„«».,保\n')))
def test_a_statement_becomes_a_query_without_phrases_and_exclusions(statement: str) -> None:
    query = plain_query(statement)
    parsed = parse_query(query)
    assert (parsed.phrases, parsed.excluded) == ((), ())
    assert [each for each in query if each.isalnum()] == [
        each for each in statement if each.isalnum()
    ]
