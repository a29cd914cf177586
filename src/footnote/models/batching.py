"""Batch the texts of concurrent callers by similar length."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, insort
from collections import OrderedDict
from collections.abc import Sequence
from contextvars import Context
from dataclasses import dataclass, field
from itertools import count

import numpy as np
import numpy.typing as npt

from footnote.domain import Lane
from footnote.ports import (
    EmbeddedQuestion,
    Embedder,
    Screened,
    Vector,
    Vectors,
    embed_and_screen,
    embed_question,
)
from footnote.ports.metering import embedding_note, note_usage

BATCH_TOKENS = 8192
"""Most tokens embedded together, padding included."""


def padded(
    batch: Sequence[Sequence[int]],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return token ids and attention mask, both of shape (texts, tokens of the longest)."""
    shape = (len(batch), max(map(len, batch)))
    ids: npt.NDArray[np.int32] = np.zeros(shape, dtype=np.int32)
    mask: npt.NDArray[np.int32] = np.zeros(shape, dtype=np.int32)
    for row, token_ids in enumerate(batch):
        ids[row, : len(token_ids)] = token_ids
        mask[row, : len(token_ids)] = 1
    return ids, mask


def plan_batches(token_counts: Sequence[int], batch_tokens: int) -> list[list[int]]:
    """Group positions by descending length into batches of at most `batch_tokens` once padded.

    A text longer than `batch_tokens` has a batch to itself. Ties keep their order.
    """
    batches: list[list[int]] = []
    longest = 0
    for position in sorted(range(len(token_counts)), key=lambda p: -token_counts[p]):
        if batches and longest * (len(batches[-1]) + 1) <= batch_tokens:
            batches[-1].append(position)
        else:
            batches.append([position])
            longest = token_counts[position]
    return batches


@dataclass(slots=True, kw_only=True, eq=False)
class _Request:
    """One caller's texts in progress."""

    vectors: Vectors
    clear: list[int]
    missing: int
    done: asyncio.Future[Screened]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Waiting:
    """One text that is not in a batch yet."""

    text: str
    tokens: int
    arrival: int
    row: int
    request: _Request


def _by_length(waiting: _Waiting) -> tuple[int, int]:
    return waiting.tokens, waiting.arrival


class _Queue:
    """Waiting texts, in order of length and in order of arrival."""

    def __init__(self) -> None:
        self.by_length: list[_Waiting] = []
        self.by_arrival: OrderedDict[int, _Waiting] = OrderedDict()

    def add(self, waiting: _Waiting) -> None:
        insort(self.by_length, waiting, key=_by_length)
        self.by_arrival[waiting.arrival] = waiting

    def drop(self, request: _Request) -> None:
        """Remove the texts of a request that nobody awaits any more."""
        self.by_length = [waiting for waiting in self.by_length if waiting.request is not request]
        self.by_arrival = OrderedDict(
            (waiting.arrival, waiting)
            for waiting in self.by_arrival.values()
            if waiting.request is not request
        )

    def take(self, batch_tokens: int) -> list[_Waiting]:
        """Remove the oldest text and those nearest in length: shorter ones first, then longer."""
        if not self.by_length:
            return []
        oldest = next(iter(self.by_arrival.values()))
        first = bisect_left(self.by_length, _by_length(oldest), key=_by_length)
        end = first + 1
        while first > 0 and oldest.tokens * (end - first + 1) <= batch_tokens:
            first -= 1
        while (
            end < len(self.by_length)
            and self.by_length[end].tokens * (end - first + 1) <= batch_tokens
        ):
            end += 1
        batch = self.by_length[first:end]
        del self.by_length[first:end]
        for waiting in batch:
            del self.by_arrival[waiting.arrival]
        return batch


@dataclass(slots=True, kw_only=True)
class CrossDocumentBatcher:
    """An Embedder that batches the texts of documents ingested at the same time.

    Texts that arrive while batches are running wait for the next one, so batches fill up under
    load, and a lone caller never waits for others. The oldest text is always in the next batch.
    Belongs to the event loop it is first used in.
    """

    inner: Embedder
    batch_tokens: int
    batches_in_flight: int = 2
    """Two keep the model busy while the results of one are handed out."""
    _queue: _Queue = field(default_factory=_Queue, init=False)
    _workers: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _arrivals: count[int] = field(default_factory=count, init=False)

    @property
    def lane(self) -> Lane:
        return self.inner.lane

    @property
    def max_tokens(self) -> int:
        return self.inner.max_tokens

    @property
    def waiting_texts(self) -> int:
        """Number of texts that are not in a batch yet."""
        return len(self._queue.by_length)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return self.inner.count_tokens(texts)

    async def embed_query(self, text: str) -> Vector:
        """Embed a query without waiting for a batch."""
        return await self.inner.embed_query(text)

    async def embed_question(self, text: str) -> EmbeddedQuestion:
        """As `embed_query`, with the inner embedder's classification of the question."""
        return await embed_question(self.inner, text)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed the texts, in their order.

        Raises what the inner embedder raised for a batch with one of these texts; callers without a
        text in that batch are not affected.
        """
        return (await self.embed_and_screen(texts)).vectors

    async def embed_and_screen(self, texts: Sequence[str]) -> Screened:
        """As `embed_documents`, with the inner embedder's injection screen."""
        vectors = np.empty((len(texts), self.lane.dimensions), dtype=np.float32)
        if not texts:
            return Screened(vectors=vectors, cleared_characters=[])
        token_counts = await asyncio.to_thread(self.inner.count_tokens, texts)
        future: asyncio.Future[Screened] = asyncio.get_running_loop().create_future()
        clear = [0] * len(texts)
        request = _Request(vectors=vectors, clear=clear, missing=len(texts), done=future)
        for row, (text, tokens) in enumerate(zip(texts, token_counts, strict=True)):
            waiting = _Waiting(
                text=text,
                tokens=min(tokens, self.max_tokens),
                arrival=next(self._arrivals),
                row=row,
                request=request,
            )
            self._queue.add(waiting)
        self._wake()
        try:
            embedded = await future
            note_usage(embedding_note(self.lane, len(texts), sum(token_counts)))
            return embedded
        finally:
            if request.missing:
                self._queue.drop(request)

    def _wake(self) -> None:
        if len(self._workers) < self.batches_in_flight:
            # A batch serves several callers: its usage is recorded for each of them, and not in the
            # context of the first.
            worker = asyncio.get_running_loop().create_task(self._drain(), context=Context())
            self._workers.add(worker)

    async def _drain(self) -> None:
        try:
            while batch := self._queue.take(self.batch_tokens):
                try:
                    screened = await embed_and_screen(
                        self.inner, [waiting.text for waiting in batch]
                    )
                    _deliver(batch, screened)
                except Exception as error:
                    self._fail(batch, error)
        finally:
            # Not in a done callback: a text that arrived between the last look at the queue and the
            # callback would never be taken.
            self._workers -= {asyncio.current_task()}

    def _fail(self, batch: list[_Waiting], error: Exception) -> None:
        for waiting in batch:
            if not waiting.request.done.done():
                waiting.request.done.set_exception(error)
                self._queue.drop(waiting.request)


def _deliver(batch: list[_Waiting], screened: Screened) -> None:
    for waiting, vector, clear in zip(
        batch, screened.vectors, screened.cleared_characters, strict=True
    ):
        request = waiting.request
        request.vectors[waiting.row], request.clear[waiting.row] = vector, clear
        request.missing -= 1
        if request.missing == 0 and not request.done.done():
            request.done.set_result(
                Screened(vectors=request.vectors, cleared_characters=request.clear)
            )
