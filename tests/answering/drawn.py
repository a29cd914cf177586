"""Evidence and questions at random, and what holds for each answer to them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from footnote.domain import Answer, BlockKind, Evidence

from .factories import make_evidence, make_passage

WORDS = [
    "rent",
    "deposit",
    "May",
    "2024",
    "Basel",
    "AB-12/7",
    "due.",
    "paid?",
    "\n- ",
    "| a |",
    "é",
]
blocks = st.lists(
    st.one_of(st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)),
    max_size=3,
)
kinds = st.lists(st.sampled_from(BlockKind), min_size=3, max_size=3)


@st.composite
def evidences(draw: st.DrawFn) -> list[Evidence]:
    passages = [
        make_passage(
            *draw(blocks),
            name=draw(st.sampled_from(["lease", "policy"])),
            ordinal=ordinal,
            kinds=draw(kinds),
            repeated_header=draw(st.sampled_from(["", "| City | Rent |\n|---|---|\n"])),
            offset=draw(st.integers(0, 5000)),
        )
        for ordinal in range(draw(st.integers(0, 4)))
    ]
    return make_evidence(*passages)


questions = st.one_of(
    st.text(max_size=60),
    st.sampled_from(["What is the rent in Basel?", "When is the deposit due?", "AB-12/7", ""]),
)


def assert_every_statement_can_be_opened(answer: Answer, evidence: Sequence[Evidence]) -> None:
    passages = {each.passage.chunk_id: each.passage for each in evidence}
    numbers = [citation.marker for citation in answer.citations]
    assert numbers == list(range(1, len(numbers) + 1))
    for citation in answer.citations:
        passage = passages[citation.chunk_id]
        shift = passage.body_offset - passage.char_start
        start, end = citation.char_start + shift, citation.char_end + shift
        assert passage.body_offset <= start < end <= len(passage.text)
        assert passage.text[start:end] == citation.quote
        assert citation.quote == citation.quote.strip()
        assert any(
            span.char_start <= citation.char_start < span.char_end
            and (span.page, span.paragraph) == (citation.page, citation.paragraph)
            for span in passage.spans
        )
    markers = [marker for sentence in answer.sentences for marker in sentence.markers]
    assert list(dict.fromkeys(markers)) == [citation.marker for citation in answer.citations]
    assert all(0 <= sentence.support <= 1 for sentence in answer.sentences)
    assert 0 <= answer.confidence <= 1
