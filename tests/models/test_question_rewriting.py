"""Questions are put anew by moving stretches of texts, as an independent pass says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.models.question_rewriting import KINDS, TaggedText, apply_rewrite, most_confident_span
from footnote.models.question_tokens import (
    BEGINS,
    BIO_TAGS,
    DROPPED,
    GOES_ON,
    PREFIX,
    QUESTION_TOKENS,
    EncodedText,
    encode_turns,
)
from footnote.models.reader import PackagedReader, open_reader
from footnote.models.reader_weights import ReaderWeights, read_weights
from footnote.models.tokenizing import UnigramPieces

from .test_reader_probes import reference_states
from .tiny_reader import write_tiny_reader


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    return write_tiny_reader(folder / "rewriting.safetensors", probes=1, rewriting=True)


@pytest.fixture(scope="module")
def weights(file: Path) -> ReaderWeights:
    return read_weights(file)


@pytest.fixture(scope="module")
def reader(file: Path, e5_folder: Path) -> Iterator[PackagedReader]:
    reader = open_reader(file, e5_folder, 2, "fp32")
    yield reader
    asyncio.run(reader.close())


def marked(text: str) -> TaggedText:
    """The text, with what stands in brackets marked."""
    plain, stretches = "", []
    for part in text.split("["):
        inner, closed, rest = part.rpartition("]")
        if closed:
            stretches.append((len(plain), len(plain) + len(inner)))
        plain += inner + rest
    return TaggedText(text=plain, stretches=stretches)


@pytest.mark.parametrize(
    ("kind", "asked", "answered", "question", "alone"),
    [
        ("alone", "Who pays?", "The owner.", "When is it due?", "When is it due?"),
        (
            "replaces",
            "What is due for [storm damage]?",
            "EUR 500.",
            "And for [fire]?",
            "What is due for fire?",
        ),
        (
            "replaces",
            "What did [Alder] earn in [2021]?",
            "",
            "[Birch] in [2022]",
            "What did Birch earn in 2022?",
        ),
        (
            "replaces",
            "Who clears the snow?",
            "The tenant.",
            "And [on Sundays]?",
            "Who clears the snow on Sundays?",
        ),
        ("replaces", "谁清扫积雪？", "租户。", "[星期天]呢？", "谁清扫积雪星期天？"),
        ("replaces", "[The bus] costs what?", "", "and [the tram]", "The tram costs what?"),
        ("replaces", "How far is the [mill]?", "", "and [the inn]", "How far is the inn?"),
        (
            "replaces",
            "When is [the clinic open] on Sunday?",
            "",
            "and [the pharmacy open on]?",
            "When is the pharmacy open on Sunday?",
        ),
        ("refers", "When was [the mill] built?", "1871.", "Who owns [it]?", "Who owns the mill?"),
        (
            "refers",
            "Who signed?",
            "[Anna Lind] did.",
            "Where does [she] live?",
            "Where does Anna Lind live?",
        ),
        (
            "refers",
            "What is [the fine]?",
            "Two euros.",
            "From when on?",
            "From when on? the fine",
        ),
        ("refers", "Who signed?", "Nobody.", "Where is [she]?", "Where is she?"),
        ("replaces", "Who [signed]?", "", "And then?", "And then?"),
    ],
)
def test_stretches_are_moved(
    kind: str, asked: str, answered: str, question: str, alone: str
) -> None:
    assert apply_rewrite(kind, marked(question), marked(asked), marked(answered)) == alone


@st.composite
def marked_texts(draw: st.DrawFn) -> TaggedText:
    """Any text with stretches that follow each other."""
    text = draw(st.text(max_size=40))
    ends = st.lists(st.integers(0, len(text)), max_size=8, unique=True)
    cuts = sorted(draw(ends))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    return TaggedText(text=text, stretches=pairs)


@given(
    kind=st.sampled_from(KINDS), question=marked_texts(), asked=marked_texts(), said=marked_texts()
)
def test_what_is_put_anew_was_said(
    kind: str, question: TaggedText, asked: TaggedText, said: TaggedText
) -> None:
    alone = apply_rewrite(kind, question, asked, said)
    known = set(f"{question.text}{asked.text}{said.text} ,?")
    assert {each.lower() for each in alone} <= {part for each in known for part in each.lower()} | {
        part for each in known for part in each.upper().lower()
    }
    if kind == "alone":
        assert alone == question.text


@given(question=st.text(max_size=200), asked=st.text(max_size=200), answered=st.text(max_size=200))
def test_tokens_stand_where_they_are_run(
    tokenizer: UnigramPieces, question: str, asked: str, answered: str
) -> None:
    talk = encode_turns(tokenizer, question, asked, answered)
    prefix = tokenizer.pieces(PREFIX.rstrip()).ids
    assert talk.ids[0] == tokenizer.begin
    assert talk.ids[-1] == tokenizer.end
    assert talk.question.first == 1 + len(prefix)
    for said in (talk.question, talk.asked, talk.answered):
        last = said.first + len(said.offsets)
        assert last < len(talk.ids) or not said.offsets
        assert all(0 <= start <= end <= len(said.text) for start, end in said.offsets)
    assert len(talk.ids) <= 300


def said_of(text: str, width: int = 1) -> EncodedText:
    """The text with a token for so many characters."""
    places = [(at, min(at + width, len(text))) for at in range(0, len(text), width)]
    return EncodedText(text=text, first=0, offsets=places)


def odds_of(labels: str) -> npt.NDArray[np.float32]:
    """Log-odds that speak for labels, a digit for each token."""
    return np.eye(4, dtype=np.float32)[[int(each) for each in labels]] * 5


def test_whole_words_are_marked_by_what_most_of_their_tokens_say() -> None:
    text = "ab cde fg"
    said = said_of(text)
    assert [text[each.start : each.stop] for each in said.words] == ["ab", " cde", " fg"]
    for labels, stretches in (
        ("120000222", ((0, 2), (7, 9))),  # what goes on has begun somewhere
        ("112222222", ((0, 9),)),
        ("001222000", ((3, 6),)),
        ("121222222", ((0, 2), (3, 9))),
        ("222222222", ((0, 9),)),
    ):
        assert said.stretches(said.labelled(odds_of(labels))) == stretches
    assert said.dropped(said.labelled(odds_of("003333000"))) == ((3, 6),)
    assert said_of("").labelled(odds_of("")) == []


def test_digits_that_something_joins_are_one_word() -> None:
    said = said_of("In 2024/25 at 9:30, or 7 / 8?")
    words = [said.text[each.start : each.stop].strip() for each in said.words]
    assert [each for each in words if any(map(str.isdigit, each))] == ["2024/25", "9:30", "7", "8"]


def test_of_several_stretches_the_surest_is_taken() -> None:
    one, other = said_of("ab cd"), EncodedText(text="ef", first=5, offsets=[(0, 1), (1, 2)])
    odds = odds_of("1201212")[:, : len(BIO_TAGS)]
    odds[5:] *= 2
    assert [each.pieces for each in most_confident_span((one, other), odds)] == [[], ["ef"]]
    odds[5:] *= 0.1
    assert [each.pieces for each in most_confident_span((one, other), odds)] == [["ab"], []]
    assert [
        each.pieces for each in most_confident_span((one,), odds_of("00000")[:, : len(BIO_TAGS)])
    ] == [[]]


def test_where_no_spaces_part_words_each_token_is_one() -> None:
    said = said_of("房租和押金")
    assert said.stretches(said.labelled(odds_of("12012"))) == ((0, 2), (3, 5))
    assert [len(each) for each in said_of("임대료는").words] == [1, 1, 1, 1]


@given(text=st.text(max_size=40), width=st.integers(1, 4), seed=st.integers(0, 99))
def test_any_odds_mark_stretches_that_follow_each_other(text: str, width: int, seed: int) -> None:
    said = said_of(text, width)
    draw = np.random.default_rng(seed)
    words = said.labelled(draw.normal(0, 3, (len(said.offsets), 4)).astype(np.float32))
    tokens = [at for word in said.words for at in word]
    assert tokens == list(range(len(said.offsets)))
    for before, word in pairwise(words):
        assert word.label != GOES_ON or before.label in (BEGINS, GOES_ON)
    marked = sorted([*said.stretches(words), *said.dropped(words)])
    assert all(text[start:end].strip() == text[start:end] != "" for start, end in marked)
    assert all(one[1] <= other[0] for one, other in pairwise(marked))
    assert all(
        each.label in (0, BEGINS, GOES_ON, DROPPED) and 0 <= each.chance <= 1 for each in words
    )


async def test_what_is_marked_equals_an_independent_pass(
    reader: PackagedReader, weights: ReaderWeights, tokenizer: UnigramPieces
) -> None:
    head = weights.rewriter
    assert head is not None
    put = set()
    for number in range(10):
        question = f"And for {'the other ' * (number % 5)}thing {number}?"
        asked, answered = f"What is due for number {number}?", "Nothing, said the warden."
        talk = encode_turns(tokenizer, question, asked, answered)
        states = reference_states(weights, talk.ids, above=weights.rewriting)
        kind = KINDS[int((states[0] @ head.kinds + head.kinds_bias).argmax())]
        odds = (states @ head.labels + head.labels_bias).astype(np.float32)
        stretches = [
            each.stretches(each.labelled(odds))
            for each in (talk.question, talk.asked, talk.answered)
        ]
        texts = (
            TaggedText(text=each, stretches=own)
            for each, own in zip((question, asked, answered), stretches, strict=True)
        )
        if kind == "refers" and stretches[0]:
            continue  # It is run again on what comes of it.
        if kind == "replaces":
            stretches[2] = ()  # Its piece takes the place of one of the question's.
        if (kind == "refers" or len(stretches[0]) == 1) and sum(map(len, stretches[1:])) > 1:
            continue  # The surest of them is taken, as below.
        alone = apply_rewrite(kind, *texts)
        assert await reader.rewrite_follow_up(question, asked, answered) == alone
        put.add(alone == question)
    assert False in put


async def test_a_question_that_is_too_long_to_read_stays_whole(reader: PackagedReader) -> None:
    question = "Who pays and when? " * QUESTION_TOKENS
    assert await reader.rewrite_follow_up(question, "Who pays?", "The owner.") == question


async def test_a_reader_without_it_cannot_tell(tmp_path: Path, e5_folder: Path) -> None:
    file = write_tiny_reader(tmp_path / "probed.safetensors", probes=1)
    plain = open_reader(file, e5_folder, 2)
    assert await plain.rewrite_follow_up("And fire?", "What is due for storm?", "") is None
    await plain.close()
