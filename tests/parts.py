"""In which order the processes of pytest-xdist get tests, so that they end together.

`--dist worksteal` gives each process as many tests at first, one after another as they are
collected. One that is done takes over the last half of those that wait in another, and then has to
make anew what these share, such as a server with documents. So each begins with what takes long,
and ends with what takes no time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest

T = TypeVar("T")

COSTS = {
    "web": 40,
    "engine": 31,
    "interfaces": 28,
    "jobs": 17,
    "attack": 13,
    "ingestion": 12,
    "store": 10,
    "models": 8,
    "bench": 4,
}
"""Folders that take long, with about the tens of seconds of processor time that they take."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what several processes run in this order."""
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes > 1:
        items[:] = in_parts(items, _folder_of, processes)


def _folder_of(test: pytest.Item) -> str:
    return test.nodeid.removeprefix("tests/").partition("/")[0]


def in_parts(tests: Sequence[T], folder_of: Callable[[T], str], processes: int) -> list[T]:
    """The tests, each folder of COSTS in one part of as many as there are processes."""
    costs = [0] * processes
    costly: list[list[T]] = [[] for _ in range(processes)]
    for folder, cost in sorted(COSTS.items(), key=lambda each: -each[1]):
        least = costs.index(min(costs))
        costs[least] += cost
        costly[least] += [each for each in tests if folder_of(each) == folder]
    others = [each for each in tests if folder_of(each) not in COSTS]
    ordered: list[T] = []
    waiting = len(tests)
    for number, part in enumerate(costly):
        size = waiting // (processes - number)
        waiting -= size
        room = max(0, size - len(part))
        ordered += part + others[:room]
        others = others[room:]
    return ordered + others
