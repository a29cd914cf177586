from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.domain import BlockKind
from footnote.ingestion.parsing.columns import in_reading_order
from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.footnotes import placed
from footnote.ingestion.parsing.furniture import Furniture
from footnote.ingestion.parsing.geometry import Box, Line, PageItem, Word, line_of
from footnote.ingestion.parsing.hyphens import Vocabulary, join
from footnote.ingestion.parsing.layout import PageLayout, lay_out

HEIGHT = 842


def line(text: str, left: float, top: float, size: float = 10) -> Line:
    """Words of five points a letter, side by side."""
    words, x = [], left
    for word in text.split():
        words.append(Word(word, Box(x, top, x + 5 * len(word), top + size), size))
        x += 5 * len(word) + 4
    return line_of(words)


def words_of(items: Sequence[PageItem]) -> Counter[str]:
    return Counter(word.text for item in items for word in item.words)


WORDS = st.text("abcdefgh", min_size=1, max_size=9)
TEXTS = st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
LINES = st.builds(
    line, TEXTS, st.sampled_from([50.0, 60.0, 310.0]), st.integers(20, 800).map(float)
)
PAGES = st.lists(LINES, max_size=40)


@settings(deadline=None, max_examples=50)
@given(lines=PAGES)
def test_putting_lines_in_order_loses_no_word(lines: list[Line]) -> None:
    assert words_of(in_reading_order(lines)) == words_of(lines)


@settings(deadline=None, max_examples=60)
@given(lines=PAGES)
def test_putting_lines_in_order_twice_changes_no_column(lines: list[Line]) -> None:
    once = in_reading_order(lines)
    assert words_of(in_reading_order(once)) == words_of(once)


@settings(deadline=None, max_examples=60)
@given(pages=st.lists(PAGES, min_size=1, max_size=4))
def test_what_is_laid_out_or_remembered_is_all_there_was(pages: list[list[Line]]) -> None:
    layout = lay_out(
        PageLayout(number, HEIGHT, tuple(lines)) for number, lines in enumerate(pages, start=1)
    )
    kept = {word for draft in layout.drafts for word in draft.text.split()}
    kept |= set(layout.running_header.split()) | set(layout.running_footer.split())
    for lines in pages:
        # A line that recurs may be dropped beyond the three that are remembered.
        assert set(words_of(lines)) <= kept or len(pages) > 1


def test_all_there_is_on_a_page_is_no_header() -> None:
    furniture = Furniture()
    pages = [[line("The same words on each page", 60, 30)] for _ in range(4)]
    for number, lines in enumerate(pages):
        furniture.add(number, HEIGHT, lines)
    running = furniture.running(len(pages))
    assert furniture.without(HEIGHT, pages[0], running) == tuple(pages[0])


def test_a_first_line_close_to_the_text_is_no_header() -> None:
    furniture = Furniture()
    lines = [line("The same text on each page", 60, 30.0 + 12 * row) for row in range(20)]
    for number in range(4):
        furniture.add(number, HEIGHT, lines)
    assert furniture.running(4) == set()


@pytest.mark.parametrize(
    ("before", "after", "known", "joined"),
    [
        ("the regula-", "tions of", (), "the regulations of"),
        ("a well-", "known port", ("well-known",), "a well-known port"),
        ("a well-", "known port", ("wellknown",), "a wellknown port"),
        ("a long-", "term berth", ("long", "term"), "a long-term berth"),
        ("an in-", "put of", ("in", "put"), "an input of"),
        ("Anglo-", "Danish", (), "Anglo-Danish"),
        ("INFOR-", "MATION", (), "INFORMATION"),
        ("COVID-", "19 cases", (), "COVID-19 cases"),
        ("from 5 -", "7 boats", (), "from 5 - 7 boats"),
        ("soft\xad", "ened", (), "softened"),
        ("两行", "一段", (), "两行一段"),
        ("人々", "の声", (), "人々の声"),
    ],
)
def test_two_lines_become_one_text(
    before: str, after: str, known: tuple[str, ...], joined: str
) -> None:
    vocabulary = Vocabulary()
    vocabulary.add(known)
    assert join(before, after, vocabulary) == joined


def paragraph(text: str) -> Draft:
    return Draft(kind=BlockKind.PARAGRAPH, text=text, page=1)


def test_a_note_follows_what_bears_its_mark_and_else_comes_last() -> None:
    drafts = [paragraph("In 2011 the tide rose.1 It fell."), paragraph("The pier* stood.")]
    notes = [
        ("1", paragraph("1 By a foot.")),
        ("*", paragraph("* Built in oak.")),
        ("7", paragraph("7 Lost.")),
    ]
    assert [draft.text for draft in placed(drafts, notes)] == [
        "In 2011 the tide rose.1 It fell.",
        "1 By a foot.",
        "The pier* stood.",
        "* Built in oak.",
        "7 Lost.",
    ]
