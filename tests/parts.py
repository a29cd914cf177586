"""In which order the processes of pytest-xdist get tests, and which are left out when time is up.

`--dist worksteal` gives each process as many tests at first, one after another as they are
collected. One that is done takes over the last half of those that wait in another, and then has to
make anew what these share, such as a server with documents. So each begins with what takes long,
and ends with what takes no time, so that they end together.

Where `FOOTNOTE_TEST_DEADLINE` names a time (seconds since 1970), it is the other way round: what
takes long comes last, and tests of the folders `DEFERRED` that have not begun by then are skipped.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
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


DEADLINE = "FOOTNOTE_TEST_DEADLINE"
DEFERRED = ("jobs", "engine", "interfaces", "web")
"""Folders of COSTS that the deadline is for. All others are tested however long it takes."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what several processes run in this order."""
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes > 1:
        items[:] = in_parts(items, _folder_of, processes, costly_last=DEADLINE in os.environ)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what begins too late, before anything is made for it."""
    if is_too_late(_folder_of(item), os.environ, time.time()):
        pytest.skip(f"had not begun when {DEADLINE} came; `make test` runs it")


def is_too_late(folder: str, environment: Mapping[str, str], now: float) -> bool:
    """Whether a test of this folder is not begun any more; `now` is in seconds since 1970."""
    return folder in DEFERRED and now > float(environment.get(DEADLINE, "inf"))


def _folder_of(test: pytest.Item) -> str:
    return test.nodeid.removeprefix("tests/").partition("/")[0]


def in_parts(
    tests: Sequence[T],
    folder_of: Callable[[T], str],
    processes: int,
    *,
    costly_last: bool = False,
) -> list[T]:
    """The tests, each folder of COSTS in one part of as many as there are processes.

    A part begins with its costliest folder, or with `costly_last` ends with it.
    """
    costs = [0] * processes
    costly: list[list[T]] = [[] for _ in range(processes)]
    for folder, cost in sorted(COSTS.items(), key=lambda each: -each[1]):
        least = costs.index(min(costs))
        costs[least] += cost
        of_folder = [each for each in tests if folder_of(each) == folder]
        costly[least] = of_folder + costly[least] if costly_last else costly[least] + of_folder
    others = [each for each in tests if folder_of(each) not in COSTS]
    ordered: list[T] = []
    waiting = len(tests)
    for number, part in enumerate(costly):
        size = waiting // (processes - number)
        waiting -= size
        room = max(0, size - len(part))
        ordered += others[:room] + part if costly_last else part + others[:room]
        others = others[room:]
    return ordered + others
