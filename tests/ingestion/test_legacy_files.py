from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from footnote.domain import ParsedDocument
from footnote.ingestion.parsing.legacyword import resolve_fields
from footnote.ingestion.parsing.reading import ReadingOptions, read_document
from tests.ingestion.legacy_files import IN_TABLE, Par, row_end, word_97
from tests.ingestion.office_files import shown
from tests.ingestion.test_reading import assert_lawful


def read(content: bytes, name: str) -> ParsedDocument:
    parsed = read_document(content, name, ReadingOptions(ocr="off"))
    assert_lawful(parsed)
    return parsed


def expect(parsed: ParsedDocument, golden: str) -> None:
    assert shown(parsed) == dedent(golden).strip("\n")


STYLES = [(0, "Normal"), (62, "Title"), (1, "heading 1"), (2, "heading 2"), (34, "caption")]


def test_a_legacy_word_file_keeps_headings_notes_comments_and_running_lines() -> None:
    body = [
        Par("House rules\r", 1),
        Par("Noise\r", 2),
        Par("Quiet hours\x02 begin at ten. Nobody knows.\x05\r"),
        Par("Garden\r", 3),
        Par(
            'See \x13 HYPERLINK "https://a.example/g" \x14the plan\x15, page \x13 PAGE \x142\x15.\r'
        ),
        Par("Figure 1\r", 4),
    ]
    content = word_97(
        body,
        styles=STYLES,
        footnotes=["Nine in winter."],
        comments=["Really?"],
        header="Acme house",
        hidden=" Nobody knows.",
    )
    parsed = read(content, "rules.doc")
    expect(
        parsed,
        """
        # House rules
        ## Noise
        Quiet hours [note 1] begin at ten.
        [note 1: Nine in winter.]
        [comment: Really?]
        ### Garden
        See the plan (https://a.example/g), page 2.
        <caption>
        Figure 1
        """,
    )
    assert parsed.metadata == {"running_header": "Acme house"}
    assert parsed.title == "House rules"


def test_a_legacy_word_file_keeps_merged_cells() -> None:
    def cells(*texts: str) -> list[Par]:
        return [Par(f"{text}\x07", 0, IN_TABLE) for text in texts]

    edges = [0, 1000, 2000, 3000]
    above = 1 << 5
    body = [
        *cells("Item", "Price", ""),
        Par("\x07", 0, row_end(edges, [0, 1, 2])),
        *cells("Buoy", "net", "5"),
        Par("\x07", 0, row_end(edges, [])),
        *cells("", "gross", "6"),
        Par("\x07", 0, row_end(edges, [above])),
        Par("After.\r"),
    ]
    expect(
        read(word_97(body), "prices.doc"),
        """
        <table>
        | Item | Price | Price |
        | --- | --- | --- |
        | Buoy | net | 5 |
        | Buoy | gross | 6 |
        After.
        """,
    )


def test_a_legacy_word_file_of_plain_paragraphs_is_read() -> None:
    body = [Par("First\x0bline.\r"), Par("Grüße 漢字.\r"), Par("\r"), Par("Next page.\x0c")]
    parsed = read(word_97(body), "plain.doc")
    assert [block.text for block in parsed.blocks] == ["First\nline.", "Grüße 漢字.", "Next page."]


def test_a_legacy_workbook_is_one_even_with_a_word_file_inside() -> None:
    content = Path("../shared/data/documents/xls/legacy_sample.xls")
    if not content.is_file():
        pytest.skip("the shared documents are not here")
    raw = content.read_bytes() + "WordDocument".encode("utf-16-le")
    assert "Freshwater Ducks" in read(raw, "ducks.xls").text


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("a \x13 PAGE \x147\x15 b", "a 7 b"),
        ("\x13 TOC \x14\x13 PAGEREF x \x143\x15\x15", "3"),
        ('\x13 HYPERLINK "https://a.example" \x14here', "here (https://a.example)"),
        ("goes on\x15 after", "goes on after"),
        ("\x13 nothing shown \x15.", "."),
    ],
)
def test_fields_say_their_result(raw: str, said: str) -> None:
    assert resolve_fields(raw) == said
