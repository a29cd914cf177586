"""Which documents a query names, told from the posting lists of names alone."""

from __future__ import annotations

import numpy as np
import pytest

from footnote.index.bm25 import decode_posting
from footnote.index.naming import NamedDocuments, name_terms, named_documents
from footnote.index.ranges import ChunkRanges
from footnote.index.segments import merge_postings
from footnote.index.terms import term_ids
from tests.index.reference import build_segment

KEY = b"key"
EVERYTHING = ChunkRanges.everything()
DOCUMENTS = (
    (3, ("apple", "2022", "q3", "2022q3", "10-q")),
    (2, ("apple", "2023", "q1", "2023q1", "10-q")),
    (4, ("pear", "2022", "q3", "2022q3", "10-q")),
    (1, ("pear", "2023", "q1", "2023q1", "10-q")),
)
"""For each, its number of chunks and what it is called."""


def postings_of(query: tuple[str, ...]) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """What segments of these documents say of the terms, merged."""
    asked = term_ids(KEY, name_terms(query))
    lists: dict[int, list[tuple[bytes, bytes]]] = {term: [] for term in asked}
    first = 0
    for size, names in DOCUMENTS:
        segment = build_segment(first, [[7]] * size, name_terms=term_ids(KEY, name_terms(names)))
        for posting in segment.lists:
            if posting.term in lists:
                lists[posting.term].append((posting.chunk_numbers, posting.frequencies))
        first += size
    return {
        term: decode_posting(*merge_postings(groups, ChunkRanges.empty()))
        for term, groups in lists.items()
    }


def look_up(*query: str, visible: ChunkRanges = EVERYTHING) -> NamedDocuments | None:
    postings = postings_of(query)
    return named_documents(postings, term_ids(KEY, name_terms(()))[0], visible)


def named(*query: str, visible: ChunkRanges = EVERYTHING) -> NamedDocuments:
    found = look_up(*query, visible=visible)
    assert found is not None
    return found


def test_the_document_with_every_name_is_named_best() -> None:
    found = named("apple", "q3", "2022", "2022q3", "10-q", "gross", "margin")
    assert found.best.pairs == ((0, 3),)
    lacks = found.lacks(np.arange(10, dtype=np.int32))
    assert lacks[:3].tolist() == [0, 0, 0]
    assert (lacks[3:] > 0).all()
    assert lacks[3] < lacks[9], "one that shares a name lacks less than one that shares none"


def test_documents_that_are_named_alike_are_searched_together() -> None:
    assert named("apple", "pear", "2023q1").best.pairs == ((3, 5), (9, 10))


@pytest.mark.parametrize("query", [("10-q",), ("gross", "margin"), ()])
def test_what_all_or_none_are_called_names_nothing(query: tuple[str, ...]) -> None:
    assert look_up(*query) is None


def test_documents_that_cannot_be_seen_have_no_part_in_it() -> None:
    visible = ChunkRanges.from_pairs([(3, 10)])
    assert named("apple", "2022q3").best.pairs == ((0, 3),)
    assert look_up("apple", "2022q3", visible=visible) is None, "one alone is left of each"
    assert look_up("apple", visible=ChunkRanges.empty()) is None
