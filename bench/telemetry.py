"""What telemetry costs a search: searches with it off, and with spans kept and metrics, by turns.

    python bench/telemetry.py --searches 200

Each turn is a process of its own, since OpenTelemetry is switched on for good in a process. The
cost of telemetry that is off is that of the spans which a search opens for nobody.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from footnote.domain import SearchRequest
from footnote.engine import open_engine
from footnote.jobs.inline import work_until_resting
from footnote.ports.telemetry import span
from footnote.settings import Settings
from footnote.store.traces import load_trace

TURNS = 5
SPANS = 100_000


async def searches(home: Path, documents: Path, count: int) -> dict[str, float]:
    """Median milliseconds of a search, spans of one, and microseconds of a span for nobody."""
    settings = Settings(home=home)
    async with await open_engine(settings) as engine:
        workspace = await engine.workspace()
        received = [
            (await workspace.receive_file(path)).document.document_id
            for path in sorted(documents.iterdir())
        ]
        await work_until_resting(engine, workspace, received, lambda _: None)
        took: list[float] = []
        for number in range(count + 20):
            begun = time.perf_counter()
            with span("bench"):
                await workspace.search(SearchRequest(query=f"Who pays for room {number}?"))
            took.append(time.perf_counter() - begun)
        found = {"median_ms": statistics.median(took[20:]) * 1e3, "spans": 0.0}
        if engine.telemetry is not None:
            engine.telemetry.tracers.force_flush()
            newest = (await engine.traces(1))[0]
            found["spans"] = float(len((await load_trace(engine.owner_url, newest.trace_id)).spans))
    if not found["spans"]:
        begun = time.perf_counter()
        for _ in range(SPANS):
            with span("nobody"):
                pass
        found["span_us"] = (time.perf_counter() - begun) / SPANS * 1e6
    return found


def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--searches", type=int, default=200)
    options.add_argument("--documents", type=Path, default=Path("examples/documents"))
    options.add_argument("--turn", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.turn:
        found = asyncio.run(searches(given.turn, given.documents, given.searches))
        print(json.dumps(found))
        return
    ratios: list[float] = []
    spans = span_us = 0.0
    with tempfile.TemporaryDirectory(prefix="fn-") as folder:
        Path(folder).chmod(0o711)
        for _ in range(TURNS):
            off, on = (_turn(Path(folder) / "home", given, kept) for kept in (False, True))
            ratios.append(on["median_ms"] / off["median_ms"])
            spans, span_us = on["spans"], off["span_us"]
            print(
                f"off {off['median_ms']:6.2f} ms   on {on['median_ms']:6.2f} ms   "
                f"ratio {ratios[-1]:.2f}"
            )
            share = spans * span_us / 1e3 / off["median_ms"]
    print(f"on: median ratio {statistics.median(ratios):.2f}, {spans:.0f} spans a search")
    print(f"off: {span_us:.1f} µs a span, {share:.1%} of a search")


def _turn(home: Path, given: argparse.Namespace, kept: bool) -> dict[str, float]:
    more = {"FOOTNOTE_TRACES_KEPT_HOURS": "1", "FOOTNOTE_METRICS_ADDRESS": "9464"} if kept else {}
    arguments = ["--turn", str(home), "--searches", str(given.searches)]
    done = subprocess.run(
        [sys.executable, __file__, *arguments, "--documents", str(given.documents)],
        env={**os.environ, **more},
        check=True,
        capture_output=True,
        text=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
