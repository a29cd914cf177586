"""A search whose vector is still being made looks words up meanwhile, and finds the same."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from footnote.domain import LOCAL_PRINCIPAL, Principal
from footnote.ports import PendingVector, Recalled, RecallRequest, Vector
from footnote.store.database import Database
from footnote.store.recall import PostgresIndex
from footnote.store.vector_cache import VectorCache
from tests.store.shelves import Shelf, new_shelf

ALICE, BOB = (Principal(principal_id=each) for each in ("alice", "bob"))


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    shelf = await new_shelf(database)
    await shelf.put("the anchor chain", "the anchor winch", "a mooring line")
    await shelf.put("the secret anchor", access=("alice",))
    return shelf


@pytest.fixture(params=[0, 2**24], ids=["asked of Postgres", "held in memory"])
async def vector_cache(request: pytest.FixtureRequest) -> VectorCache:
    return VectorCache(request.param)


def index_of(
    shelf: Shelf, vector_cache: VectorCache, principal: Principal = LOCAL_PRINCIPAL
) -> PostgresIndex:
    return replace(shelf.index(principal), vector_cache=vector_cache)


def request_for(shelf: Shelf, query: str, *, complete: bool = True) -> RecallRequest:
    return RecallRequest(
        terms_of=lambda languages: shelf.analyzer.query_terms(query, languages),
        limit=10,
        complete=complete,
    )


async def warmed(shelf: Shelf, index: PostgresIndex) -> None:
    await index.recall(replace(request_for(shelf, "x"), vector=await vector_of(shelf, "x")))
    await index.vector_cache.settled()


async def vector_of(shelf: Shelf, text: str) -> Vector:
    return await shelf.embedder.embed_query(text)


def coming() -> PendingVector:
    return asyncio.get_running_loop().create_future()


def rounded(found: Recalled) -> Recalled:
    """Postgres and numpy add up in another order."""
    return replace(
        found,
        dense=tuple(replace(hit, score=round(hit.score, 5)) for hit in found.dense),
        similarities={number: round(each, 5) for number, each in found.similarities.items()},
    )


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("principal", [BOB, ALICE], ids=["bob", "alice"])
async def test_it_finds_what_a_vector_at_hand_finds(
    shelf: Shelf, vector_cache: VectorCache, principal: Principal, complete: bool
) -> None:
    index = index_of(shelf, vector_cache, principal)
    await warmed(shelf, index)
    request = request_for(shelf, "anchor line", complete=complete)
    vector = await vector_of(shelf, "anchor line")
    at_hand = await index.recall(replace(request, vector=vector))
    underway = coming()
    searching = asyncio.ensure_future(index.recall(request, underway))
    underway.set_result(vector)
    assert rounded(await searching) == rounded(at_hand)


async def test_a_vector_that_never_was_leaves_the_words(
    shelf: Shelf, vector_cache: VectorCache
) -> None:
    index = index_of(shelf, vector_cache)
    await warmed(shelf, index)
    underway = coming()
    underway.set_result(None)
    found = await index.recall(request_for(shelf, "anchor"), underway)
    assert found.dense == ()
    assert {hit.chunk_no for hit in found.lexical} == {0, 1, 3}


async def test_words_are_looked_up_once_where_no_vector_came(shelf: Shelf) -> None:
    index = index_of(shelf, VectorCache(2**24))
    await warmed(shelf, index)
    underway = coming()
    underway.set_result(None)
    before = shelf.database.pool.get_stats()["requests_num"]
    await index.recall(request_for(shelf, "anchor"), underway)
    assert shelf.database.pool.get_stats()["requests_num"] - before == 1


async def test_what_was_published_before_the_search_is_found(
    shelf: Shelf, vector_cache: VectorCache
) -> None:
    index = index_of(shelf, vector_cache)
    await warmed(shelf, index)
    await shelf.put("the anchor buoy")
    underway = coming()
    searching = asyncio.ensure_future(index.recall(request_for(shelf, "anchor buoy"), underway))
    underway.set_result(await vector_of(shelf, "anchor buoy"))
    found = await searching
    assert found.dense[0].chunk_no == found.lexical[0].chunk_no == 4


async def test_no_connection_is_held_while_the_vector_is_coming(shelf: Shelf) -> None:
    index = index_of(shelf, VectorCache(2**24))
    await warmed(shelf, index)
    pool = shelf.database.pool
    waiting = [coming() for _ in range(2 * pool.max_size)]
    searches = [
        asyncio.ensure_future(index.recall(request_for(shelf, f"anchor {number}"), each))
        for number, each in enumerate(waiting)
    ]
    # Were each to keep its connection, the pool would be empty and this would fail.
    assert await index.generation() > 0
    for each in waiting:
        each.set_result(await vector_of(shelf, "anchor"))
    assert all(found.dense for found in await asyncio.gather(*searches))
