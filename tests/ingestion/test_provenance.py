from __future__ import annotations

import pytest

from footnote.domain import ParsedDocument
from footnote.ingestion.parsing.reading import read_document
from footnote.ingestion.provenance import authors_of, date_of, with_provenance
from tests.ingestion import files


def read(text: str, filename: str = "a.md") -> ParsedDocument:
    return read_document(text.encode(), filename)


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        ("# Tides\n\nAuthor: Ann Harrow\n\nText.", ("Ann Harrow",)),
        (
            "# Tides\n\n**Authors:** Ann Harrow, Bob Lund and Cleo Diaz\n",
            ("Ann Harrow", "Bob Lund", "Cleo Diaz"),
        ),
        ("# Gezeiten\n\nVerfasserin: Anna Möller\n", ("Anna Möller",)),
        ("# Tides\n\nBy Ann Harrow\n\nText.", ("Ann Harrow",)),
        ("# Tides\n\nBy noon the water is high.\n", ()),
        ("# Tides\n\nAuthor: unknown\n", ()),
    ],
)
def test_authors_are_those_that_a_line_names(text: str, authors: tuple[str, ...]) -> None:
    assert authors_of(read(text)) == authors


def test_who_sent_a_message_is_its_author_and_when_its_date() -> None:
    parsed = read_document(files.letter_eml(), "a.eml")
    found = with_provenance(parsed, "a.eml")
    assert (found["authors"], found["document_date"]) == ("Linnet", "2025-03-12")
    assert parsed.metadata.items() <= found.items()


@pytest.mark.parametrize(
    ("text", "filename", "date"),
    [
        ("# Storm\n\nDate: 18 February 2025\n\nOn 3 March 2019 …", "a.md", "2025-02-18"),
        ("# Sturm\n\nStand: 03.04.2025\n", "a.md", "2025-04-03"),
        ("# Rules\n\n| Valid from | 1 May 2024 |\n|---|---|\n| x | y |\n", "a.md", "2024-05-01"),
        ("# Meeting of 24 April 2025\n\nWe met. Next: 1 May 2025.\n", "a.md", "2025-04-24"),
        ("# Meeting\n\nWe met.\n", "2025-04-24-meeting.md", "2025-04-24"),
        ("# Meeting\n\nWe met.\n", "minutes_20250424.md", "2025-04-24"),
        ("# Lease\n\nThe parties agree.\n\nSigned in Rome on 3 June 2024.\n", "a.md", "2024-06-03"),
        ("# Story\n\nOn 3 June 2024 the storm came.\n", "a.md", None),
        ("# Story\n\nThe date of the storm is not known.\n", "story-20259999.md", None),
    ],
)
def test_the_date_is_the_one_a_document_bears(text: str, filename: str, date: str | None) -> None:
    assert date_of(read(text, filename), filename) == date


def test_what_nothing_tells_is_left_out() -> None:
    found = with_provenance(read("Only a line of text.\n", "a.txt"), "a.txt")
    assert "authors" not in found
    assert "document_date" not in found


def test_the_date_of_a_template_says_nothing() -> None:
    parsed = read_document(files.contract_docx(), "a.docx")
    assert str(parsed.metadata.get("created", "2013-12-23"))[:10] == "2013-12-23"
    assert date_of(parsed, "a.docx") is None
