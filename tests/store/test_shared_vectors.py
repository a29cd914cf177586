"""Vectors that several processes hold together are those that each would hold alone."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from footnote.index.quantised import HalfVectors, QuantisedVectors
from footnote.store.database import Database
from footnote.store.shared_vectors import SharedVectors
from footnote.store.vector_cache import VectorCache
from footnote.store.vector_file import MIN_ROWS
from tests.store.shelves import new_shelf
from tests.store.test_vector_cache import ROOM, _held, _rank_alike, _state

KEY = uuid4(), 3


def drawn(count: int, dimensions: int = 16) -> HalfVectors:
    chance = np.random.default_rng(count)
    return chance.normal(size=(count, dimensions)).astype(np.float16)


@pytest.mark.parametrize("count", [1, 1000, MIN_ROWS], ids=["one", "mapped", "read"])
def test_what_is_found_is_what_was_kept(tmp_path: Path, count: int) -> None:
    numbers = np.arange(5, 5 + 3 * count, 3, dtype=np.int32)
    rows = drawn(count)
    quantised = QuantisedVectors.of(rows)
    one, other = SharedVectors(tmp_path), SharedVectors(tmp_path)
    assert other.find(KEY, numbers, 16) is None
    kept = one.keep(KEY, numbers, rows, quantised, forgotten=0)
    for found in (kept, other.find(KEY, numbers, 16)):
        assert found is not None
        places = np.arange(count)[:: max(1, count // 50)]
        assert np.array_equal(found[0][places], rows[places])
        assert np.array_equal(found[1].codes, quantised.codes)
        assert np.array_equal(found[1].scales, quantised.scales)
        assert np.array_equal(found[1].errors, quantised.errors)
        assert found[1].longest == quantised.longest
        assert not found[1].codes.flags.writeable
    assert other.find(KEY, numbers + 1, 16) is None
    assert other.find((KEY[0], 4), numbers, 16) is None
    assert other.find((uuid4(), 3), numbers, 16) is None


def test_a_newer_file_takes_the_place_of_the_older_one_and_a_forgotten_one_is_gone(
    tmp_path: Path,
) -> None:
    shared = SharedVectors(tmp_path)
    kept = []
    for count in (5, 7):
        rows = drawn(count)
        numbers = np.arange(count, dtype=np.int32)
        kept.append(shared.keep(KEY, numbers, rows, QuantisedVectors.of(rows), forgotten=0))
        assert len(list(tmp_path.iterdir())) == 1
    assert kept[0] is not None
    assert np.array_equal(kept[0][0][np.arange(5)], drawn(5)), "who maps it goes on"
    shared.forget(uuid4())
    assert list(tmp_path.iterdir())
    shared.forget(KEY[0])
    assert not list(tmp_path.iterdir())
    # What was read before it was to be forgotten comes too late.
    rows = drawn(7)
    assert not shared.keep(
        KEY, np.arange(7, dtype=np.int32), rows, QuantisedVectors.of(rows), forgotten=0
    )
    assert not list(tmp_path.iterdir())


def test_of_processes_that_write_at_once_all_map_one_file(tmp_path: Path) -> None:
    rows = drawn(2000)
    numbers, quantised = np.arange(2000, dtype=np.int32), QuantisedVectors.of(rows)

    def keep(_: int) -> object:
        return SharedVectors(tmp_path).keep(KEY, numbers, rows, quantised, forgotten=0)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(keep, range(40)))
    (file,) = tmp_path.iterdir()
    assert file.stat().st_nlink == 1


def test_without_room_or_folder_nothing_is_shared(tmp_path: Path) -> None:
    rows = drawn(3)
    shared = SharedVectors(tmp_path / "absent")
    numbers = np.arange(3, dtype=np.int32)
    assert shared.keep(KEY, numbers, rows, QuantisedVectors.of(rows), forgotten=0) is None
    shared.forget(KEY[0])


async def test_the_second_process_reads_no_vectors_from_the_database(
    database: Database, tmp_path: Path
) -> None:
    shelf = await new_shelf(database)
    await shelf.put(*(f"clause 3.{number} on notice" for number in range(30)))
    state = await _state(shelf)
    caches = [VectorCache(ROOM, shared=SharedVectors(tmp_path)) for _ in range(2)]
    for cache in caches:
        _held(cache, shelf, state)
        await cache.settled()
    first, second = (_held(cache, shelf, state) for cache in caches)
    assert first is not None
    assert second is not None
    visible = first.covered
    assert await _rank_alike(shelf, state, first, visible) == await _rank_alike(
        shelf, state, second, visible
    )
    assert not second.quantised.codes.flags.writeable, "it is mapped"
    assert caches[0].forget(shelf.workspace.workspace_id)
    assert os.listdir(tmp_path) == []  # noqa: PTH208  # a path would be told not to block
