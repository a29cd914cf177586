"""Says what was measured: tables for people, one JSON object for programs, and the machine."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence

import numpy as np
import psutil  # type: ignore[import-untyped]  # the package ships no types
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

Report = Mapping[str, object]

GIB = 1024**3
MIB = 1024**2


def show(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; all columns but the first hold numbers."""
    table = Table(title=title, title_justify="left")
    for position, column in enumerate(columns):
        table.add_column(column, justify="right" if position else "left")
    for row in rows:
        table.add_row(*row)
    Console(width=None if Console().is_terminal else 120).print(table)


def finish(report: Report, as_json: bool) -> None:
    """Print the report as the last line, if programs read along."""
    if as_json:
        print(json.dumps(report))


def progress() -> Progress:
    """Bars on stderr, so that they never mix with what is reported; none without a terminal."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        disable=not console.is_terminal,
    )


def machine() -> dict[str, object]:
    """What it runs on, and how busy that is with other work; call it before measuring."""
    return {
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / GIB, 1),
        "processor": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "load_before": [round(load, 2) for load in os.getloadavg()],
    }


def percentiles(milliseconds: Sequence[float]) -> dict[str, float]:
    """p50, p95 and p99, rounded to a hundredth."""
    return {f"p{q}_ms": round(float(np.percentile(milliseconds, q)), 2) for q in (50, 95, 99)}


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123  # not a file
            names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return names[0] if names else platform.processor()
