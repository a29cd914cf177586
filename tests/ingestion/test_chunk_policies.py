from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.domain import BlockKind, Chunk, DocumentClass, ParsedDocument
from footnote.ingestion.chunk_policies import POLICY_NAMES, ChunkPolicy, policy_named
from footnote.ingestion.chunking import chunk_blocks
from footnote.ingestion.parsing.drafts import Draft, Reading, assemble
from tests.ingestion.test_chunking import (
    PARAGRAPHS,
    TOKENIZER,
    WORDS,
    document,
    heading,
    paragraph,
    table,
)


def utterance(text: str, time: str = "00:01:02") -> Draft:
    return Draft(kind=BlockKind.UTTERANCE, text=f"[{time}] Ann: {text}")


def code(*lines: str) -> Draft:
    return Draft(kind=BlockKind.CODE, text="\n".join(lines))


QUOTED = st.builds(lambda text: paragraph("> " + text.replace("\n", "\n> ")), PARAGRAPHS)
CODE_LINES = st.lists(
    st.builds(lambda indent, word: "  " * indent + word, st.integers(0, 2), WORDS),
    min_size=1,
    max_size=9,
)
DRAFTS = st.lists(
    st.one_of(
        st.builds(lambda text, page: paragraph(text, page=page), PARAGRAPHS, st.integers(1, 3)),
        st.builds(heading, WORDS.filter(lambda word: len(word) < 50), st.integers(1, 3)),
        st.builds(table, st.integers(1, 40)),
        st.builds(utterance, PARAGRAPHS),
        st.builds(lambda lines: code(*lines), CODE_LINES),
        QUOTED,
    ),
    max_size=10,
)
SMALL = [
    pytest.param(ChunkPolicy(target_tokens=24), id="small"),
    pytest.param(ChunkPolicy(target_characters=90, overlap_sentences=9), id="small characters"),
]
NAMED = [pytest.param(policy_named(name), id=name) for name in POLICY_NAMES]


def size_of(chunk: Chunk, policy: ChunkPolicy) -> int:
    return len(chunk.text) if policy.target_characters else chunk.token_count


@pytest.mark.parametrize("policy", [*NAMED, *SMALL])
@settings(deadline=None, max_examples=40)
@given(drafts=DRAFTS, document_class=st.sampled_from(DocumentClass))
def test_every_policy_obeys_the_laws(
    policy: ChunkPolicy, drafts: list[Draft], document_class: DocumentClass
) -> None:
    parsed = document(*drafts)
    chosen = policy.for_class(document_class)
    chunks = chunk_blocks(parsed, TOKENIZER, chosen)
    covered = bytearray(len(parsed.text))
    for ordinal, chunk in enumerate(chunks):
        assert chunk.ordinal == ordinal
        assert parsed.text[chunk.char_start : chunk.char_end] == chunk.text[chunk.body_offset :]
        assert chunk.token_count == TOKENIZER.count_tokens([chunk.text])[0]
        assert chunk.spans[0].char_start == chunk.char_start
        assert chunk.spans[-1].char_end == chunk.char_end
        if BlockKind.TABLE not in {span.kind for span in chunk.spans}:
            assert size_of(chunk, chosen) <= chosen.sizes.target
        if chosen.pages_stand_alone:
            assert len({span.page for span in chunk.spans}) == 1
        for block in parsed.blocks:
            if block.char_start < chunk.char_end and chunk.char_start < block.char_end:
                assert block.heading_path == chunk.heading_path
        covered[chunk.char_start : chunk.char_end] = b"\1" * (chunk.char_end - chunk.char_start)
    for before, after in pairwise(chunks):
        assert before.char_start < after.char_start
        assert before.char_end < after.char_end
        if chosen.overlap_sentences == 0:
            assert before.char_end <= after.char_start
    for block in parsed.blocks:
        if block.kind is not BlockKind.HEADING:
            places = range(block.char_start, block.char_end)
            assert all(covered[place] or parsed.text[place].isspace() for place in places)


@pytest.mark.parametrize(
    ("name", "target", "overlap"),
    [("characters-900-120", 900, 120), ("tokens-512-50", 512, 50)],
)
def test_the_seeds_policies_keep_their_sizes(name: str, target: int, overlap: int) -> None:
    policy = policy_named(name)
    assert (policy.sizes.target, policy.sizes.overlap) == (target, overlap)
    text = " ".join(f"Sentence number {number} says very little." for number in range(400))
    chunks = chunk_blocks(document(paragraph(text)), TOKENIZER, policy)
    in_characters = policy.sizes.unit == "characters"
    assert len(chunks) > 4
    for before, after in pairwise(chunks):
        assert 0.8 * target < size_of(before, policy) <= target
        shared = before.text[after.char_start - before.char_start :]
        repeated = len(shared) if in_characters else TOKENIZER.count_tokens([shared])[0]
        assert 0.5 * overlap < repeated <= overlap
        assert shared.startswith("Sentence")


def test_the_balanced_policy_takes_its_size_from_the_settings() -> None:
    policy = policy_named("balanced-150")
    assert policy.for_class(DocumentClass.REPORT).sizes.target == 150


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(ValueError, match="no chunk policy is called “large”"):
        policy_named("large")


# --- classes --------------------------------------------------------------------------------


def chunks_of(parsed: ParsedDocument, document_class: DocumentClass, target: int = 40) -> list[str]:
    policy = ChunkPolicy(target_tokens=target).for_class(document_class)
    return [chunk.text for chunk in chunk_blocks(parsed, TOKENIZER, policy)]


def test_a_slide_is_one_chunk_though_it_has_no_title() -> None:
    deck = Reading(
        drafts=(
            Draft(kind=BlockKind.PARAGRAPH, text="First slide.", page=1),
            Draft(kind=BlockKind.LIST, text="- one\n- two", page=1),
            Draft(kind=BlockKind.PARAGRAPH, text="Second slide.", page=2),
        ),
        pages_stand_alone=True,
    )
    parsed = assemble(deck, "a.pptx", "text/plain")
    assert chunks_of(parsed, DocumentClass.SLIDES) == [
        "First slide.\n\n- one\n- two",
        "Second slide.",
    ]


def test_an_utterance_is_kept_whole_with_its_time() -> None:
    said = "We meet at nine. The boat leaves at ten. Bring your coats."
    parsed = document(*[utterance(said, f"00:0{minute}:00") for minute in range(6)])
    chunks = chunks_of(parsed, DocumentClass.TRANSCRIPT)
    assert len(chunks) > 1
    assert all(chunk.startswith("[00:0") and chunk.endswith("coats.") for chunk in chunks)


def test_only_an_utterance_larger_than_a_chunk_is_divided_by_its_sentences() -> None:
    said = " ".join(f"Sentence number {number} says very little." for number in range(20))
    chunks = chunks_of(document(utterance(said)), DocumentClass.TRANSCRIPT)
    assert len(chunks) > 1
    assert all(chunk.endswith(".") for chunk in chunks)


def test_a_definition_is_kept_whole_where_it_fits() -> None:
    functions = [
        f"def berth_{number}(length):\n    width = length / 4\n\n    return width"
        for number in range(8)
    ]
    chunks = chunks_of(document(code("\n\n\n".join(functions))), DocumentClass.CODE)
    assert len(chunks) > 1
    assert all(chunk.startswith("def berth_") for chunk in chunks)
    assert all(chunk.endswith("return width") for chunk in chunks)


def test_a_definition_larger_than_a_chunk_is_divided_by_its_lines() -> None:
    lines = [f"    width = measure({number})" for number in range(30)]
    chunks = chunks_of(document(code("def berth():", *lines)), DocumentClass.CODE)
    assert len(chunks) > 1
    assert all(line in lines for chunk in chunks[1:] for line in chunk.split("\n"))


REPLY = "The price holds until May."
EARLIER = "Does the price of the sensors still hold?"
THREADS = [
    pytest.param([REPLY, f"> {EARLIER}"], id="marked"),
    pytest.param(
        [REPLY, "On 3 May 2025 at 10:00, Ann Harrow wrote:", f"> {EARLIER}"], id="introduced"
    ),
    pytest.param([REPLY, "Am 3. Mai 2025 schrieb Ann Harrow:", f"> {EARLIER}"], id="German"),
    pytest.param([REPLY, "-----Original Message-----", EARLIER], id="separated"),
    pytest.param(
        ["From: Bob\nTo: Ann\nDate: today", REPLY, "From: Ann\nSent: Monday\nTo: Bob", EARLIER],
        id="by headers",
    ),
]


@pytest.mark.parametrize("parts", THREADS)
def test_a_reply_and_what_it_quotes_are_not_mixed(parts: list[str]) -> None:
    parsed = document(*map(paragraph, parts))
    for chunk in chunks_of(parsed, DocumentClass.EMAIL, 400):
        assert not (REPLY in chunk and EARLIER in chunk)
    together = chunks_of(parsed, DocumentClass.REPORT, 400)
    assert len(together) == 1


def test_an_answer_between_quotes_stands_apart_from_them() -> None:
    parsed = document(paragraph("> When?"), paragraph("At nine."), paragraph("> Where?"))
    assert chunks_of(parsed, DocumentClass.EMAIL) == ["> When?", "At nine.", "> Where?"]


def test_the_chunks_of_a_divided_table_are_small_and_a_table_that_fits_is_whole() -> None:
    whole, divided = document(table(5)), document(table(40))
    policy = ChunkPolicy(target_tokens=80, table_share=0.5)
    assert len(chunk_blocks(whole, TOKENIZER, policy)) == 1
    chunks = chunk_blocks(divided, TOKENIZER, policy)
    assert all(chunk.token_count <= 40 for chunk in chunks)
    assert all(chunk.text.startswith("| name | value |") for chunk in chunks)


def test_a_caption_stays_with_the_table_it_stands_over() -> None:
    parsed = document(Draft(kind=BlockKind.CAPTION, text="Table 1: Names and values"), table(40))
    first, *_ = chunk_blocks(parsed, TOKENIZER, ChunkPolicy(target_tokens=80))
    assert first.text.startswith("Table 1: Names and values\n\n| name | value |")
