"""Areas are what lies together; their labels say what it shares and the rest lacks."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from footnote.knowledge.areas import MAX_AREAS, areas_of
from footnote.knowledge.layout import Plane


def heaps(*sizes: int) -> Plane:
    random = np.random.default_rng(11)
    angles = np.arange(len(sizes)) * 2 * np.pi / len(sizes)
    middles = 0.8 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    places = middles.repeat(sizes, axis=0)
    scattered = places + 0.04 * random.standard_normal(places.shape)
    return scattered.clip(-1, 1).astype(np.float32)


def test_each_heap_is_an_area_numbered_by_its_size() -> None:
    areas = areas_of(heaps(20, 60, 40, 30))
    assert [set(each.tolist()) for each in np.split(areas, [20, 80, 120])] == [{3}, {0}, {1}, {2}]


def test_what_is_too_small_belongs_to_its_neighbour() -> None:
    areas = areas_of(heaps(60, 2, 60))
    assert areas.max() == 1


@given(st.lists(st.tuples(*[st.floats(-1, 1, width=32)] * 2), max_size=80))
def test_every_document_has_one_of_few_areas(places: list[tuple[float, float]]) -> None:
    areas = areas_of(np.array(places, dtype=np.float32).reshape(-1, 2))
    assert areas.shape == (len(places),)
    if places:
        sizes = np.bincount(areas)
        assert len(sizes) <= MAX_AREAS
        assert (sizes > 0).all()
