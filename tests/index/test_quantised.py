"""Bounds on products of vectors in int8 hold, whichever kernel compares them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from footnote.index import quantised
from footnote.index.quantised import Codes, HalfVectors, QuantisedVectors, int8_products
from footnote.ports import Vector

VALUES = st.floats(-1, 1, width=16)
ROWS = arrays.arrays(np.float16, (7, 5), elements=VALUES)
QUERY = arrays.arrays(np.float32, 5, elements=VALUES)
CODES = arrays.arrays(np.int8, (9, 33), elements=st.integers(-127, 127))


@given(rows=ROWS, query=QUERY)
def test_no_product_exceeds_its_bound(rows: HalfVectors, query: Vector) -> None:
    exact = rows.astype(np.float64) @ query.astype(np.float64)
    assert (QuantisedVectors.of(rows).bounds(query) >= exact).all()


@given(rows=ROWS, query=QUERY, places=st.lists(st.integers(0, 6)))
def test_bounds_at_places_are_those_of_all(
    rows: HalfVectors, query: Vector, places: list[int]
) -> None:
    held, wanted = QuantisedVectors.of(rows), np.array(places, dtype=np.intp)
    assert np.array_equal(held.bounds(query, wanted), held.bounds(query)[wanted])


@given(rows=ROWS, cut=st.integers(0, 7), order=st.permutations(range(7)))
def test_pieces_are_quantised_as_the_whole_is(
    rows: HalfVectors, cut: int, order: list[int]
) -> None:
    pieces = [QuantisedVectors.of(rows[:cut]), QuantisedVectors.of(rows[cut:])]
    joined = QuantisedVectors.joined(pieces, np.array(order, dtype=np.intp))
    whole = QuantisedVectors.of(rows[order])
    assert np.array_equal(joined.codes, whole.codes)
    assert np.array_equal(joined.scales, whole.scales)
    assert np.array_equal(joined.errors, whole.errors)
    assert joined.longest == whole.longest


@given(codes=CODES)
def test_products_are_exact(codes: Codes) -> None:
    expected = codes.astype(np.int64) @ codes[0].astype(np.int64)
    assert np.array_equal(int8_products(codes, codes[0]), expected)


def test_without_the_kernel_products_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = np.random.default_rng(3).integers(-127, 128, (70_000, 16), dtype=np.int8)
    fast = int8_products(codes, codes[1])
    monkeypatch.setattr(quantised, "_cdist", None)
    assert np.array_equal(int8_products(codes, codes[1]), fast)


def test_no_vectors_have_no_bounds() -> None:
    nothing = QuantisedVectors.of(np.zeros((0, 5), np.float16))
    assert nothing.bounds(np.ones(5, np.float32)).size == 0
