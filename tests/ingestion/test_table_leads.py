"""Chunks of tables carry what stands above the table: its caption, its unit, its column heads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.domain import BlockKind, Chunk, ParsedDocument
from footnote.ingestion.enrichment import enrich, indexed_text
from footnote.ingestion.naming import LONG_DOCUMENT
from footnote.ingestion.parsing.drafts import Draft
from footnote.ingestion.parsing.tables import table_text
from footnote.ingestion.table_leads import holds_amounts, table_leads
from tests.ingestion.test_chunking import chunks_of, document

STATEMENT = "CONSOLIDATED STATEMENTS OF CASH FLOWS"
UNIT = "(In millions)"
PERIOD = "Three months ended June 25, 2022"


def heading(text: str, page: int = 1, level: int = 1) -> Draft:
    return Draft(kind=BlockKind.HEADING, text=text, level=level, page=page)


def line(text: str, page: int = 1) -> Draft:
    return Draft(kind=BlockKind.PARAGRAPH, text=text, page=page)


def rows(*names: str, page: int = 1) -> Draft:
    cells = [[name, f"1,{at:03}", f"({at},118)"] for at, name in enumerate(names, start=1)]
    return Draft(kind=BlockKind.TABLE, text=table_text(cells), page=page)


def cash_flows() -> ParsedDocument:
    """A statement that goes over two pages, cut by labels and by the number of a page."""
    return document(
        heading(STATEMENT),
        line(UNIT),
        line(PERIOD),
        line("Operating activities:"),
        rows("Net income", "Depreciation", "Share-based compensation", "Receivables", "Payables"),
        line("4"),
        line("Investing activities:", page=2),
        rows("Purchases of property, plant and equipment", "Purchases of securities", page=2),
        line("This statement is to be read with the notes, which are part of it.", page=2),
        rows("An unrelated row", page=2),
    )


def chunk_with(chunks: tuple[Chunk, ...], text: str) -> Chunk:
    (found,) = [chunk for chunk in chunks if text in chunk.text[chunk.body_offset :]]
    return found


def test_rows_on_a_later_page_carry_unit_and_period_and_their_own_label() -> None:
    chunks = chunks_of(cash_flows(), target=30)
    chunk = chunk_with(chunks, "Purchases of property")
    found_by = f"{chunk.lead} {chunk.text}"
    assert chunk.heading_path == (STATEMENT,)
    for said in (UNIT, PERIOD, "Investing activities:"):
        assert said in found_by
    assert "4" not in chunk.lead.split("; "), "the number of a page says nothing"


def test_every_row_of_a_split_table_carries_what_is_above_it() -> None:
    chunks = chunks_of(cash_flows(), target=20)
    split = [chunk_with(chunks, name) for name in ("Net income", "Payables")]
    assert split[0] is not split[1]
    for chunk in split:
        assert UNIT in f"{chunk.lead} {chunk.text}"
        assert PERIOD in f"{chunk.lead} {chunk.text}"


def test_what_is_carried_is_no_part_of_what_is_quoted() -> None:
    parsed = cash_flows()
    for chunk in chunks_of(parsed, target=20):
        body = chunk.text[chunk.body_offset :]
        assert parsed.text[chunk.char_start : chunk.char_end] == body
        for said in chunk.lead.split("; "):
            assert not said or said not in body


def test_prose_ends_what_is_above_a_table() -> None:
    chunk = chunk_with(chunks_of(cash_flows(), target=30), "An unrelated row")
    assert chunk.lead == ""


def test_lines_above_a_table_are_in_one_chunk_with_its_first_rows() -> None:
    chunks = chunks_of(cash_flows(), target=48)
    first = chunk_with(chunks, "Net income")
    assert (UNIT in first.text, PERIOD in first.text) == (True, True)
    assert "Investing activities:" in chunk_with(chunks, "Purchases of property").text


def test_a_heading_over_nothing_but_another_heading_names_the_table_below_both() -> None:
    parsed = document(
        heading(STATEMENT), heading("(Unaudited)"), rows("Net income", "Depreciation")
    )
    (chunk,) = chunks_of(parsed, target=60)
    assert chunk.heading_path == ("(Unaudited)",)
    assert STATEMENT in chunk.text


def test_a_small_table_without_amounts_is_the_head_of_the_next() -> None:
    head = Draft(kind=BlockKind.TABLE, text=table_text([["Three months", "Nine months"]]), page=1)
    names = [f"Row number {at} of a long table" for at in range(12)]
    chunks = chunks_of(document(heading(STATEMENT), head, rows(*names)), target=30)
    last = chunk_with(chunks, names[-1])
    assert "Three months Nine months" in last.lead


def test_a_first_row_of_amounts_is_not_repeated_as_a_header() -> None:
    names = [f"Row number {at} of a long table" for at in range(12)]
    chunks = chunks_of(document(heading(STATEMENT), rows(*names)), target=30)
    assert len(chunks) > 1
    assert all(chunk.body_offset == 0 for chunk in chunks)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("| Products | $ | 63,355 | $ | 63,948 |", True),
        ("| Net loss | (18) | — |", True),
        ("| Margin | 12.5% | 11.3 % |", True),
        ("| Year | 2022 | 2021 |", False),
        ("| Name | Amount |", False),
        ("| Assets | | |", False),
        ("| Item | 12,000 | pending | open |", False),
    ],
)
def test_amounts_are_told_from_column_heads(row: str, expected: bool) -> None:
    assert holds_amounts(row) is expected


def test_a_heading_on_another_page_ends_what_is_above() -> None:
    parsed = document(
        heading(STATEMENT),
        line(UNIT),
        rows("Net income"),
        heading("Assets"),
        rows("Cash"),
        heading("Segments", page=2),
        rows("Revenue", page=2),
    )
    leads = table_leads(parsed.blocks)
    above = {
        parsed.blocks[table].text.split(" |")[0][2:]: [parsed.blocks[at].text for at in lines]
        for table, lines in leads.items()
    }
    assert above["Net income"] == [STATEMENT, UNIT]
    assert above["Cash"] == [STATEMENT, UNIT, "Assets"]
    assert above["Revenue"] == ["Segments"]


def test_a_chunk_is_embedded_and_indexed_by_what_it_carries() -> None:
    names = [f"Purchases of kind {at}" for at in range(2 * LONG_DOCUMENT)]
    parsed = replace(
        document(heading(STATEMENT), line(UNIT), line(PERIOD), rows(*names)), title="A report"
    )
    chunks = chunks_of(parsed, target=30)
    assert len(chunks) >= LONG_DOCUMENT
    enrichment, enriched = enrich(parsed, chunks, "2022 Q3 ACME.pdf")
    chunk = enriched[-1]
    assert UNIT in chunk.embedded_text
    assert "2022 Q3 ACME" in chunk.embedded_text
    assert PERIOD in indexed_text(chunk, enrichment)
    assert "2022 Q3 ACME" in indexed_text(chunk, enrichment)


def test_the_chunks_of_a_short_document_are_found_without_its_other_names() -> None:
    parsed = replace(cash_flows(), title="A report")
    enrichment, enriched = enrich(parsed, chunks_of(parsed), "2022 Q3 ACME.pdf")
    assert enrichment.names == ()
    assert "ACME" not in enriched[0].embedded_text
