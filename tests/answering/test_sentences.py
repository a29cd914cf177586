"""Statements keep their place, and what nobody sees is no part of them."""

from __future__ import annotations

import pytest

from footnote.answering.sentences import candidates_of
from footnote.domain import BlockKind

from .factories import make_evidence, make_passage, mark


def test_headings_are_no_statements_and_bullets_are_no_part_of_a_quote() -> None:
    passage = make_passage(
        "# Safety", "- Wear a helmet.\n- Keep **dry**.", kinds=[BlockKind.HEADING, BlockKind.LIST]
    )
    found = candidates_of(make_evidence(passage))
    assert [each.quote for each in found] == ["Wear a helmet.", "Keep **dry**."]
    assert found[1].statement == "Keep dry."


def test_marks_of_quoted_mail_are_no_part_of_a_quote() -> None:
    passage = make_passage(">> The books go to Aldersgate. Ring twice.\n\n> 65 kg are too many.")
    quotes = [each.quote for each in candidates_of(make_evidence(passage))]
    assert quotes == ["The books go to Aldersgate.", "Ring twice.", "> 65 kg are too many."]


def test_a_split_table_keeps_its_header_for_each_part() -> None:
    passage = make_passage(
        "| Basel | 1,200 |\n| Bern | 900 |",
        kinds=[BlockKind.TABLE],
        repeated_header="| City | Rent |\n|---|---|\n",
        offset=70,
    )
    found = candidates_of(make_evidence(passage))
    assert [each.statement for each in found] == [
        "City: Basel, Rent: 1,200",
        "City: Bern, Rent: 900",
    ]
    assert found[0].canonical_span == (72, 72 + len("Basel | 1,200"))


@pytest.mark.parametrize("space", [" ", "\t", "\r", "\x1f", "\u00a0", "\u2028"], ids=repr)
def test_no_white_space_of_any_kind_surrounds_a_row(space: str) -> None:
    passage = make_passage(f"|{space}Basel | 1,200{space}|{space}", kinds=[BlockKind.TABLE])
    assert [each.quote for each in candidates_of(make_evidence(passage))] == ["Basel | 1,200"]


def test_each_line_of_a_form_is_a_statement_and_wrapped_prose_is_not() -> None:
    form = (
        "PUMP RECORD\nSerial no.   P-20-77\nTested       4 May 2024\nResult       out of\n  order"
    )
    prose = "The pump was tested\nin the yard and found to be\nout of order. Nobody\nwas told."
    fields = candidates_of(make_evidence(make_passage(form)))
    assert [each.statement for each in fields] == [
        "PUMP RECORD",
        "Serial no. P-20-77",
        "Tested 4 May 2024",
        "Result out of order",
    ]
    assert all(each.is_field for each in fields)
    assert len(candidates_of(make_evidence(make_passage(prose)))) == 2


@pytest.mark.parametrize(
    "text",
    [
        "The \u202ekangaroo invoice\u202c total is 512 crowns.",
        "The kan\u200egaroo in\u2066voice to\u2069tal is 512 crowns.",
        "The kan\u200bgaroo in\u200bvoice to\u200btal is 512 crowns.",
        "The kan\u00adgaroo in\u00advoice to\u00adtal is 512 crowns.",
        "The kan\u2060garoo in\u200dvoice total is 512 crowns.",
    ],
    ids=["overridden", "marked", "zero width", "soft hyphens", "joined"],
)
@pytest.mark.parametrize("is_row", [False, True], ids=["prose", "row"])
def test_characters_that_nobody_sees_part_no_word_and_stay_in_the_quote(
    text: str, *, is_row: bool
) -> None:
    kinds = [BlockKind.TABLE if is_row else BlockKind.PARAGRAPH]
    evidence = make_evidence(make_passage(text, name="hidden", kinds=kinds))
    (candidate,) = candidates_of(evidence)
    assert candidate.statement == "The kangaroo invoice total is 512 crowns."
    assert candidate.quote == text
    # An override can show a reader other words: it is still marked.
    assert mark(evidence)[0].suspicious == ("\u202e" in text)


def test_a_joiner_that_a_script_needs_stays_in_a_statement() -> None:
    written = "کتاب‌ها روی میز است."
    (candidate,) = candidates_of(make_evidence(make_passage(written)))
    assert candidate.statement == written
