"""Watches how much memory a benchmark takes, its child processes and its Postgres."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import psutil  # type: ignore[import-untyped]  # the package ships no types

MIB = 1024**2
EVERY_SECONDS = 0.1


@dataclass(slots=True)
class Peak:
    """The most that was seen at one moment."""

    processes_mb: float = 0.0
    """Resident memory of this process and everything it started, the model and parsers included."""
    own_mb: float = 0.0
    """Resident memory of this process without what it started."""
    postgres_mb: float = 0.0
    """Resident memory of the database, its shared buffers counted once where the system tells."""


@contextmanager
def watched(cluster: Path) -> Iterator[Peak]:
    """Sample until the block ends; `cluster` is the folder of the database to watch."""
    peak, stop = Peak(), threading.Event()
    postmaster = _postmaster(cluster)

    def sample() -> None:
        own = psutil.Process()
        stopping = False
        while not stopping:
            stopping = stop.is_set()  # What is there at the end counts too.
            with contextlib.suppress(psutil.NoSuchProcess):
                mine = [own, *own.children(recursive=True)]
                peak.processes_mb = max(peak.processes_mb, resident(mine) / MIB)
                peak.own_mb = max(peak.own_mb, resident([own]) / MIB)
                if postmaster is not None:
                    server = [postmaster, *postmaster.children(recursive=True)]
                    peak.postgres_mb = max(peak.postgres_mb, _proportional(server) / MIB)
            stop.wait(EVERY_SECONDS)

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()


def footprint(process_id: int, cluster: Path) -> tuple[float, float]:
    """Megabytes of a program with what it started, and of the database in this folder.

    Pages that several processes share count once, where the system tells.
    """
    program = psutil.Process(process_id)
    own = [program, *(c for c in program.children(recursive=True) if "postgres" not in c.name())]
    postmaster = _postmaster(cluster)
    server = [] if postmaster is None else [postmaster, *postmaster.children(recursive=True)]
    return round(_proportional(own) / MIB, 1), round(_proportional(server) / MIB, 1)


def processor_seconds(cluster: Path) -> float:
    """Seconds of processor time that this process and the database in this folder have taken."""
    postmaster = _postmaster(cluster)
    server = [] if postmaster is None else [postmaster, *postmaster.children(recursive=True)]
    seconds = process_time()
    for process in server:
        with contextlib.suppress(psutil.Error):
            taken = process.cpu_times()
            # Connections that were closed count among the children of the server.
            seconds += taken.user + taken.system
            if process is postmaster:
                seconds += taken.children_user + taken.children_system
    return seconds


def _postmaster(cluster: Path) -> psutil.Process | None:
    with contextlib.suppress(OSError, ValueError, psutil.NoSuchProcess):
        first_line = (cluster / "postmaster.pid").read_text().splitlines()[0]
        return psutil.Process(int(first_line))
    return None


def resident(processes: Iterable[psutil.Process]) -> int:
    total = 0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            total += process.memory_info().rss
    return total


def _proportional(processes: Iterable[psutil.Process]) -> int:
    """Shared pages divided among those who share them, where that may be read; else resident."""
    total = 0
    for process in processes:
        with contextlib.suppress(psutil.Error):
            memory = process.memory_full_info()
            total += getattr(memory, "pss", memory.rss)
    return total
