"""Keeps a reranker that fails or dawdles from holding up searches."""

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
    """A reranker with something to get ready and to let go of."""

    async def prepare(self) -> None:
        """Load what the first call would load, however long it takes. Raises ModelUnavailable."""
        ...

    async def close(self) -> None:
        """Let go of threads and connections; again changes nothing."""
        ...


@dataclass(slots=True, kw_only=True)
class CircuitBreaker:
    """Decides whether a failing service is worth another call (Nygard, Release It!, 2007).

    Closed, every call may pass. After `failures_to_open` failures in a row it is open and none
    may, for `pause_seconds`. Then it is half open: one call may try, and closes it by succeeding
    or opens it anew by failing. A success closes it at any time.
    """

    clock: Callable[[], float]
    """Seconds that only ever grow."""
    failures_to_open: int = 5
    pause_seconds: float = 30.0
    _failures: int = field(default=0, init=False)
    _opened_at: float | None = field(default=None, init=False)
    _trying: bool = field(default=False, init=False)

    @property
    def state(self) -> Literal["closed", "open", "half_open"]:
        """What it is at this moment."""
        if self._opened_at is None:
            return "closed"
        return "open" if self.seconds_to_wait > 0 else "half_open"

    @property
    def failures(self) -> int:
        """Failures since the last success."""
        return self._failures

    @property
    def seconds_to_wait(self) -> float:
        """Until a call may try again; 0 when one may, or is at it."""
        if self._opened_at is None:
            return 0.0
        return max(0.0, self._opened_at + self.pause_seconds - self.clock())

    def admit(self) -> bool:
        """Whether a call may go ahead; it must then report one of the three ends below."""
        if self.state == "closed":
            return True
        if self.state == "open" or self._trying:
            return False
        self._trying = True
        return True

    def succeeded(self) -> None:
        """The call did its work."""
        self._failures = 0
        self._opened_at = None
        self._trying = False

    def failed(self) -> None:
        """The call failed. One that set out before the pause does not make the pause longer."""
        self._failures += 1
        self._trying = False
        if self.state == "half_open" or (
            self.state == "closed" and self._failures >= self.failures_to_open
        ):
            self._opened_at = self.clock()

    def abandoned(self) -> None:
        """Nobody waited for the call's end, so nothing was learned."""
        self._trying = False


@dataclass(slots=True, kw_only=True)
class GuardedReranker:
    """A reranker within a time-out and behind a circuit breaker.

    Whatever goes wrong inside reaches the caller as ModelUnavailable, with the model's name.
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
        """The inner reranker's scores, one finite number for each text. Raises ModelUnavailable."""
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
        """Make the inner reranker ready, without a time-out. Raises ModelUnavailable."""
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
