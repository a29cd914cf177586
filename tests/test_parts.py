"""Tests are shared out so that each process has a part of what takes long, within a time."""

from __future__ import annotations

import pytest

from .parts import COSTS, DEADLINE, DEFERRED, in_parts, is_too_late

TESTS = [
    (folder, number)
    for folder, tests in {**dict.fromkeys(COSTS, 30), "docs": 400, "language": 90}.items()
    for number in range(tests)
]


@pytest.mark.parametrize("costly_last", [False, True])
@pytest.mark.parametrize("processes", [2, 3, 4, 5])
def test_each_process_has_as_much_of_what_takes_long(processes: int, costly_last: bool) -> None:
    ordered = in_parts(TESTS, lambda each: each[0], processes, costly_last=costly_last)
    assert sorted(ordered) == sorted(TESTS)
    # As pytest-xdist shares them out.
    parts, waiting = [], ordered
    for number in range(processes):
        size = len(waiting) // (processes - number)
        parts.append([folder for folder, _ in waiting[:size]])
        waiting = waiting[size:]
    costs = []
    for part in parts:
        costly = [folder for folder in part if folder in COSTS]
        assert costly == (part[-len(costly) :] if costly_last else part[: len(costly)])
        order = [COSTS[folder] for folder in costly]
        assert order == sorted(order, reverse=not costly_last)
        assert all(part.count(folder) == 30 for folder in costly)
        costs.append(sum(COSTS[folder] for folder in set(costly)))
    assert max(costs) - min(costs) <= max(COSTS.values()) / 2


@pytest.mark.parametrize(
    ("folder", "environment", "late"),
    [
        ("web", {DEADLINE: "99"}, True),
        ("web", {DEADLINE: "101"}, False),
        ("web", {}, False),
        # Who may see what is tested however long it takes.
        ("attack", {DEADLINE: "99"}, False),
        ("test_parts.py", {DEADLINE: "99"}, False),
    ],
)
def test_after_the_deadline_only_what_takes_long_is_left_out(
    folder: str, environment: dict[str, str], late: bool
) -> None:
    assert is_too_late(folder, environment, 100.0) is late


def test_every_folder_that_may_be_left_out_is_known_to_take_long() -> None:
    assert set(DEFERRED) <= set(COSTS)
