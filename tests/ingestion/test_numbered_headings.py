from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import BlockKind
from footnote.ingestion.parsing.reading import read_document
from tests.ingestion.test_reading import assert_lawful


def headings(text: str) -> list[tuple[int | None, str]]:
    parsed = read_document(text.encode(), "a.txt")
    assert_lawful(parsed)
    found = [block for block in parsed.blocks if block.kind is BlockKind.HEADING]
    return [(block.heading_level, block.text) for block in found]


LEASE = """COMMERCIAL LEASE AGREEMENT

4. Rent
The annual rent is 48,000 EUR, due in twelve
instalments.
4.1 Indexation
The rent follows the consumer price index.

5. Term
The lease runs for five years."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            LEASE,
            [
                (1, "COMMERCIAL LEASE AGREEMENT"),
                (2, "4. Rent"),
                (3, "4.1 Indexation"),
                (2, "5. Term"),
            ],
        ),
        (
            LEASE.replace("\n\n", "\n"),
            [
                (1, "COMMERCIAL LEASE AGREEMENT"),
                (2, "4. Rent"),
                (3, "4.1 Indexation"),
                (2, "5. Term"),
            ],
        ),
        (
            "§ 1 Gegenstand\nDer Verkäufer liefert zwölf Bojen.\n"
            "§ 2 Preis\n(1) Der Preis beträgt 7 Euro.\n(2) Er ist sofort fällig.",
            [(2, "§ 1 Gegenstand"), (2, "§ 2 Preis")],
        ),
        (
            "Article I – Rent\nThe rent is due on the first.\n"
            "Article II – Term\nThe term is two years.\nArticle IV\nThe rest is left to the court.",
            [(2, "Article I – Rent"), (2, "Article II – Term"), (2, "Article IV")],
        ),
        (
            "Clause 9: Notices\nNotices must be in writing.\n\n"
            "Section 10.2 Form\nEvery notice bears a date.",
            [(2, "Clause 9: Notices"), (3, "Section 10.2 Form")],
        ),
        (
            "4. Rent\n4.1 The annual rent is 48,000 EUR.\n4.2 It is due on the first day.",
            [(2, "4. Rent")],
        ),
        (
            "1. General\n1.1 Scope\nThese terms bind both parties.\n"
            "1.2 Form\nNotices are in writing.",
            [(2, "1. General"), (3, "1.1 Scope"), (3, "1.2 Form")],
        ),
        (
            "1. Rent\nThe rent is due.\n2. Term\nThe term is five years.\n"
            "\fSCHEDULE 1\n\n1. Keys\nThe tenant gets two keys.\n2. Doors\nAll doors are locked.",
            [
                (2, "1. Rent"),
                (2, "2. Term"),
                (2, "SCHEDULE 1"),
                (2, "1. Keys"),
                (2, "2. Doors"),
            ],
        ),
        (
            "LEASE\n4. Rent and Service Charge\nThe rent is due.\n5. Law\nEnglish law applies.",
            [(1, "LEASE"), (2, "4. Rent and Service Charge"), (2, "5. Law")],
        ),
        ("§ 3 Kaution\n\nDrei Monatsmieten.", [(2, "§ 3 Kaution")]),
        ("Clause 7 Deposit\n\nThree months.", [(2, "Clause 7 Deposit")]),
    ],
    ids=[
        "numbers",
        "no blank lines",
        "paragraphs of a law",
        "articles",
        "clauses",
        "numbered clauses below",
        "headings below",
        "a schedule",
        "short clauses",
        "§ by itself",
        "clause by itself",
    ],
)
def test_a_numbered_line_above_its_text_is_a_heading(
    text: str, expected: list[tuple[int, str]]
) -> None:
    assert headings(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "1. Buy flour\n2. Buy salt\n3. Buy eggs",
        "1. Buy flour\n2. Buy salt\nThen mix both of them.",
        "1. Buy flour\nTake the finest there is.\n2. Buy salt\n3. Buy eggs",
        "1. Buy flour.\nTake the finest there is.\n2. Buy salt.\nAny salt will do.",
        "1. Buy flour at\n   The Old Mill, which is open.\n2. Buy salt\n   Any salt will do.",
        "1. Buy flour\nfrom the mill, as it is fresh.\n2. Buy salt\nthat is coarse, not fine.",
        "1. Kaufe das Mehl für die Brote bei der kleinen alten\nBäckerei Müller in der Stadt, "
        "wo es immer frisch ist.\n2. Kaufe das Salz für die Brote bei der alten\n"
        "Salzsiederei Meier in der Straße, wo es grob ist.",
        "It must be sent to\n4. Rent\nThe office is shut on Mondays.",
        "3. Mai 2024\nDer Mieter hat heute gezahlt.",
        "Term\nThe lease runs for five years.",
        "12 High Street\nLondon is where the tenant lives.",
        "The duties follow from\nSection 4\nThe tenant knows of them.",
        "2. Term\nThe term is five years.\n1. Rent\nThe rent is due.\n0. None\nNothing is due.",
        "1. 7 EUR\nThe fee is due at once.",
        "4. Rent\nNorth Gate",
        "4. Rent     48,000\nThe sum is due at once.",
    ],
    ids=[
        "a list",
        "a list with a last line",
        "a list with one explanation",
        "sentences",
        "indented continuations",
        "continuations in lower case",
        "wrapped items",
        "inside a sentence",
        "a date",
        "no number",
        "an address",
        "a reference",
        "numbers that go down",
        "a figure",
        "no sentence below",
        "a row of a table",
    ],
)
def test_what_is_no_heading_stays_in_its_paragraph(text: str) -> None:
    assert headings(text) == []


_TITLES = st.from_regex(r"[A-Z][a-z]{3,9}( [a-z]{3,9}){0,2}", fullmatch=True)
_CLAUSES = st.from_regex(
    r"The [a-z]{3,9} [a-z]{4,9} (is|has) [a-z]{4,9} [a-z]{4,9}\.", fullmatch=True
)


@given(
    st.lists(st.tuples(_TITLES, _CLAUSES), min_size=1, max_size=6), st.sampled_from(["\n", "\n\n"])
)
def test_clauses_are_found_with_and_without_empty_lines(
    clauses: list[tuple[str, str]], between: str
) -> None:
    titles = [f"{number}. {title}" for number, (title, _) in enumerate(clauses, start=1)]
    text = between.join(
        f"{title}\n{body}" for title, (_, body) in zip(titles, clauses, strict=True)
    )
    assert headings(text) == [(2, title) for title in titles]


@given(st.lists(_TITLES, min_size=2, max_size=6))
def test_items_of_a_list_are_never_headings(items: list[str]) -> None:
    assert headings("\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))) == []


_LINES = ["1. Rent", "1.1 Sum", "§ 2 Term", "Article V", "The fee is 7 or more.", "a", ""]


@given(st.lists(st.sampled_from(_LINES)))
def test_no_line_is_lost_or_moved(lines: list[str]) -> None:
    text = "Start here.\n" + "\n".join(lines)
    assert read_document(text.encode(), "a.txt").text.split() == text.split()
