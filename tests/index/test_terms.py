from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.index.terms import TERM_ID_LIMIT, term_ids


@given(st.binary(max_size=64), st.lists(st.text()))
def test_ids_are_31_bit_and_the_same_every_time(key: bytes, terms: list[str]) -> None:
    ids = term_ids(key, terms)
    assert ids == term_ids(key, iter(terms))
    assert len(ids) == len(terms)
    assert all(0 <= term_id < TERM_ID_LIMIT for term_id in ids)


def test_another_key_gives_other_ids() -> None:
    terms = [f"term{i}" for i in range(1000)]
    ours, theirs = term_ids(b"one workspace", terms), term_ids(b"another", terms)
    assert sum(a == b for a, b in zip(ours, theirs, strict=True)) <= 1


def test_ids_stay_the_same_from_release_to_release() -> None:
    assert term_ids(b"workspace", ["policy", "größe", ""]) == [1439972475, 36708883, 1671823933]


def test_ids_spread_over_the_whole_range() -> None:
    ids = term_ids(b"key", [str(i) for i in range(20_000)])
    assert len(set(ids)) >= 19_995
    assert sum(term_id >= TERM_ID_LIMIT // 2 for term_id in ids) == pytest.approx(10_000, rel=0.05)


def test_a_lone_surrogate_has_an_id() -> None:
    assert len(term_ids(b"key", ["\ud800"])) == 1


def test_a_key_longer_than_the_hash_takes_is_refused() -> None:
    with pytest.raises(ValueError, match="64"):
        term_ids(b"k" * 65, ["term"])
