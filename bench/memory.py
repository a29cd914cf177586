"""Watches how much memory and processor time a benchmark takes, its children and its Postgres."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import psutil  # type: ignore[import-untyped]  # the package ships no types

MIB = 1024**2
EVERY_SECONDS = 0.1
REST_SECONDS = 2.0
REST_SHARE = 0.05
"""Of a core, below which processes are at rest."""
LOOKS = 60


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

    Pages that several processes share count once, where the system tells; what strangers have
    mapped too counts as if they had not.
    """
    program, server = _processes(process_id, cluster)
    return round(_together(program) / MIB, 1), round(_together(server) / MIB, 1)


async def at_rest(process_id: int, cluster: Path) -> None:
    """Wait until a program, what it started and its database do nothing, or for two minutes."""
    taken = processor_seconds(cluster, process_id)
    for _ in range(LOOKS):
        await asyncio.sleep(REST_SECONDS)
        before, taken = taken, processor_seconds(cluster, process_id)
        if taken - before < REST_SHARE * REST_SECONDS:
            return


def processor_seconds(cluster: Path, process_id: int | None = None) -> float:
    """Seconds of processor time that a program and the database in this folder have taken.

    Of this process without what it started, or of another one with that.
    """
    program, server = _processes(process_id, cluster)
    seconds = process_time() if process_id is None else 0.0
    for process in (*program, *server):
        with contextlib.suppress(psutil.Error):
            taken = process.cpu_times()
            # Connections that were closed count among the children of the server.
            seconds += taken.user + taken.system
            if process in (*program[:1], *server[:1]):
                seconds += taken.children_user + taken.children_system
    return seconds


def _processes(
    process_id: int | None, cluster: Path
) -> tuple[list[psutil.Process], list[psutil.Process]]:
    """A program with what it started, and the database; the first of each started the others."""
    own: list[psutil.Process] = []
    if process_id is not None:
        program = psutil.Process(process_id)
        own = [
            program,
            *(c for c in program.children(recursive=True) if "postgres" not in c.name()),
        ]
    postmaster = _postmaster(cluster)
    return own, [] if postmaster is None else [postmaster, *postmaster.children(recursive=True)]


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


def _together(processes: Iterable[psutil.Process]) -> int:
    """What these processes hold as if nobody else ran; resident where the system does not tell."""
    total, of_files = 0, Counter[str]()
    for process in processes:
        with contextlib.suppress(psutil.Error):
            if not psutil.LINUX:
                total += process.memory_info().rss
                continue
            for each in process.memory_maps(grouped=True):
                path = Path(each.path)
                if path.is_absolute() and not each.path.startswith("/dev/"):
                    total += each.private_dirty
                    shareable = each.rss - each.private_dirty
                    if path.exists():  # It may be mapped twice.
                        shareable = min(shareable, path.stat().st_size)
                    of_files[each.path] = max(of_files[each.path], shareable)
                else:
                    total += each.pss
    return total + of_files.total()
