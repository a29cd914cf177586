"""Where a caller stands follows from how far its moment is ahead."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from footnote.domain.limits import RateLimit, status_of

LIMIT = RateLimit(requests=60, window_seconds=60, burst=10)


def test_the_first_of_ten_leaves_nine() -> None:
    status = status_of(LIMIT, allowed=True, ahead_seconds=1.0)
    assert (status.remaining, status.reset_seconds, status.retry_after_seconds) == (
        9,
        1.0,
        0.0,
    )


def test_after_all_ten_the_next_is_taken_a_step_later() -> None:
    status = status_of(LIMIT, allowed=True, ahead_seconds=10.0)
    assert (status.remaining, status.reset_seconds, status.retry_after_seconds) == (
        0,
        10.0,
        1.0,
    )


def test_after_half_a_step_half_a_step_is_left() -> None:
    status = status_of(LIMIT, allowed=False, ahead_seconds=9.5)
    assert (status.remaining, status.retry_after_seconds) == (0, 0.5)


def test_a_moment_that_has_passed_is_forgotten() -> None:
    status = status_of(LIMIT, allowed=True, ahead_seconds=-100.0)
    assert (status.remaining, status.reset_seconds) == (10, 0.0)


@given(
    requests=st.integers(1, 10_000),
    window=st.floats(0.1, 86_400),
    burst=st.integers(1, 1000),
    share=st.floats(0, 1),
)
def test_who_waits_as_long_as_is_said_is_taken(
    requests: int, window: float, burst: int, share: float
) -> None:
    limit = RateLimit(requests=requests, window_seconds=window, burst=burst)
    ahead = share * burst * limit.step_seconds
    status = status_of(limit, allowed=True, ahead_seconds=ahead)
    assert 0 <= status.remaining <= burst
    assert 0 <= status.retry_after_seconds <= limit.step_seconds * 1.001
    later = ahead - status.retry_after_seconds
    assert status_of(limit, allowed=True, ahead_seconds=later).remaining >= 1
