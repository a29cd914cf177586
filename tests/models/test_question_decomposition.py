"""A question for several things is parted where an independent pass says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from footnote.errors import ModelUnavailable
from footnote.models.question_decomposition import MAX_PARTS, split_question
from footnote.models.question_rewriting import TaggedText
from footnote.models.question_tokens import BEGINS, QUESTION_TOKENS, encode_turns
from footnote.models.reader import PackagedReader, open_reader
from footnote.models.reader_weights import ReaderWeights, read_weights
from footnote.models.tokenizing import UnigramPieces

from .test_question_rewriting import marked, marked_texts
from .test_reader_probes import reference_states
from .tiny_reader import write_tiny_reader


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    return write_tiny_reader(folder / "parting.safetensors", probes=1, rewriting=True, parting=True)


@pytest.fixture(scope="module")
def weights(file: Path) -> ReaderWeights:
    return read_weights(file)


@pytest.fixture(scope="module")
def reader(file: Path, e5_folder: Path) -> Iterator[PackagedReader]:
    reader = open_reader(file, e5_folder, 2, "fp32")
    yield reader
    asyncio.run(reader.close())


@pytest.mark.parametrize(
    ("text", "dropped", "parts"),
    [
        ("When does it [begin] and [end]?", ["and"], ("When does it begin?", "When does it end?")),
        ("[Who is it] and [what is due]?", ["and"], ("Who is it?", "what is due?")),
        ("The rent of both [A] and [B]?", ["both", "and"], ("The rent of A?", "The rent of B?")),
        ("Did [Ann] pay more than [Bo]?", ["than"], ("Did Ann pay more?", "Did Bo pay more?")),
        ("Is [A] dearer than [B] now?", ["than"], ("Is A dearer now?", "Is B dearer now?")),
        ("[房租]和[押金]是多少？", ["和"], ("房租是多少？", "押金是多少？")),
        ("[A]的押金比[B]高吗？", ["比"], ("A的押金高吗？", "B的押金高吗？")),
        ("What is [due]?", [], ("What is due?",)),
        ("What is due?", [], ("What is due?",)),
        ("[a] [b] [c] [d] [e] [f] [g] [h] [i]", [], ("a b c d e f g h i",)),
    ],
)
def test_parts_have_what_belongs_to_all(
    text: str, dropped: list[str], parts: tuple[str, ...]
) -> None:
    question = marked(text)
    starts = [question.text.index(each) for each in dropped]
    places = [(at, at + len(each)) for at, each in zip(starts, dropped, strict=True)]
    assert split_question(question.text, question.stretches, places) == parts


@given(question=marked_texts())
def test_parts_are_few_and_of_the_question(question: TaggedText) -> None:
    parts = split_question(question.text, question.stretches)
    assert 1 <= len(parts) <= MAX_PARTS
    assert all(set(each) <= set(question.text) | {" "} for each in parts)
    if len(question.stretches) < 2:
        assert parts == (question.text,)


async def test_parts_are_believed_from_their_probability_on(
    reader: PackagedReader, weights: ReaderWeights, tokenizer: UnigramPieces
) -> None:
    head = weights.parts
    assert head is not None
    counts = set()
    for number in range(14):
        question = " ".join(f"w{each * number} and" for each in range(2 + number % 9))
        talk = encode_turns(tokenizer, question)
        states = reference_states(weights, talk.ids, above=weights.parting)
        odds = (states @ head.labels + head.labels_bias).astype(np.float32)
        words = talk.question.labelled(odds)
        sure = [each.chance for each in words if each.label == BEGINS]
        believed = bool(sure) and min(sure) >= head.least
        stretches = talk.question.stretches(words) if believed else ()
        expected = split_question(question, stretches, talk.question.dropped(words))
        assert tuple(await reader.decompose(question)) == expected
        counts.add(len(expected))
    assert len(counts) > 1


async def test_a_question_that_is_too_long_to_read_stays_whole(reader: PackagedReader) -> None:
    question = "Who pays and when? " * QUESTION_TOKENS
    assert tuple(await reader.decompose(question)) == (question,)


@pytest.mark.parametrize("parting", [False, True])
async def test_a_reader_without_it_leaves_questions_whole(
    tmp_path: Path, e5_folder: Path, *, parting: bool
) -> None:
    file = write_tiny_reader(
        tmp_path / "less.safetensors", probes=1, rewriting=not parting, parting=parting
    )
    assert read_weights(file).parts is None
    reader = open_reader(file, e5_folder, 2)
    assert tuple(await reader.decompose("Who and when?")) == ("Who and when?",)
    await reader.close()


def test_a_head_of_another_shape_is_refused(tmp_path: Path) -> None:
    file = write_tiny_reader(
        tmp_path / "seven.safetensors", probes=1, rewriting=True, parting=True, labels=7
    )
    with pytest.raises(ModelUnavailable, match=r"parting\.labels has the shape"):
        read_weights(file)
