"""What a document is called beside its title: its file's name, and whose it is."""

from __future__ import annotations

import pytest

from footnote.domain import BlockKind
from footnote.ingestion.naming import cover_headings, other_names
from footnote.ingestion.parsing.drafts import Draft, Reading, assemble
from tests.ingestion.test_chunking import document, heading, paragraph

PROSE = " ".join(
    f"The sales of Bramble rose in June {at}, and the company said so." for at in range(1, 13)
)


def names(title: str, filename: str, language: str | None = "en") -> tuple[str, ...]:
    parsed = document(heading("Bramble Inc."), heading("Form 7-B"), paragraph(PROSE))
    return other_names(parsed.blocks, filename, title, language)


def test_a_file_is_called_by_its_name_and_by_whose_it_is() -> None:
    assert names("Report", "2022_Q3 BRMB.pdf") == ("2022 Q3 BRMB", "Bramble")


def test_what_the_title_says_is_not_said_again() -> None:
    assert names("Bramble: 2022 Q3 BRMB", "2022 Q3 BRMB.pdf") == ()


def test_months_and_words_that_are_also_written_small_are_no_names() -> None:
    found = names("Report", "0001.pdf")
    assert found == ("Bramble",)


def test_where_all_nouns_have_capitals_there_is_no_telling() -> None:
    assert names("Bericht", "0001.pdf", "de") == ()


def test_only_a_long_document_has_a_cover() -> None:
    def pages(last: int) -> tuple[str, ...]:
        drafts = (
            Draft(kind=BlockKind.HEADING, text="Form 7-B", level=1, page=1),
            Draft(kind=BlockKind.PARAGRAPH, text="Words.", page=1),
            Draft(kind=BlockKind.HEADING, text="Part one", level=1, page=2),
            Draft(kind=BlockKind.PARAGRAPH, text="More words.", page=last),
        )
        return cover_headings(assemble(Reading(drafts=drafts), "a.pdf", "application/pdf").blocks)

    assert pages(40) == ("Form 7-B",)
    assert pages(2) == ()


@pytest.mark.parametrize(
    ("declared", "expected"),
    [("0000320193-22-000070", "2022 Q3 BRMB"), ("1984", "1984"), ("Report 12", "Report 12")],
)
def test_a_number_is_no_title_where_the_file_has_a_name(declared: str, expected: str) -> None:
    reading = Reading(drafts=(paragraph("Words."),), title=declared)
    assert assemble(reading, "2022 Q3 BRMB.pdf", "application/pdf").title == expected
