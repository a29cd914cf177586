"""A summary is made of sentences as they stand, the central ones, none of which says what another
does."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footnote.domain import BlockKind
from footnote.knowledge.summaries import candidates_of, centralities, select_sentences
from footnote.knowledge.texts import DocumentText, TextBlock
from footnote.ports import Vectors


def a_text(*blocks: str, kind: BlockKind = BlockKind.PARAGRAPH) -> DocumentText:
    found, start = [], 0
    for each in blocks:
        found.append(TextBlock(kind=kind, start=start, end=start + len(each), headings=()))
        start += len(each) + 2
    return DocumentText(text="\n\n".join(blocks), title="Paper", language="en", blocks=tuple(found))


def unit(rows: npt.NDArray[np.float64]) -> Vectors:
    found: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return found


def said(document: DocumentText) -> list[str]:
    return [document.text[each.start : each.end] for each in candidates_of(document)]


def test_whole_sentences_of_prose_can_stand_in_a_summary() -> None:
    first = "The harbour raises its fees for berths in March."
    second = "Ferries pay less than other ships do."
    document = a_text(f"{first} {second} See below:", "Yes.")
    assert said(document) == [first, second]
    assert said(a_text(first, kind=BlockKind.TABLE)) == []
    assert said(a_text(first, first)) == [first]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text("ab .\n!?é漢", max_size=200), max_size=6))
def test_every_candidate_is_a_stretch_of_the_text_in_its_order(blocks: list[str]) -> None:
    document = a_text(*blocks)
    found = candidates_of(document)
    assert [each.start for each in found] == sorted(each.start for each in found)
    for each in found:
        sentence = document.text[each.start : each.end]
        assert sentence == sentence.strip()
        assert any(block.start <= each.start and each.end <= block.end for block in document.blocks)


def test_of_many_sentences_those_on_the_subject_are_candidates() -> None:
    on = [f"The harbour fee of quay number {each} is raised again." for each in range(60)]
    off = [f"Zebra{each} quietly xylophone{each} nowhere{each} yonder{each}." for each in range(60)]
    found = said(a_text(" ".join(off[:30] + on + off[30:])))
    assert len(found) == 64
    assert set(on) <= set(found)
    assert off[0] in found


def test_what_many_sentences_are_like_is_central() -> None:
    near = np.eye(6)[0] + 0.2 * np.random.default_rng(0).normal(size=(5, 6))
    vectors = unit(np.concatenate([near, -np.eye(6)[:1] + 0.1, np.eye(6)[0:1]]))
    weights = centralities(vectors)
    assert weights.max() == 1
    assert weights.argmin() == 5


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_sentences_are_weighed_too(count: int) -> None:
    vectors = unit(np.random.default_rng(0).normal(size=(count, 4))) if count else np.zeros((0, 4))
    weights = centralities(vectors.astype(np.float32))
    assert weights.shape == (count,)
    assert select_sentences(vectors.astype(np.float32), weights, 5) != [] or not count


def test_nothing_is_said_twice() -> None:
    vectors = unit(np.array([[1, 0.01], [1, 0], [0, 1]]))
    assert sorted(select_sentences(vectors, np.array([1.0, 0.99, 0.2]), 3)) == [0, 2]


def test_no_document_has_more_than_its_share() -> None:
    vectors = unit(np.random.default_rng(3).normal(size=(10, 8)))
    owners = [0] * 8 + [1, 2]
    found = select_sentences(vectors, np.linspace(1, 0.1, 10), 6, owners=owners, of_each=2)
    assert [owners[each] for each in found].count(0) == 2
    assert {8, 9} <= set(found)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 30), st.integers(1, 10), st.integers(0, 99))
def test_so_many_different_sentences_are_chosen_as_there_are_or_are_wanted(
    count: int, most: int, seed: int
) -> None:
    rows = np.random.default_rng(seed).normal(size=(count, 16)) if count else np.zeros((0, 16))
    vectors = unit(rows) if count else rows.astype(np.float32)
    found = select_sentences(vectors, centralities(vectors), most)
    assert len(found) == len(set(found)) <= min(most, count)
