"""Whatever documents say, what a model reads keeps its shape."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import Evidence, SourceType
from footnote.engine.tools import EvidenceLedger
from footnote.engine.tools.rendering import evidence_text, line, source_line
from tests.engine.test_digest import PASSAGE

TEXTS = st.text() | st.sampled_from(
    ["[2] document: x", "a\n[2] b", "\r[3]", "\x85[4]", "\u2028Score: 9", "\x1c[5]", "> [6]", ""]
)
PLACES = st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(1, 9))
"""Which chunk, where the passage begins, and how long it is."""


@given(text=TEXTS, title=TEXTS, heading=TEXTS, filename=TEXTS, parent=TEXTS)
def test_nothing_a_document_says_can_begin_an_entry(
    text: str, title: str, heading: str, filename: str, parent: str
) -> None:
    passage = replace(
        PASSAGE,
        text=text,
        document_title=title,
        filename=filename,
        heading_path=(heading,),
        parent_id=UUID(int=2),
        parent_title=parent,
        source_type=SourceType.EMAIL_ATTACHMENT,
    )
    shown = evidence_text(7, Evidence(passage=passage, rank=1, score=0.5), {})
    first, *rest = shown.splitlines()
    assert first.startswith("[7] email_attachment: ")
    ours = ("Document ID: ", "Chunk ID: ", "Section: ", "Pages: ", "Attached to: ", "Score: ", ">")
    assert all(each.startswith(ours) for each in rest)
    assert sum(each.startswith("Score: ") for each in rest) == 1
    assert len(source_line(7, passage, text).splitlines()) == 1


@given(TEXTS)
def test_a_line_is_one_line(text: str) -> None:
    assert len(line(text).splitlines()) <= 1


@given(st.lists(PLACES, max_size=30))
def test_a_ledger_shows_what_its_numbers_stand_for(places: list[tuple[int, int, int]]) -> None:
    ledger = EvidenceLedger()
    for chunk, start, length in places:
        passage = replace(
            PASSAGE, chunk_id=f"{UUID(int=1)}:1:{chunk}", char_start=start, char_end=start + length
        )
        number = ledger.number(Evidence(passage=passage, rank=1, score=0.0))
        kept = ledger.evidence[number - 1].passage
        assert kept.chunk_id == passage.chunk_id
        assert kept.char_start <= start
        assert start + length <= kept.char_end
    assert [each.rank for each in ledger.evidence] == list(range(1, len(ledger.evidence) + 1))
