"""The breaker opens, waits, tries and closes by a clock that only tests move."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnote.errors import ModelUnavailable
from footnote.models.breaker import CircuitBreaker, GuardedReranker


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Scripted:
    """A reranker that does what the script says, call by call."""

    script: Sequence[list[float] | Exception | asyncio.Event]
    name: str = "scripted"
    queries: list[str] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    prepared: bool = False
    closed: bool = False

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        step = self.script[len(self.queries)]
        self.queries.append(query)
        self.begun.set()
        if isinstance(step, asyncio.Event):
            await step.wait()
            return [0.5] * len(texts)
        if isinstance(step, Exception):
            raise step
        return step

    async def prepare(self) -> None:
        self.prepared = True

    async def close(self) -> None:
        self.closed = True


def breaker(clock: Clock, failures_to_open: int = 2) -> CircuitBreaker:
    return CircuitBreaker(clock=clock, failures_to_open=failures_to_open, pause_seconds=30)


def guarded(inner: Scripted, clock: Clock, timeout_seconds: float = 60) -> GuardedReranker:
    return GuardedReranker(inner=inner, timeout_seconds=timeout_seconds, breaker=breaker(clock))


def fail(each: CircuitBreaker, times: int) -> None:
    for _ in range(times):
        assert each.admit()
        each.failed()


def test_it_opens_after_so_many_failures_in_a_row() -> None:
    each = breaker(Clock(), failures_to_open=3)
    states = [each.state]
    for _ in range(3):
        fail(each, 1)
        states.append(each.state)
    assert states == ["closed", "closed", "closed", "open"]
    assert not each.admit()


def test_a_success_between_them_starts_the_count_anew() -> None:
    each = breaker(Clock())
    fail(each, 1)
    assert each.admit()
    each.succeeded()
    fail(each, 1)
    assert each.state == "closed"


def test_after_the_pause_one_call_may_try() -> None:
    clock = Clock()
    each = breaker(clock)
    fail(each, 2)
    clock.now += 29.9
    assert each.seconds_to_wait == pytest.approx(0.1)
    assert not each.admit()
    clock.now += 0.1
    assert each.state == "half_open"
    assert [each.admit(), each.admit()] == [True, False]


def test_a_try_that_succeeds_closes_it() -> None:
    clock = Clock()
    each = breaker(clock)
    fail(each, 2)
    clock.now += 30
    assert each.admit()
    each.succeeded()
    assert (each.state, each.failures) == ("closed", 0)


def test_a_try_that_fails_opens_it_for_another_pause() -> None:
    clock = Clock()
    each = breaker(clock)
    fail(each, 2)
    clock.now += 30
    fail(each, 1)
    assert each.state == "open"
    assert each.seconds_to_wait == 30


def test_a_try_nobody_waited_for_leaves_room_for_the_next() -> None:
    clock = Clock()
    each = breaker(clock)
    fail(each, 2)
    clock.now += 30
    assert each.admit()
    each.abandoned()
    assert each.admit()


def test_a_late_failure_does_not_make_the_pause_longer() -> None:
    clock = Clock()
    each = breaker(clock)
    assert all([each.admit(), each.admit(), each.admit()])
    each.failed()
    each.failed()
    clock.now += 10
    each.failed()
    assert each.seconds_to_wait == 20


@given(st.lists(st.sampled_from(["success", "failure", "abandoned", "time"]), max_size=60))
def test_it_never_admits_while_open_and_always_admits_once_the_pause_is_over(
    events: list[str],
) -> None:
    clock = Clock()
    each = breaker(clock)
    in_a_row = 0
    for event in events:
        if event == "time":
            clock.now += 10
            continue
        state = each.state
        admitted = each.admit()
        assert admitted == (state != "open")
        if not admitted:
            continue
        if event == "success":
            each.succeeded()
            in_a_row = 0
        elif event == "failure":
            each.failed()
            in_a_row += 1
        else:
            each.abandoned()
        assert (each.state == "closed") == (in_a_row < 2)


async def test_failures_reach_the_caller_until_it_opens_and_then_the_model_is_left_alone() -> None:
    clock = Clock()
    away = ModelUnavailable("scripted is away", hint="call it")
    inner = Scripted([away, away, [0.1]])
    reranker = guarded(inner, clock)
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="scripted is away") as raised:
            await reranker("q", ["t"])
        assert raised.value.hint == "call it"
    with pytest.raises(ModelUnavailable, match=r"scripted failed 2 times .* 30 s") as raised:
        await reranker("q", ["t"])
    assert "scripted is away" in str(raised.value)
    assert "FOOTNOTE_RERANKER" in (raised.value.hint or "")
    assert inner.queries == ["q", "q"]
    clock.now += 30
    assert await reranker("q", ["t"]) == [0.1]
    assert reranker.breaker.state == "closed"


async def test_a_model_that_never_answers_is_given_up() -> None:
    reranker = guarded(Scripted([asyncio.Event()]), Clock(), timeout_seconds=0.05)
    with pytest.raises(ModelUnavailable, match=r"scripted did not answer within 0\.05 s"):
        await reranker("q", ["t"])
    assert reranker.breaker.failures == 1


async def test_whatever_else_goes_wrong_is_unavailability_too() -> None:
    cause = KeyError("surprise")
    reranker = guarded(Scripted([cause]), Clock())
    with pytest.raises(ModelUnavailable, match="scripted failed") as raised:
        await reranker("q", ["t"])
    assert raised.value.__cause__ is cause


@pytest.mark.parametrize("scores", [[], [0.1], [0.1, float("nan")], [0.1, float("inf")]])
async def test_scores_that_cannot_be_used_count_as_a_failure(scores: list[float]) -> None:
    reranker = guarded(Scripted([scores]), Clock())
    with pytest.raises(ModelUnavailable, match="cannot be used"):
        await reranker("q", ["t", "u"])
    assert reranker.breaker.failures == 1


async def test_a_search_that_is_given_up_says_nothing_about_the_model() -> None:
    clock = Clock()
    away = ModelUnavailable("away")
    inner = Scripted([away, away, asyncio.Event(), [0.3]])
    reranker = guarded(inner, clock)
    for _ in range(2):
        with pytest.raises(ModelUnavailable):
            await reranker("q", ["t"])
    clock.now += 30
    inner.begun.clear()
    attempt = asyncio.create_task(reranker("q", ["t"]))
    await inner.begun.wait()
    with pytest.raises(ModelUnavailable, match="being tried by another search"):
        await reranker("q", ["t"])
    attempt.cancel()
    with pytest.raises(asyncio.CancelledError):
        await attempt
    assert reranker.breaker.failures == 2
    assert await reranker("q", ["t"]) == [0.3]


async def test_it_hands_on_name_preparation_and_closing() -> None:
    inner = Scripted([])
    reranker = guarded(inner, Clock())
    await reranker.prepare()
    await reranker.close()
    assert (reranker.name, inner.prepared, inner.closed) == ("scripted", True, True)
