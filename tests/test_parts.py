"""Tests are shared out so that each process begins with a part of what takes long."""

from __future__ import annotations

import pytest

from .parts import COSTS, in_parts

TESTS = [
    (folder, number)
    for folder, tests in {**dict.fromkeys(COSTS, 30), "docs": 400, "language": 90}.items()
    for number in range(tests)
]


@pytest.mark.parametrize("processes", [2, 3, 4, 5])
def test_each_process_begins_with_as_much_of_what_takes_long(processes: int) -> None:
    ordered = in_parts(TESTS, lambda each: each[0], processes)
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
        assert costly == part[: len(costly)]
        assert all(part.count(folder) == 30 for folder in costly)
        costs.append(sum(COSTS[folder] for folder in set(costly)))
    assert max(costs) - min(costs) <= max(COSTS.values()) / 2
