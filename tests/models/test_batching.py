"""Batches fill across callers; errors and cancellations stay with those they concern."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.domain import Lane
from footnote.errors import LaneUnavailable
from footnote.models.batching import CrossDocumentBatcher, plan_batches
from footnote.models.testing import HashEmbedder
from footnote.ports import Vector, Vectors

INNER = HashEmbedder(dimensions=32)


@dataclass
class GatedEmbedder:
    """An embedder that records its batches and works only while its gate is open."""

    gate: asyncio.Event = field(default_factory=asyncio.Event)
    batches: list[list[str]] = field(default_factory=list)
    lane: Lane = INNER.lane
    max_tokens: int = INNER.max_tokens

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return INNER.count_tokens(texts)

    async def embed_query(self, text: str) -> Vector:
        return await INNER.embed_query(text)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.batches.append(list(texts))
        await self.gate.wait()
        if any("poison" in text for text in texts):
            raise LaneUnavailable("the model choked")
        return INNER.encode(texts)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(600):
        while not condition():  # noqa: ASYNC110 - the queue's depth has no event
            await asyncio.sleep(0)


@given(st.lists(st.integers(0, 300)), st.integers(1, 1000))
def test_batches_hold_every_text_once_within_the_budget(counts: list[int], budget: int) -> None:
    batches = plan_batches(counts, budget)
    assert sorted(place for batch in batches for place in batch) == list(range(len(counts)))
    for batch in batches:
        widest = max(counts[place] for place in batch)
        assert len(batch) == 1 or widest * len(batch) <= budget


async def test_texts_of_several_callers_share_a_batch_by_length() -> None:
    inner = GatedEmbedder()
    batcher = CrossDocumentBatcher(inner=inner, batch_tokens=8, batches_in_flight=1)
    first = asyncio.create_task(batcher.embed_documents(["start"]))
    await until(lambda: len(inner.batches) == 1)
    one = asyncio.create_task(batcher.embed_documents(["a b", "c d e f"]))
    await until(lambda: batcher.waiting_texts == 2)
    two = asyncio.create_task(batcher.embed_documents(["g h i j", "k l"]))
    await until(lambda: batcher.waiting_texts == 4)
    inner.gate.set()
    found = await asyncio.gather(first, one, two)
    assert inner.batches == [["start"], ["a b", "k l"], ["c d e f", "g h i j"]]
    np.testing.assert_array_equal(found[1], INNER.encode(["a b", "c d e f"]))
    np.testing.assert_array_equal(found[2], INNER.encode(["g h i j", "k l"]))


async def test_the_longest_waiting_text_is_always_next() -> None:
    inner = GatedEmbedder()
    batcher = CrossDocumentBatcher(inner=inner, batch_tokens=3, batches_in_flight=1)
    tasks = [asyncio.create_task(batcher.embed_documents(["start"]))]
    await until(lambda: len(inner.batches) == 1)
    for waiting, text in enumerate(["old and long text", "b", "c", "d", "e", "f", "g"], start=1):
        tasks.append(asyncio.create_task(batcher.embed_documents([text])))
        await until(lambda expected=waiting: batcher.waiting_texts == expected)  # type: ignore[misc]
    inner.gate.set()
    await asyncio.gather(*tasks)
    assert inner.batches[1] == ["old and long text"]


async def test_an_error_reaches_only_the_callers_in_its_batch() -> None:
    inner = GatedEmbedder()
    batcher = CrossDocumentBatcher(inner=inner, batch_tokens=4, batches_in_flight=1)
    start = asyncio.create_task(batcher.embed_documents(["start"]))
    await until(lambda: len(inner.batches) == 1)
    bad = asyncio.create_task(batcher.embed_documents(["poison a", "one two three four"]))
    await until(lambda: batcher.waiting_texts == 2)
    mate = asyncio.create_task(batcher.embed_documents(["b c"]))
    await until(lambda: batcher.waiting_texts == 3)
    other = asyncio.create_task(batcher.embed_documents(["d e f g"]))
    await until(lambda: batcher.waiting_texts == 4)
    inner.gate.set()
    found = await asyncio.gather(start, bad, mate, other, return_exceptions=True)
    assert isinstance(found[1], LaneUnavailable)
    assert isinstance(found[2], LaneUnavailable)
    np.testing.assert_array_equal(found[3], INNER.encode(["d e f g"]))
    assert inner.batches == [["start"], ["poison a", "b c"], ["d e f g"]]


async def test_a_cancelled_caller_takes_only_its_own_texts_along() -> None:
    inner = GatedEmbedder()
    batcher = CrossDocumentBatcher(inner=inner, batch_tokens=4, batches_in_flight=1)
    start = asyncio.create_task(batcher.embed_documents(["start"]))
    await until(lambda: len(inner.batches) == 1)
    gone = asyncio.create_task(batcher.embed_documents(["a b", "c d"]))
    await until(lambda: batcher.waiting_texts == 2)
    stays = asyncio.create_task(batcher.embed_documents(["e f"]))
    await until(lambda: batcher.waiting_texts == 3)
    gone.cancel()
    await until(lambda: batcher.waiting_texts == 1)
    inner.gate.set()
    np.testing.assert_array_equal(await stays, INNER.encode(["e f"]))
    await start
    assert gone.cancelled()
    assert inner.batches == [["start"], ["e f"]]


async def test_a_caller_cancelled_in_flight_does_not_hurt_its_batch() -> None:
    inner = GatedEmbedder()
    batcher = CrossDocumentBatcher(inner=inner, batch_tokens=100, batches_in_flight=1)
    start = asyncio.create_task(batcher.embed_documents(["start"]))
    await until(lambda: len(inner.batches) == 1)
    gone = asyncio.create_task(batcher.embed_documents(["a b"]))
    await until(lambda: batcher.waiting_texts == 1)
    stays = asyncio.create_task(batcher.embed_documents(["c d"]))
    await until(lambda: batcher.waiting_texts == 2)
    inner.gate.set()
    await until(lambda: len(inner.batches) == 2)
    inner.gate.clear()
    gone.cancel()
    inner.gate.set()
    np.testing.assert_array_equal(await stays, INNER.encode(["c d"]))
    await start
    assert inner.batches[1] == ["a b", "c d"]


async def test_callers_that_come_one_after_the_other_are_all_served() -> None:
    inner = GatedEmbedder()
    inner.gate.set()
    batcher = CrossDocumentBatcher(inner=inner, batch_tokens=16, batches_in_flight=2)
    texts = [f"text number {number}" for number in range(50)]
    found = await asyncio.gather(*(batcher.embed_documents([text]) for text in texts))
    np.testing.assert_array_equal(np.concatenate(found), INNER.encode(texts))
    for text in texts:
        np.testing.assert_array_equal(await batcher.embed_documents([text]), INNER.encode([text]))


async def test_a_query_passes_a_full_queue() -> None:
    inner = GatedEmbedder()
    batcher = CrossDocumentBatcher(inner=inner, batch_tokens=4, batches_in_flight=1)
    task = asyncio.create_task(batcher.embed_documents(["a", "b c d e"]))
    await until(lambda: len(inner.batches) == 1)
    np.testing.assert_array_equal(await batcher.embed_query("q"), await INNER.embed_query("q"))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    inner.gate.set()
