"""Merging changes how the index lies, never what it answers."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import LOCAL_PRINCIPAL
from footnote.domain.backfill import IndexFormat
from footnote.errors import StoreUnavailable
from footnote.index.blocks import unpack_block
from footnote.index.segments import COUNT, TERM
from footnote.store.database import Database
from footnote.store.merging import (
    SegmentSize,
    choose_merge,
    merge_once,
    rewrite_older_formats,
    segment_formats,
)
from footnote.store.upkeep import upkeep_after_upgrade
from footnote.store.workspaces import workspace_stats
from tests.store.shelves import Shelf, new_shelf

WORDS = "anchor buoy chain dredger estuary fairway gauge harbour inlet jetty".split()


@pytest.fixture
async def shelf(database: Database) -> Shelf:
    return await new_shelf(database)


async def fill(shelf: Shelf, documents: int) -> None:
    for number in range(documents):
        words = [WORDS[(number * step) % len(WORDS)] for step in (1, 3, 7)]
        await shelf.put(" ".join(words), f"{words[0]} {number}")


async def merge_all(shelf: Shelf) -> int:
    merges = 0
    while await merge_once(shelf.database, shelf.workspace.workspace_id, shelf.limits.merge_fan_in):
        merges += 1
    return merges


async def segments(shelf: Shelf) -> int:
    async with shelf.database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        return (await workspace_stats(scope, shelf.lane)).segments


async def formats(shelf: Shelf) -> IndexFormat:
    async with shelf.database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        return await segment_formats(scope)


async def rankings(shelf: Shelf) -> list[object]:
    return [(await shelf.recall(word)).lexical for word in WORDS]


async def test_a_merge_keeps_every_score(shelf: Shelf) -> None:
    await fill(shelf, 20)
    before = await rankings(shelf)
    assert await merge_all(shelf) > 0
    assert await segments(shelf) < 20
    assert await rankings(shelf) == before


async def test_a_document_in_a_merged_segment_can_be_deleted(shelf: Shelf) -> None:
    await fill(shelf, 4)
    doomed = await shelf.put("kelp", "kelp anchor")
    await fill(shelf, 4)
    await merge_all(shelf)
    await shelf.remove(doomed)
    assert await shelf.texts("kelp") == []
    fresh = await new_shelf(shelf.database, "fresh")
    await fill(fresh, 4)
    scores = [
        [hit.score for hit in (await each.recall("anchor")).lexical] for each in (shelf, fresh)
    ]
    assert scores[0] == pytest.approx(scores[1])


async def test_the_dead_are_left_out_of_the_next_merge(shelf: Shelf) -> None:
    doomed = await shelf.put("kelp", "kelp anchor", "kelp buoy")
    await fill(shelf, 3)
    await merge_all(shelf)
    await shelf.remove(doomed)
    await merge_all(shelf)
    async with shelf.database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        rows = await scope.connection.execute("SELECT sum(chunk_count) AS n FROM segments")
        row = await rows.fetchone()
    assert row is not None
    assert row["n"] == 6


async def as_before_there_were_blocks(shelf: Shelf) -> None:
    """Write all posting lists of the workspace a row each."""
    async with shelf.database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        for row in await scope.all("SELECT segment_id, lists FROM posting_blocks", binary=True):
            each = unpack_block(row["lists"])
            start = 0
            pairs = zip(
                np.frombuffer(each.terms, TERM).tolist(),
                np.frombuffer(each.counts, COUNT).tolist(),
                strict=True,
            )
            for term, count in pairs:
                await scope.execute(
                    "INSERT INTO postings VALUES "
                    "(%(workspace_id)s, %(term)s, %(segment_id)s, %(numbers)s, %(frequencies)s)",
                    {
                        "term": term,
                        "segment_id": row["segment_id"],
                        "numbers": each.chunk_numbers[4 * start : 4 * (start + count)],
                        "frequencies": each.frequencies[2 * start : 2 * (start + count)],
                    },
                )
                start += count
        await scope.execute("DELETE FROM posting_blocks WHERE workspace_id = %(workspace_id)s")
        await scope.execute("UPDATE segments SET format = 1 WHERE workspace_id = %(workspace_id)s")


async def test_lists_of_before_blocks_are_read_merged_and_rewritten(shelf: Shelf) -> None:
    doomed = await shelf.put("kelp", "kelp anchor")
    await fill(shelf, 5)
    before = await rankings(shelf)
    await as_before_there_were_blocks(shelf)
    assert await formats(shelf) == IndexFormat(segments=6, current=0)
    found = {each.workspace_id: each for each in await upkeep_after_upgrade(shelf.database)}
    assert found[shelf.workspace.workspace_id].older_segments == 6
    assert found[shelf.workspace.workspace_id].lane == shelf.lane
    assert await rankings(shelf) == before
    fresh = await new_shelf(shelf.database, "fresh")
    for each in (shelf, fresh):
        # What is searched, merged and replaced from now on has lists of both kinds.
        if each is fresh:
            await fill(fresh, 5)
        else:
            await shelf.remove(doomed)
        await fill(each, 1)
    assert await rewrite_older_formats(shelf.database, shelf.workspace.workspace_id) == 5
    assert await rewrite_older_formats(shelf.database, shelf.workspace.workspace_id) == 0
    async with shelf.database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        assert await scope.all("SELECT FROM postings") == []
    now = await formats(shelf)
    assert now.current == now.segments > 0
    for word in WORDS:
        scores = [
            [hit.score for hit in (await each.recall(word)).lexical] for each in (shelf, fresh)
        ]
        assert scores[0] == pytest.approx(scores[1])


async def test_a_form_that_a_newer_version_wrote_is_refused_and_not_misread(shelf: Shelf) -> None:
    await fill(shelf, 2)
    async with shelf.database.workspace(shelf.workspace.workspace_id, LOCAL_PRINCIPAL) as scope:
        await scope.execute("UPDATE segments SET format = 99 WHERE workspace_id = %(workspace_id)s")
    with pytest.raises(StoreUnavailable, match="written by a newer Footnote, in form 99"):
        await shelf.recall(WORDS[0])
    # What is newer is not written anew either.
    assert await rewrite_older_formats(shelf.database, shelf.workspace.workspace_id) == 0


async def test_publishing_and_deleting_go_on_beside_a_merge(shelf: Shelf) -> None:
    doomed = [await shelf.put(f"kelp {number}") for number in range(4)]
    await fill(shelf, 8)
    await asyncio.gather(merge_all(shelf), *(shelf.remove(each) for each in doomed), fill(shelf, 9))
    await merge_all(shelf)
    assert await shelf.texts("kelp") == []
    fresh = await new_shelf(shelf.database, "fresh")
    await fill(fresh, 9)
    for word in WORDS:
        scores = [
            [hit.score for hit in (await each.recall(word)).lexical] for each in (shelf, fresh)
        ]
        assert scores[0] == pytest.approx(scores[1])


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=60), st.integers(2, 8))
def test_merging_ends_with_few_segments(counts: list[int], fan_in: int) -> None:
    sizes = dict(enumerate(counts))
    following = len(sizes)
    while chosen := choose_merge(
        [
            SegmentSize(segment_id=number, chunk_count=count, dead_count=0)
            for number, count in sizes.items()
        ],
        fan_in,
    ):
        sizes[following] = sum(sizes.pop(number) for number in chosen)
        following += 1
    classes = 1 + max(len(f"{count:b}") for count in sizes.values())
    assert len(sizes) <= (fan_in - 1) * classes
    assert sum(sizes.values()) == sum(counts)


async def waiting_maintenance(shelf: Shelf) -> int:
    async with shelf.database.outside() as connection:
        rows = await connection.execute(
            "SELECT FROM procrastinate_jobs WHERE task_name = 'maintain_index'"
        )
        return len(await rows.fetchall())


async def test_maintenance_is_asked_for_once_as_soon_as_a_merge_is_due(shelf: Shelf) -> None:
    await fill(shelf, shelf.limits.merge_fan_in - 1)
    assert await waiting_maintenance(shelf) == 0
    await fill(shelf, 6)
    assert await waiting_maintenance(shelf) == 1


async def test_deletions_alone_ask_for_maintenance(shelf: Shelf) -> None:
    doomed = await shelf.put("kelp", "kelp anchor", "kelp buoy")
    await fill(shelf, 3)
    await merge_all(shelf)
    async with shelf.database.outside() as connection:
        await connection.execute("DELETE FROM procrastinate_jobs")
    await shelf.remove(doomed)
    assert await waiting_maintenance(shelf) == 1
