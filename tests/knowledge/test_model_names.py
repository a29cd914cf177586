"""What a model calls a name is one only where the passages have it, whatever it says."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import BlockKind
from footnote.knowledge.model_names import NamesRead, names_of_reply, without_overlaps
from footnote.knowledge.prompt_passages import batches_of, passages_of
from footnote.knowledge.texts import DocumentText, TextBlock
from footnote.ports import NamedSpan

TEXT = """Acme Insurance hired Maria
Keller in Bern. Acme pays her.

The Bern office of Bolt was sold to Acme."""


def document(text: str = TEXT) -> DocumentText:
    blocks = []
    place = 0
    for part in text.split("\n\n"):
        start = text.index(part, place)
        place = start + len(part)
        blocks.append(
            TextBlock(kind=BlockKind.PARAGRAPH, start=start, end=place, headings=(part[:4],))
        )
    return DocumentText(text=text, title="Report", language="en", blocks=tuple(blocks))


def read(*said: object, text: str = TEXT) -> NamesRead | None:
    whole = document(text)
    [batch] = batches_of(passages_of(whole))
    return names_of_reply(json.dumps(list(said)), whole, batch)


def named(name: str, kind: str = "organisation", passage: int = 1) -> dict[str, object]:
    return {"passage": passage, "kind": kind, "name": name}


def written(found: NamesRead | None) -> list[tuple[str, str]]:
    assert found is not None
    return [(TEXT[each.start : each.end], each.kind) for each in found.names]


def test_each_place_where_the_passage_has_the_name_is_found() -> None:
    found = read(named("Acme"), named("Acme Insurance"), named("Maria Keller", "person"))
    assert written(found) == [
        ("Acme Insurance", "organisation"),
        ("Maria\nKeller", "person"),
        ("Acme", "organisation"),
    ]


@pytest.mark.parametrize("name", ["Zenith", "acme insurance", "Acm", "   ", "Acme Insurance AG"])
def test_what_stands_nowhere_is_left_out_and_counted(name: str) -> None:
    found = read(named(name), named("Bolt", passage=2))
    assert written(found) == [("Bolt", "organisation")]
    assert found is not None
    assert found.left_out == 1


def test_a_name_of_another_passage_is_found_there() -> None:
    assert written(read(named("Bolt", passage=1))) == [("Bolt", "organisation")]


def test_kinds_that_there_are_not_are_passed_over() -> None:
    found = read(named("Acme", "money"), {"name": "Bolt"}, named("Bern", "place", passage=2))
    assert written(found) == [("Bern", "place")]


@pytest.mark.parametrize("reply", ["", "I found none.", "{}", "[", "[1, 2]"])
def test_a_reply_that_is_no_list_of_names_is_none(reply: str) -> None:
    whole = document()
    [batch] = batches_of(passages_of(whole))
    assert names_of_reply(reply, whole, batch) is None


def test_a_list_that_breaks_off_keeps_what_came_before() -> None:
    whole = document()
    [batch] = batches_of(passages_of(whole))
    reply = json.dumps([named("Acme"), named("Bolt", passage=2)])[:-20]
    assert written(names_of_reply(reply, whole, batch)) == [
        ("Acme", "organisation"),
        ("Acme", "organisation"),
    ]


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), max_size=8),
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), max_size=8),
)
def test_names_of_two_sources_never_overlap_and_the_first_goes_before(
    ours: list[tuple[int, int]], theirs: list[tuple[int, int]]
) -> None:
    first, second = (
        [
            NamedSpan(start=start, end=start + length, kind=kind, probability=1.0)
            for start, length in spans
        ]
        for spans, kind in ((ours, "person"), (theirs, "place"))
    )
    kept = without_overlaps(first, second)
    assert all(a.end <= b.start for a, b in pairwise(kept))
    assert [each for each in kept if each.kind == "person"] == without_overlaps(first)
