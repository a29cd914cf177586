"""A text is the same statements however it arrives, and keeps its shape."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.answering.layout import LONGEST_STATEMENT, Kind, Layout, Unit
from footnote.answering.markers import read_markers

from .hostile import outputs

REPORT = """\
I found this.

## Costs
The rent is CHF 2,500 [1]. The deposit, e.g. three
months, is CHF 7,500.[1][2] Dr. Smith agreed. [3, 4]
- First item [1]
  - nested. With a second sentence [2].

| City | Rent |
|---|---|
| Basel | 900 [1] |
| Bern | 800 |
Due on 30. Juni 2024. 中文句子。[2]下一句。
"""


def read(pieces: list[str]) -> list[Unit]:
    layout = Layout()
    units = [unit for piece in pieces for unit in layout.feed(piece)]
    return units + layout.finish()


def cut(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted(place % (len(text) + 1) for place in places), len(text)]
    return [text[first:last] for first, last in pairwise(edges)]


def test_sentences_items_and_rows_are_told_apart() -> None:
    assert [(unit.kind, unit.gap, unit.sign + unit.body) for unit in read([REPORT])] == [
        (Kind.TEXT, " ", "I found this."),
        (Kind.HEADING, "\n\n", "## Costs"),
        (Kind.TEXT, "\n", "The rent is CHF 2,500 [1]."),
        (Kind.TEXT, " ", "The deposit, e.g. three\nmonths, is CHF 7,500.[1][2]"),
        (Kind.TEXT, " ", "Dr. Smith agreed. [3, 4]"),
        (Kind.ITEM, "\n", "- First item [1]"),
        (Kind.ITEM, "\n  ", "- nested."),
        (Kind.TEXT, " ", "With a second sentence [2]."),
        (Kind.TABLE_HEAD, "\n\n", "| City | Rent |"),
        (Kind.ROW, "\n", "| Basel | 900 [1] |"),
        (Kind.ROW, "\n", "| Bern | 800 |"),
        (Kind.TEXT, "\n\n", "Due on 30. Juni 2024."),
        (Kind.TEXT, " ", "中文句子。[2]"),
        (Kind.TEXT, " ", "下一句。"),
    ]


@settings(max_examples=60, deadline=None)
@given(st.one_of(outputs, st.just(REPORT)), st.lists(st.integers(0, 10_000), max_size=12))
def test_how_a_text_is_cut_changes_nothing(text: str, places: list[int]) -> None:
    assert read(cut(text, places)) == read([text])


def test_a_text_without_an_end_is_cut_between_words() -> None:
    units = read(["word " * 2_000])
    assert len(units) > 1
    assert all(len(unit.body) <= LONGEST_STATEMENT for unit in units)
    assert " ".join(unit.body for unit in units) == ("word " * 2_000).strip()


def test_a_statement_comes_as_soon_as_the_next_one_begins() -> None:
    layout = Layout()
    assert layout.feed("The rent is CHF 900. [") == []
    assert layout.feed("2] The") == []
    assert [unit.body for unit in layout.feed(" d")] == ["The rent is CHF 900. [2]"]


@pytest.mark.parametrize(
    ("text", "bodies"),
    [
        ("The rent is due. [1]\n\n", ["The rent is due. [1]"]),
        ("- The rent [1]\n- T", ["The rent [1]"]),
        ("租金是每月。[1]押", ["租金是每月。[1]"]),
        ("| a [1] |\n| b", ["| a [1] |"]),
        ("The rent is due. [1] [", []),
        ("The rent of approx. ", []),
        ("The rent is due. [1]\n***", []),
        ("See Art.\n1", []),
    ],
)
def test_a_statement_comes_once_nothing_can_change_it(text: str, bodies: list[str]) -> None:
    assert [unit.body for unit in Layout().feed(text)] == bodies


@pytest.mark.parametrize(
    ("text", "bodies"),
    [
        ("Report it in 14 days. [1]\n\nTheft must ", ["Report it in 14 days. [1]"]),
        ("Report it in 14 days. [1] And furth", ["Report it in 14 days. [1]"]),
        ("Report it in 14 days. [1] Th", ["Report it in 14 days. [1]"]),
        ("Report it in 14 days. [1]", ["Report it in 14 days. [1]"]),
        ("Report it in 14 days. [1] [", ["Report it in 14 days. [1]"]),
        ("Report it in 14 days [1]. ", ["Report it in 14 days [1]."]),
        ("- Report it [1]\n- The", ["Report it [1]"]),
        ("| a [1] |\n| b", ["| a [1] |"]),
        ("Report it in 14 days [1] un", []),
        ("Report it in 14 days. [", []),
        ("Report it in 14 days. [1", []),
        ("Report it in approx. ", []),
        ("It costs CHF 2.", []),
        ("See [the form](https://forms.exa", []),
    ],
)
def test_of_a_text_that_breaks_off_what_is_whole_stays(text: str, bodies: list[str]) -> None:
    layout = Layout()
    units = [*layout.feed(text), *layout.break_off()]
    assert [unit.body for unit in units] == bodies


@settings(max_examples=60, deadline=None)
@given(st.one_of(outputs, st.just(REPORT)), st.lists(st.integers(0, 10_000), max_size=12))
def test_how_a_text_that_breaks_off_was_cut_changes_nothing(text: str, places: list[int]) -> None:
    found = []
    for pieces in ([text], cut(text, places)):
        layout = Layout()
        units = [unit for piece in pieces for unit in layout.feed(piece)]
        found.append(units + layout.break_off())
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("sentence", "words", "numbers"),
    [
        ("The rent is 900 [1].", "The rent is 900.", [(1,)]),
        ("It rose [1][2], then fell [3].", "It rose, then fell.", [(1, 2), (3,)]),
        ("[4] Opens it.", "Opens it.", [(4,)]),
        ("As said [Sources 1, 3 and 5].", "As said.", [(1, 3, 5)]),
        ("From [2-4]", "From", [(2, 3, 4)]),
        ("OpenAI's 【3†L1-L5】 way [^2]", "OpenAI's way", [(3,), (2,)]),
        ("In [2024] and [a]", "In and [a]", [(2024,)]),
        ("[9-1]", "", [(9, 1)]),
    ],
)
def test_markers_are_read_in_the_spellings_of_models(
    sentence: str, words: str, numbers: list[tuple[int, ...]]
) -> None:
    read_words, marked = read_markers(sentence)
    assert read_words == words
    assert [each.numbers for each in marked] == numbers
