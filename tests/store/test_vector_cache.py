"""What is held of a workspace's vectors finds what the database would find."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from footnote.domain import LOCAL_PRINCIPAL, Principal, Ranking, SearchFilters
from footnote.index.bm25 import Numbers
from footnote.index.quantised import HalfVectors, QuantisedVectors
from footnote.index.ranges import ChunkRanges
from footnote.ports import RecallRequest, Vector, Vectors
from footnote.store.database import Database
from footnote.store.dense import DenseBreadth, ask_nearest, complete_similarities, read_nearest
from footnote.store.index_cache import IndexState
from footnote.store.index_state import load_scope, load_state
from footnote.store.lexical import scores_of
from footnote.store.vector_cache import CachedVectors, VectorCache
from footnote.store.vector_file import MIN_ROWS, set_aside
from tests.store.shelves import Shelf, new_shelf

BREADTH = DenseBreadth(exact_up_to=20_000, ef_search=100)
ROOM = 2**26
ALICE, BOB = Principal(principal_id="alice"), Principal(principal_id="bob")
# Sums of these products are exact, so equal cosines are equal to the last bit.
EIGHTHS = arrays.arrays(
    np.float32, (12, 4), elements=st.integers(-8, 8).map(lambda number: number / 8)
)


@given(
    rows=EIGHTHS,
    query=st.integers(0, 11),
    shown=st.sets(st.integers(0, 40)),
    limit=st.integers(1, 15),
)
def test_held_vectors_rank_as_sorting_all_of_them_does(
    rows: Vectors, query: int, shown: set[int], limit: int
) -> None:
    numbers = np.arange(2, 38, 3, dtype=np.int32)
    visible = ChunkRanges.from_pairs((number, number + 1) for number in shown)
    products = {int(n): float(row @ rows[query]) for n, row in zip(numbers, rows, strict=True)}
    expected = sorted(
        (pair for pair in products.items() if pair[0] in shown),
        key=lambda pair: (-pair[1], pair[0]),
    )[:limit]
    found = _all_held(numbers, rows).nearest(rows[query], visible, limit)
    assert [(hit.chunk_no, hit.score) for hit in found] == expected


@pytest.mark.parametrize("shown", [1.0, 0.5, 0.001], ids=["all", "half", "a thousandth"])
@pytest.mark.parametrize("outliers", [0, 3], ids=["alike", "with outlying values"])
def test_none_of_the_hundred_nearest_are_lost(shown: float, outliers: int) -> None:
    chance = np.random.default_rng(5)
    rows = _clustered(chance, 12_000, 384)
    # One large value leaves the others of its vector few steps of the int8.
    rows[::7, :outliers] += 0.8
    numbers = np.arange(len(rows), dtype=np.int32)
    held = _all_held(numbers, rows)
    seen = np.flatnonzero(chance.random(len(rows)) < shown).astype(np.int32)
    visible = ChunkRanges.from_rising(seen)
    kept = rows.astype(np.float16).astype(np.float32)
    for query in _clustered(chance, 5, 384):
        products = np.vecdot(kept[seen], query.astype(np.float16).astype(np.float32))
        best = seen[np.argsort(-products, kind="stable")][:100]
        found = held.nearest(query, visible, 100)
        assert [hit.chunk_no for hit in found] == best.tolist()


@pytest.mark.parametrize("there", [True, False], ids=["in a file", "in memory"])
def test_many_vectors_lie_in_a_file_without_a_name_and_are_found_as_before(
    tmp_path: Path, there: bool
) -> None:
    chance = np.random.default_rng(5)
    rows = _clustered(chance, MIN_ROWS, 16).astype(np.float16)
    numbers = np.arange(len(rows), dtype=np.int32)
    held = _of_rows(numbers, rows, tmp_path if there else tmp_path / "absent")
    before = _of_rows(numbers, rows)
    assert held.rows.nbytes == (0 if there else rows.nbytes)
    assert not list(tmp_path.iterdir())
    for shown in (len(rows), 150, 0):
        visible = ChunkRanges.from_rising(numbers[:shown])
        for query in _clustered(chance, 3, 16):
            assert held.nearest(query, visible, 100) == before.nearest(query, visible, 100)
    some = [0, 7, MIN_ROWS - 1, MIN_ROWS]
    assert held.similarities(query, some) == before.similarities(query, some)


async def test_the_database_and_the_process_rank_alike(database: Database) -> None:
    shelf = await new_shelf(database)
    for number in range(5):
        await shelf.put(*(f"clause {number}.{each} on notice" for each in range(7)))
    cache = VectorCache(ROOM)
    state = await _state(shelf)
    assert _held(cache, shelf, state) is None
    await cache.settled()
    held = _held(cache, shelf, state)
    assert held is not None
    assert held.covered.count == 35
    await _rank_alike(shelf, state, held, await _visible(shelf))


async def test_what_came_after_loading_is_asked_of_the_database(database: Database) -> None:
    shelf = await new_shelf(database)
    first = await shelf.put("the tenant pays", "the landlord repairs", "the notice ends it")
    await shelf.put("the deposit is returned")
    cache = VectorCache(ROOM)
    _held(cache, shelf, await _state(shelf))
    await cache.settled()
    await shelf.put("the tenant gives notice", "the tenant leaves")
    await shelf.remove(first)
    state = await _state(shelf)
    held = _held(cache, shelf, state)
    await cache.settled()
    assert held is not None
    assert held.covered.count == 4, "so little is not worth a copy"
    visible = await _visible(shelf)
    ranked = await _rank_alike(shelf, state, held, visible)
    assert {hit.chunk_no for hit in ranked} == {3, 4, 5}


async def test_a_hidden_document_stays_hidden_when_its_vectors_are_held(
    database: Database,
) -> None:
    shelf = await new_shelf(database)
    await shelf.put("the salary of the director", access=("alice",))
    await shelf.put("the salary of everybody")
    cache = VectorCache(ROOM)
    state = await _state(shelf)
    _held(cache, shelf, state)
    await cache.settled()
    held = _held(cache, shelf, state)
    assert held is not None
    assert held.covered.count == 2
    query = await shelf.embedder.embed_query("the salary of the director")
    seen = {}
    for principal in (ALICE, BOB):
        found = held.nearest(query, await _visible(shelf, principal), 10)
        seen[principal.principal_id] = [hit.chunk_no for hit in found]
    assert seen == {"alice": [0, 1], "bob": [1]}


async def test_completing_gives_the_cosines_of_the_database(database: Database) -> None:
    shelf = await new_shelf(database)
    await shelf.put("one clause", "another clause", "no rent is due")
    cache = VectorCache(ROOM)
    state = await _state(shelf)
    _held(cache, shelf, state)
    await cache.settled()
    held = _held(cache, shelf, state)
    query = await shelf.embedder.embed_query("clause")
    async with database.snapshot(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        recalled = await shelf.recall("clause")
        asked = await complete_similarities(scope, state, query, (), recalled.lexical)
    async with database.snapshot(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        known = await complete_similarities(scope, state, query, (), recalled.lexical, cached=held)
    assert asked.keys() == known.keys() == {0, 1}
    assert known == pytest.approx(asked, abs=1e-6)


async def test_much_that_is_new_is_loaded_and_the_dead_are_dropped(database: Database) -> None:
    shelf = await new_shelf(database)
    old = await shelf.put(*(f"old {number}" for number in range(300)))
    cache = VectorCache(ROOM)
    _held(cache, shelf, await _state(shelf))
    await cache.settled()
    await shelf.put(*(f"new {number}" for number in range(600)))
    await shelf.remove(old)
    state = await _state(shelf)
    _held(cache, shelf, state)
    await cache.settled()
    held = _held(cache, shelf, state)
    assert held is not None
    assert held.covered == ChunkRanges.from_pairs([(300, 900)])
    await _rank_alike(shelf, state, held, await _visible(shelf))


async def test_what_is_being_loaded_when_it_is_forgotten_is_not_kept(database: Database) -> None:
    shelf = await new_shelf(database)
    await shelf.put("one clause", "another clause")
    cache = VectorCache(ROOM)
    state = await _state(shelf)
    _held(cache, shelf, state)
    cache.forget(shelf.workspace.workspace_id)
    await cache.settled()
    assert _held(cache, shelf, state) is None
    await cache.settled()
    assert _held(cache, shelf, state) is not None


async def test_a_workspace_without_room_is_left_to_the_database(database: Database) -> None:
    shelf = await new_shelf(database)
    await shelf.put("one clause", "another clause")
    state = await _state(shelf)
    for capacity in (0, 100):
        cache = VectorCache(capacity)
        for _ in range(2):
            assert _held(cache, shelf, state) is None
            await cache.settled()


async def test_only_what_nobody_asks_for_makes_room(database: Database) -> None:
    shelves = [await new_shelf(database, name) for name in ("first", "second")]
    for shelf in shelves:
        await shelf.put("one clause", "another clause")
    states = [await _state(shelf) for shelf in shelves]
    dimensions = shelves[0].lane.dimensions
    cache = VectorCache(2 * (3 * dimensions + 12))
    _held(cache, shelves[0], states[0])
    await cache.settled()
    for _ in range(1000):
        assert _held(cache, shelves[0], states[0]) is not None
    assert _held(cache, shelves[1], states[1]) is None
    await cache.settled()
    assert _held(cache, shelves[1], states[1]) is None, "the first is in use"
    for _ in range(1000):
        _held(cache, shelves[1], states[1])
    await shelves[1].put("a third clause")
    assert _held(cache, shelves[1], await _state(shelves[1])) is None
    await cache.settled()
    assert _held(cache, shelves[0], states[0]) is None, "nobody asked for it in a long time"


@pytest.mark.usefixtures("own_database")
async def test_a_failed_load_leaves_the_search_to_the_database(database: Database) -> None:
    shelf = await new_shelf(database)
    await shelf.put("one clause")
    state = await _state(shelf)
    await database.pool.close()
    cache = VectorCache(ROOM)
    for _ in range(2):
        assert _held(cache, shelf, state) is None
        await cache.settled()
    await cache.close()


async def _rank_alike(
    shelf: Shelf, state: IndexState, held: CachedVectors, visible: ChunkRanges
) -> Ranking:
    """Search with and without what is held; gives what both find."""
    ranked: Ranking = ()
    for shown in (visible, ChunkRanges.from_pairs([*visible][:1])):
        for text in ("clause 3.4 on notice", "the tenant", "new 17"):
            vector = await shelf.embedder.embed_query(text)
            alone = await _nearest(shelf, state, shown, vector, None)
            ranked = await _nearest(shelf, state, shown, vector, held)
            # Which of equals comes last within a limit the database leaves open.
            assert scores_of(ranked) == pytest.approx(scores_of(alone), abs=1e-6)
            assert [hit.score for hit in ranked] == pytest.approx(
                [hit.score for hit in alone], abs=1e-6
            )
    vector = await shelf.embedder.embed_query("the tenant")
    return await _nearest(shelf, state, visible, vector, held)


async def _nearest(
    shelf: Shelf,
    state: IndexState,
    visible: ChunkRanges,
    vector: Vector,
    held: CachedVectors | None,
) -> Ranking:
    request = RecallRequest(vector=vector, limit=1000)
    workspace_id = shelf.workspace.workspace_id
    async with shelf.database.snapshot(workspace_id, LOCAL_PRINCIPAL) as scope:
        asked = await ask_nearest(scope, state, visible, request, BREADTH, cached=held)
        return await read_nearest(asked)


def _all_held(numbers: Numbers, rows: Vectors) -> CachedVectors:
    return _of_rows(numbers, rows.astype(np.float16))


def _of_rows(numbers: Numbers, rows: HalfVectors, folder: Path | None = None) -> CachedVectors:
    return CachedVectors.of(numbers, set_aside(rows, folder), QuantisedVectors.of(rows))


def _held(cache: VectorCache, shelf: Shelf, state: IndexState) -> CachedVectors | None:
    return cache.held(shelf.database, shelf.workspace.workspace_id, state, shelf.lane.dimensions)


async def _state(shelf: Shelf) -> IndexState:
    async with shelf.database.snapshot(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        return await load_state(scope, shelf.lane)


async def _visible(shelf: Shelf, principal: Principal = LOCAL_PRINCIPAL) -> ChunkRanges:
    """What the principal may see."""
    async with shelf.database.snapshot(shelf.workspace.workspace_id, principal) as scope:
        return await load_scope(scope, SearchFilters())


def _clustered(chance: np.random.Generator, count: int, dimensions: int) -> Vectors:
    """Unit vectors around a few directions, as those of texts are, in half precision."""
    centres = np.random.default_rng(1).standard_normal((60, dimensions)).astype(np.float32)
    rows = centres[chance.integers(0, 60, count)] + chance.standard_normal(
        (count, dimensions), dtype=np.float32
    )
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float16).astype(np.float32)
