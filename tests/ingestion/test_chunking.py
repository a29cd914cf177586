from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.domain import BlockKind, Chunk, DocumentClass, ParsedDocument
from footnote.ingestion.chunking import ChunkPolicy, chunk_blocks
from footnote.ingestion.parsing.drafts import Draft, Reading, assemble
from footnote.ingestion.parsing.tables import table_text
from footnote.ingestion.table_leads import table_leads


class WordTokenizer:
    """A token for every six characters of a word, and for every CJK character."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [
            len(re.findall(r"[\u3040-\u9fff]|[^\W\u3040-\u9fff]{1,6}|[^\w\s]", text))
            for text in texts
        ]


TOKENIZER = WordTokenizer()


def document(*drafts: Draft) -> ParsedDocument:
    return assemble(Reading(drafts=drafts), "a.txt", "text/plain")


def heading(text: str, level: int = 1) -> Draft:
    return Draft(kind=BlockKind.HEADING, text=text, level=level)


def paragraph(text: str, page: int | None = None) -> Draft:
    return Draft(kind=BlockKind.PARAGRAPH, text=text, page=page)


def table(rows: int) -> Draft:
    body = [[f"row{number}", f"value {number} of it"] for number in range(rows)]
    return Draft(kind=BlockKind.TABLE, text=table_text([["name", "value"], *body]))


def chunks_of(parsed: ParsedDocument, target: int = 20, overlap: int = 1) -> tuple[Chunk, ...]:
    policy = ChunkPolicy(target_tokens=target, overlap_sentences=overlap)
    return tuple(chunk_blocks(parsed, TOKENIZER, policy))


WORDS = st.one_of(
    st.text(st.sampled_from("abcdeé"), min_size=1, max_size=9),
    st.text(st.sampled_from("你好世界学"), min_size=1, max_size=12),
    st.text(st.sampled_from("xyz"), min_size=100, max_size=400),
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=14).map(lambda words: " ".join(words) + ".")
PARAGRAPHS = st.lists(SENTENCES, min_size=1, max_size=6).map(" ".join)
DRAFTS = st.lists(
    st.one_of(
        st.builds(paragraph, PARAGRAPHS),
        st.builds(heading, WORDS.filter(lambda word: len(word) < 50), st.integers(1, 4)),
        st.builds(table, st.integers(1, 12)),
        st.builds(
            lambda lines: Draft(kind=BlockKind.CODE, text="\n".join(lines)),
            st.lists(WORDS, min_size=1, max_size=5),
        ),
    ),
    max_size=12,
)


@settings(deadline=None, max_examples=75)
@given(drafts=DRAFTS, target=st.integers(8, 60), overlap=st.integers(0, 3))
def test_chunks_obey_their_laws(drafts: list[Draft], target: int, overlap: int) -> None:
    parsed = document(*drafts)
    chunks = chunks_of(parsed, target, overlap)
    covered = bytearray(len(parsed.text))
    above = {
        parsed.blocks[at].char_start for each in table_leads(parsed.blocks).values() for at in each
    }
    for ordinal, chunk in enumerate(chunks):
        assert chunk.ordinal == ordinal
        assert parsed.text[chunk.char_start : chunk.char_end] == chunk.text[chunk.body_offset :]
        assert chunk.token_count == TOKENIZER.count_tokens([chunk.text])[0]
        assert chunk.spans[0].char_start == chunk.char_start
        assert chunk.spans[-1].char_end == chunk.char_end
        for span, following in pairwise(chunk.spans):
            assert span.char_end <= following.char_start
            assert not parsed.text[span.char_end : following.char_start].strip()
        starts = {block.char_start for block in parsed.blocks}
        ends = {block.char_end for block in parsed.blocks}
        for span in chunk.spans:
            assert span.begins == (span.char_start in starts)
            assert span.ends == (span.char_end in ends)
        for block in parsed.blocks:
            if block.char_start < chunk.char_end and chunk.char_start < block.char_end:
                assert block.heading_path == chunk.heading_path or block.char_start in above
        covered[chunk.char_start : chunk.char_end] = b"\1" * (chunk.char_end - chunk.char_start)
    for before, after in pairwise(chunks):
        assert before.char_start < after.char_start
        assert before.char_end < after.char_end
    for block in parsed.blocks:
        if block.kind is not BlockKind.HEADING:
            lost = [
                place
                for place in range(block.char_start, block.char_end)
                if not covered[place] and not parsed.text[place].isspace()
            ]
            assert not lost


@settings(deadline=None, max_examples=60)
@given(drafts=st.lists(st.builds(paragraph, PARAGRAPHS), min_size=1, max_size=6))
def test_no_chunk_of_prose_is_larger_than_the_target(drafts: list[Draft]) -> None:
    assert all(chunk.token_count <= 40 for chunk in chunks_of(document(*drafts), 40))


@settings(deadline=None, max_examples=60)
@given(drafts=DRAFTS)
def test_no_heading_is_lost(drafts: list[Draft]) -> None:
    parsed = document(*drafts)
    chunks = chunks_of(parsed)
    kept = {part for chunk in chunks for part in (*chunk.heading_path, chunk.text)}
    assert {b.text for b in parsed.blocks if b.kind is BlockKind.HEADING} <= kept


def test_a_chunk_never_crosses_a_heading() -> None:
    parsed = document(heading("A"), paragraph("One."), heading("B"), paragraph("Two."))
    assert [(chunk.heading_path, chunk.text) for chunk in chunks_of(parsed)] == [
        (("A",), "One."),
        (("B",), "Two."),
    ]


def test_sections_of_the_same_name_stay_apart() -> None:
    parsed = document(heading("Notes"), paragraph("One."), heading("Notes"), paragraph("Two."))
    assert [chunk.text for chunk in chunks_of(parsed)] == ["One.", "Two."]


def test_a_heading_over_deeper_headings_is_in_their_path() -> None:
    parsed = document(heading("A"), heading("A1", 2), paragraph("One."))
    (chunk,) = chunks_of(parsed)
    assert (chunk.heading_path, chunk.text) == (("A", "A1"), "One.")


def test_a_heading_without_content_is_a_chunk() -> None:
    parsed = document(heading("Signatures"), heading("B"), paragraph("One."), heading("End"))
    assert [(chunk.kind, chunk.text) for chunk in chunks_of(parsed)] == [
        (BlockKind.HEADING, "Signatures"),
        (BlockKind.PARAGRAPH, "One."),
        (BlockKind.HEADING, "End"),
    ]


def test_neighbours_share_whole_sentences() -> None:
    text = " ".join(f"Sentence number {number} says very little." for number in range(9))
    chunks = chunks_of(document(paragraph(text)), target=24)
    assert len(chunks) > 2
    for before, after in pairwise(chunks):
        shared = before.text[after.char_start - before.char_start :]
        assert re.fullmatch(r"Sentence number \d says very little\.", shared)
        assert after.text.startswith(shared)


def test_without_overlap_nothing_is_repeated() -> None:
    text = " ".join(f"Sentence number {number} says very little." for number in range(9))
    chunks = chunks_of(document(paragraph(text)), target=40, overlap=0)
    assert " ".join(chunk.text for chunk in chunks) == text


def test_a_split_table_repeats_its_header_and_no_row_is_cut() -> None:
    parsed = document(paragraph("Before."), table(20))
    first, *others = [c for c in chunks_of(parsed, target=60) if c.kind is BlockKind.TABLE]
    assert others
    assert first.body_offset == 0
    header = "| name | value |\n| --- | --- |\n"
    for chunk in (first, *others):
        assert chunk.text.startswith(header)
        assert all(re.fullmatch(r"\|.*\|", line) for line in chunk.text.splitlines())
    assert {chunk.body_offset for chunk in others} == {len(header)}


def test_a_table_that_fits_a_chunk_is_not_split_for_what_stands_before_it() -> None:
    parsed = document(paragraph("Many words stand before the table here. " * 3), table(3))
    chunks = chunks_of(parsed, target=60, overlap=0)
    assert parsed.blocks[-1].text in [chunk.text for chunk in chunks]


def test_spans_tell_page_and_paragraph() -> None:
    parsed = document(paragraph("One.", page=1), paragraph("Two.", page=1), paragraph("3.", page=2))
    (chunk,) = chunks_of(parsed)
    assert [(span.page, span.paragraph) for span in chunk.spans] == [(1, 1), (1, 2), (2, 1)]
    assert chunk.pages == (1, 2)


def test_confidence_is_the_mean_by_length() -> None:
    sure = Draft(kind=BlockKind.OCR_TEXT, text="a" * 30, confidence=0.9)
    unsure = Draft(kind=BlockKind.OCR_TEXT, text="b" * 10, confidence=0.5)
    (chunk,) = chunks_of(document(sure, unsure))
    assert chunk.confidence == pytest.approx(0.8)
    assert chunks_of(document(paragraph("typed")))[0].confidence is None


def test_nothing_gives_no_chunks() -> None:
    assert chunks_of(document()) == ()


def test_rows_do_not_overlap_and_speech_overlaps_more() -> None:
    policy = ChunkPolicy(overlap_sentences=1)
    assert policy.for_class(DocumentClass.TABLE).overlap_sentences == 0
    assert policy.for_class(DocumentClass.TRANSCRIPT).overlap_sentences == 2
    assert policy.for_class(DocumentClass.REPORT) == policy
