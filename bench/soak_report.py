"""What a soak measured: requests, looks at everything, and slopes by the hour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memory import MIB
from reporting import show

WARM_UP = 0.2
"""Part of the run that no slope is taken of: caches and pools fill."""
KINDS = ("upload", "search", "ask", "delete")
LARGEST = 6


@dataclass(slots=True, kw_only=True)
class Request:
    """One request that was answered."""

    kind: str
    server: int
    at: float
    milliseconds: float


@dataclass(slots=True, kw_only=True)
class Sample:
    """One look at everything."""

    at: float
    """Seconds after the load began."""
    memory_mb: Mapping[str, float]
    """By process, what it started included."""
    own_mb: Mapping[str, float]
    """By process, of it alone, and without the pages of files it reads: what a leak would grow."""
    tables: Mapping[str, int]
    """Bytes with indexes."""
    latency_ms: Mapping[str, Mapping[str, float]]
    """Of requests since the look before, at the server that is never killed."""
    accepted: int
    deleted: int
    refused: Mapping[str, int]
    killed: Mapping[str, int]
    wrong: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """How something went after the first part of the run."""

    what: str
    first: float
    last: float
    per_hour: float
    """Of the line through all looks."""


def latencies_of(requests: Sequence[Request]) -> dict[str, dict[str, float]]:
    """p50 and p95 of each kind at the server that is never killed."""
    found = {}
    for kind in KINDS:
        of_kind = [each.milliseconds for each in requests if each.kind == kind and each.server == 0]
        if of_kind:
            p50, p95 = np.percentile(of_kind, [50, 95])
            found[kind] = {
                "count": len(of_kind),
                "p50": round(float(p50), 1),
                "p95": round(float(p95), 1),
            }
    return found


def slopes_of(samples: Sequence[Sample]) -> list[Slope]:
    """Memory, tables and latencies, each with its slope; nothing of a run that was too short."""
    later = [each for each in samples if each.at >= WARM_UP * samples[-1].at]
    if len(later) < 3:
        return []
    hours = np.array([each.at for each in later]) / 3600

    def slope(what: str, values: Sequence[float]) -> Slope:
        per_hour = float(np.polyfit(hours, np.array(values, float), 1)[0])
        return Slope(what=what, first=values[0], last=values[-1], per_hour=per_hour)

    names = ("steady server", "steady worker", "primary")
    found = [slope(f"{name}, MB", [each.memory_mb[name] for each in later]) for name in names]
    found += [
        slope(f"{name} alone, without files, MB", [each.own_mb[name] for each in later])
        for name in names[:2]
    ]
    found.append(slope("all tables, MB", [sum(each.tables.values()) / MIB for each in later]))
    tables = later[-1].tables
    largest = sorted(tables, key=lambda name: -tables[name])[:LARGEST]
    found += [slope(f"{name}, MB", [each.tables[name] / MIB for each in later]) for name in largest]
    for kind in KINDS:
        there = [each for each in later if kind in each.latency_ms]
        if len(there) == len(later):
            found += [
                slope(f"{kind} {part}, ms", [each.latency_ms[kind][part] for each in later])
                for part in ("p50", "p95")
            ]
    return found


def present(
    title: str,
    slopes: Sequence[Slope],
    requests: Sequence[Request],
    refused: Mapping[str, int],
    wrong: Sequence[str],
) -> None:
    """Print what people read."""
    rows = [
        (each.what, f"{each.first:,.1f}", f"{each.last:,.1f}", f"{each.per_hour:+,.1f}")
        for each in slopes
    ]
    show(title, ("what", "first", "last", "per hour"), rows)
    answered = Counter(each.kind for each in requests)
    over_all = latencies_of(requests)
    show(
        "Requests",
        ("kind", "answered", "p50 ms", "p95 ms"),
        [
            (
                kind,
                f"{count:,}",
                *(str(over_all.get(kind, {}).get(each)) for each in ("p50", "p95")),
            )
            for kind, count in answered.items()
        ],
    )
    show(
        "Not answered with success",
        ("what", "times"),
        [(what, str(times)) for what, times in refused.items()],
    )
    for each in wrong or ["nothing was lost, doubled or left unfinished"]:
        print(each)
