"""An embedder over a network service: batches, pauses, retries and usage accounting."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal, Protocol, TypeVar

import numpy as np
import structlog

from footnote.domain import Lane
from footnote.errors import LaneMismatch, LaneUnavailable
from footnote.models.batching import BATCH_TOKENS
from footnote.models.counting import beginning, estimate_tokens
from footnote.models.redaction import redacted_texts
from footnote.ports import Vector, Vectors
from footnote.ports.metering import embedding_note, note_usage

InputType = Literal["query", "document"]
T = TypeVar("T")

_log = structlog.get_logger(__name__)

_FIRST_PAUSE_SECONDS = 0.5  # Doubled with each retry.
_LONGEST_BACK_OFF_SECONDS = 20.0
_SHORTENINGS = 6
_NOTHING = "."  # Sent for an empty text, which vendors reject.


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedLimits:
    """Limits on the requests to a hosted model."""

    batch_texts: int = 32
    """The default limit of Text Embeddings Inference."""
    batch_tokens: int = BATCH_TOKENS
    """Estimated tokens of one request; a longer text is sent alone."""
    concurrency: int = 4
    """Most concurrent requests for documents; queries are not limited."""
    attempts: int = 6
    timeout_seconds: float = 60.0
    """Limit for one request."""
    query_timeout_seconds: float = 5.0
    """Limit for a query with all its retries."""
    longest_pause_seconds: float = 120.0
    """If a service asks for a longer pause the call fails, and the job is retried later."""


@dataclass(slots=True, kw_only=True)
class EmbeddingUsage:
    """Usage and cost of a hosted model since the process began."""

    requests: int = 0
    """Requests that were answered."""
    retries: int = 0
    texts: int = 0
    tokens: int = 0
    """As the service counts them; 0 if it does not."""
    cost: Decimal = Decimal(0)
    """US dollars by the list prices of genai-prices; 0 where they are not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """One response of a service."""

    vectors: Sequence[Sequence[float]]
    tokens: int = 0
    cost: Decimal | None = None


class CallFailed(Exception):
    """A request failed; the service's own message is never included."""

    def __init__(
        self,
        problem: str,
        advice: str,
        *,
        passing: bool = False,
        pause_seconds: float | None = None,
        too_long: bool = False,
    ) -> None:
        super().__init__(problem)
        self.problem = problem
        self.advice = advice
        self.passing = passing
        """Whether the same request may succeed later."""
        self.pause_seconds = pause_seconds
        """The pause that the service asks for."""
        self.too_long = too_long


class EmbeddingClient(Protocol):
    """Sends texts to one kind of service."""

    async def __call__(
        self, texts: Sequence[str], input_type: InputType, dimensions: int | None
    ) -> Embedded:
        """Return vectors in the order of the texts. Raises CallFailed."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


def plan_requests(
    token_counts: Sequence[int], batch_texts: int, batch_tokens: int
) -> list[tuple[int, int]]:
    """Split positions into half-open runs, in order, each within both limits.

    A text of more than `batch_tokens` has a run to itself.
    """
    runs: list[tuple[int, int]] = []
    first, tokens = 0, 0
    for position, count in enumerate(token_counts):
        is_full = position - first >= batch_texts or tokens + count > batch_tokens
        if position > first and is_full:
            runs.append((first, position))
            first, tokens = position, 0
        tokens += count
    if token_counts:
        runs.append((first, len(token_counts)))
    return runs


@dataclass(slots=True, kw_only=True, eq=False)
class HostedEmbedder:
    """An Embedder over a hosted service. Token counts are estimates, see `estimate_tokens`.

    A text longer than `max_tokens` is truncated before it is sent. If the service asks for a pause,
    all requests wait. Belongs to the event loop it is first used in.
    """

    lane: Lane
    client: EmbeddingClient = field(repr=False)
    max_tokens: int
    limits: HostedLimits = field(default_factory=HostedLimits)
    query_prompt: str = ""
    document_prompt: str = ""
    requested_dimensions: int | None = None
    """Dimensions to ask the service for; None leaves them to its model."""
    shortens: bool = False
    """Whether longer vectors are truncated to the lane's dimensions, as Matryoshka models allow."""
    usage: EmbeddingUsage = field(default_factory=EmbeddingUsage)
    _slots: asyncio.Semaphore = field(init=False, repr=False)
    _resume_at: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.limits.concurrency)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimate the tokens in each text."""
        return [estimate_tokens(text) for text in texts]

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Float32 of shape (len(texts), dimensions), unit length, in the order of the texts.

        Raises LaneUnavailable, retryable where another try may help, and LaneMismatch for
        vectors of other dimensions.
        """
        vectors = np.empty((len(texts), self.lane.dimensions), dtype=np.float32)
        ready = [self._ready(text, self.document_prompt) for text in await redacted_texts(texts)]
        runs = plan_requests(
            self.count_tokens(ready), self.limits.batch_texts, self.limits.batch_tokens
        )

        async def fill(first: int, end: int) -> None:
            vectors[first:end] = await self._documents(ready[first:end])

        await _all_or_none([fill(first, end) for first, end in runs])
        return vectors

    async def embed_query(self, text: str) -> Vector:
        """Embed a query; returns shape (dimensions,). Raises as `embed_documents` does."""
        limit = self.limits.query_timeout_seconds
        if self._pause_left() > limit:
            raise self._unavailable(
                CallFailed(
                    f"asks for a pause of {self._pause_left():.0f} s more",
                    "wait, or have its limit raised",
                    passing=True,
                )
            )
        try:
            async with asyncio.timeout(limit):
                [redacted] = await redacted_texts([text])
                ready = [self._ready(redacted, self.query_prompt)]
                vector: Vector = (await self._vectors_of(ready, "query"))[0]
        except TimeoutError:
            raise self._unavailable(
                CallFailed(
                    f"did not answer a query within {limit:g} s",
                    "see whether the service is well, or take a faster model",
                    passing=True,
                )
            ) from None
        return vector

    async def measured_dimensions(self, text: str) -> int:
        """Measure the model's dimensions by embedding this text. Raises LaneUnavailable."""
        try:
            answer = await self._embedded([text], "document")
        except CallFailed as failure:
            raise self._unavailable(failure) from None
        return len(answer.vectors[0]) if answer.vectors else 0

    async def close(self) -> None:
        await self.client.close()

    async def _documents(self, texts: list[str]) -> Vectors:
        """Embed documents; a batch that is too long is halved, and a single text is shortened."""
        shortened = 0
        while True:
            try:
                async with self._slots:
                    return await self._vectors_of(texts, "document")
            except CallFailed as failure:
                if len(texts) > 1:
                    half = len(texts) // 2
                    parts = [
                        await self._documents(texts[:half]),
                        await self._documents(texts[half:]),
                    ]
                    return np.concatenate(parts)
                shortened += 1
                if shortened > _SHORTENINGS:
                    raise self._unavailable(failure) from None
                texts = [texts[0][: max(len(texts[0]) // 2, 1)]]

    async def _vectors_of(self, texts: list[str], input_type: InputType) -> Vectors:
        return self._checked(await self._embedded(texts, input_type), len(texts))

    async def _embedded(self, texts: list[str], input_type: InputType) -> Embedded:
        """Return the response, with retries.

        Raises CallFailed for documents that are too long, LaneUnavailable for all else.
        """
        for attempt in range(1, self.limits.attempts + 1):
            await asyncio.sleep(self._pause_left())
            try:
                return await self._request(texts, input_type)
            except CallFailed as failure:
                if failure.too_long and input_type == "document":
                    raise
                if failure.pause_seconds is not None:
                    pause = failure.pause_seconds
                else:
                    pause = min(
                        _FIRST_PAUSE_SECONDS * 2.0 ** (attempt - 1), _LONGEST_BACK_OFF_SECONDS
                    )
                is_final = not failure.passing or pause > self.limits.longest_pause_seconds
                if failure.pause_seconds is not None:
                    now = asyncio.get_running_loop().time()
                    self._resume_at = max(self._resume_at, now + failure.pause_seconds)
                if is_final or attempt == self.limits.attempts:
                    raise self._unavailable(failure) from None
                self.usage.retries += 1
                await asyncio.sleep(pause)
        raise AssertionError  # The last attempt returns or raises.

    async def _request(self, texts: list[str], input_type: InputType) -> Embedded:
        limit = self.limits.timeout_seconds
        try:
            async with asyncio.timeout(limit):
                answer = await self.client(texts, input_type, self.requested_dimensions)
        except TimeoutError:
            raise CallFailed(
                f"did not answer within {limit:g} s",
                "see whether the service is well, or take a faster model",
                passing=True,
            ) from None
        self.usage.requests += 1
        self.usage.texts += len(texts)
        self.usage.tokens += answer.tokens
        self.usage.cost += answer.cost or 0
        cost = None if answer.cost is None else float(answer.cost)
        note_usage(embedding_note(self.lane, len(texts), answer.tokens, cost_usd=cost))
        _log.debug(
            "embedded",
            lane=self.lane.fingerprint,
            texts=len(texts),
            tokens=answer.tokens,
            cost_usd=None if answer.cost is None else float(answer.cost),
        )
        return answer

    def _checked(self, answer: Embedded, count: int) -> Vectors:
        dimensions = self.lane.dimensions
        try:
            vectors = np.array(answer.vectors, dtype=np.float32)
        except (ValueError, TypeError):
            raise self._unavailable(_unusable()) from None
        if vectors.ndim != 2 or vectors.shape[0] != count:
            raise self._unavailable(_unusable())
        if vectors.shape[1] < dimensions or (vectors.shape[1] > dimensions and not self.shortens):
            raise LaneMismatch(
                f"{self._name} gave vectors of {vectors.shape[1]} dimensions, and the lane has "
                f"{dimensions}",
                hint="write #DIMENSIONS behind the model's name with what it gives, or fewer if "
                "it is trained for that; see that the model's name is right",
            )
        vectors = vectors[:, :dimensions]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._unavailable(_unusable())
        unit: Vectors = vectors / lengths
        return unit

    def _ready(self, text: str, prompt: str) -> str:
        """Return the text as sent: with its prompt, truncated to the window, in valid UTF-8."""
        clean = text.encode("utf-8", "replace").decode()
        room = max(self.max_tokens - estimate_tokens(prompt), 1)
        return prompt + (beginning(clean, room) if clean.strip() else _NOTHING)

    def _pause_left(self) -> float:
        return max(0.0, self._resume_at - asyncio.get_running_loop().time())

    @property
    def _name(self) -> str:
        return f"the embedding model {self.lane.provider}:{self.lane.model}"

    def _unavailable(self, failure: CallFailed) -> LaneUnavailable:
        error = LaneUnavailable(f"{self._name} {failure.problem}", hint=failure.advice)
        error.retryable = failure.passing
        return error


def _unusable() -> CallFailed:
    return CallFailed(
        "gave an answer that cannot be used: not one vector of some length for each text",
        "check that its address in FOOTNOTE_EMBEDDING_MODELS serves an embedding model",
    )


async def _all_or_none(work: Sequence[Coroutine[object, object, T]]) -> list[T]:
    """Return all results; the first failure cancels the others."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in work]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
