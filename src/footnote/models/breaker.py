"""Keep a failing or slow reranker from delaying searches."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from footnote.domain.usage import UsageKind, UsageNote
from footnote.errors import ModelUnavailable, how_to_raise
from footnote.ports import Reranker
from footnote.ports.metering import note_usage
from footnote.ports.telemetry import model_call

ADVICE = "mend it, or set FOOTNOTE_RERANKER=none to search without it"


class OwnedReranker(Reranker, Protocol):
    """A reranker with resources to load and to release."""

    async def prepare(self) -> None:
        """Load what the first call would load, without a time-out. Raises ModelUnavailable."""
        ...

    async def close(self) -> None:
        """Release threads and connections; idempotent."""
        ...


@dataclass(slots=True, kw_only=True)
class CircuitBreaker:
    """Decides whether a failing service may be called (Nygard, Release It!, 2007).

    While closed, every call may pass. After `failures_to_open` consecutive failures it is open and
    none may, for `pause_seconds`. Then it is half open: one trial call may pass; its success closes
    the breaker, its failure opens it again. A success closes it at any time.
    """

    clock: Callable[[], float]
    """A monotonic clock, in seconds."""
    failures_to_open: int = 5
    pause_seconds: float = 30.0
    _failures: int = field(default=0, init=False)
    _opened_at: float | None = field(default=None, init=False)
    _trying: bool = field(default=False, init=False)

    @property
    def state(self) -> Literal["closed", "open", "half_open"]:
        """The current state."""
        if self._opened_at is None:
            return "closed"
        return "open" if self.seconds_to_wait > 0 else "half_open"

    @property
    def failures(self) -> int:
        """Failures since the last success."""
        return self._failures

    @property
    def seconds_to_wait(self) -> float:
        """Until a trial call may pass; 0 when one may, or is in progress."""
        if self._opened_at is None:
            return 0.0
        return max(0.0, self._opened_at + self.pause_seconds - self.clock())

    def admit(self) -> bool:
        """Return whether a call may pass; it must then report one of the three outcomes below."""
        if self.state == "closed":
            return True
        if self.state == "open" or self._trying:
            return False
        self._trying = True
        return True

    def succeeded(self) -> None:
        """Record a success."""
        self._failures = 0
        self._opened_at = None
        self._trying = False

    def failed(self) -> None:
        """Record a failure. A call that began before the pause does not extend the pause."""
        self._failures += 1
        self._trying = False
        if self.state == "half_open" or (
            self.state == "closed" and self._failures >= self.failures_to_open
        ):
            self._opened_at = self.clock()

    def abandoned(self) -> None:
        """Record a cancelled call, which says nothing about the service."""
        self._trying = False


@dataclass(slots=True, kw_only=True)
class GuardedReranker:
    """A reranker with a time-out and a circuit breaker.

    Any failure inside is raised as ModelUnavailable, with the model's name.
    """

    inner: OwnedReranker
    timeout_seconds: float
    breaker: CircuitBreaker
    _last_failure: str = field(default="", init=False)

    @property
    def name(self) -> str:
        """The inner reranker's name."""
        return self.inner.name

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return the inner scores, one finite number for each text. Raises ModelUnavailable."""
        if not self.breaker.admit():
            wait = self.breaker.seconds_to_wait
            until = (
                f"is left alone for {wait:.0f} s" if wait else "is being tried by another search"
            )
            raise ModelUnavailable(
                f"{self.name} failed {self.breaker.failures} times in a row and {until}; "
                f"the last time: {self._last_failure}",
                hint=ADVICE,
            )
        try:
            with model_call("rerank", self.name):
                async with asyncio.timeout(self.timeout_seconds):
                    scores = await self.inner(query, texts)
        except Exception as error:
            raise self._failure(error) from error
        except BaseException:
            self.breaker.abandoned()
            raise
        if len(scores) != len(texts) or not all(map(math.isfinite, scores)):
            raise self._failed(f"{self.name} gave scores that cannot be used")
        self.breaker.succeeded()
        note_usage(UsageNote(kind=UsageKind.RERANKING, model=self.name, units=len(texts)))
        return scores

    async def prepare(self) -> None:
        """Load the inner reranker, without a time-out. Raises ModelUnavailable."""
        await self.inner.prepare()

    async def close(self) -> None:
        """Close the inner reranker."""
        await self.inner.close()

    def _failure(self, error: Exception) -> ModelUnavailable:
        if isinstance(error, ModelUnavailable):
            return self._failed(str(error), error.hint)
        if isinstance(error, TimeoutError):
            return self._failed(
                f"{self.name} did not answer within {self.timeout_seconds:g} s",
                "configure a smaller model, or "
                + how_to_raise("search", "FOOTNOTE_TIMEOUTS", self.timeout_seconds * 12, "seconds"),
            )
        return self._failed(f"{self.name} failed: {error}")

    def _failed(self, message: str, hint: str | None = None) -> ModelUnavailable:
        self.breaker.failed()
        self._last_failure = message
        return ModelUnavailable(message, hint=hint or ADVICE)
