"""What confining a reader of files costs: its start, and a page of a file, as ratios."""

from __future__ import annotations

import argparse
import asyncio
import time
from io import BytesIO
from statistics import median

from footnote.ingestion.parsing.subprocess import ChildParser
from footnote.ingestion.sandbox import SandboxMode, mechanisms

_MODES: tuple[SandboxMode, SandboxMode] = ("off", "auto")


async def main() -> None:
    """Alternate both, so that what else the machine does counts for both alike."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=15)
    rounds: int = options.parse_args().rounds
    starts: dict[str, list[float]] = {mode: [] for mode in _MODES}
    files: dict[str, list[float]] = {mode: [] for mode in _MODES}
    text = b"# Title\n\n" + b"A sentence of *some* words, and [a link](https://x.y).\n\n" * 200
    for _ in range(rounds):
        for mode in _MODES:
            async with ChildParser(sandbox=mode) as parser:
                begun = time.perf_counter()
                await parser(BytesIO(b"# ok"), "a.md")
                started = time.perf_counter()
                for _ in range(10):
                    await parser(BytesIO(text), "a.md")
                files[mode].append((time.perf_counter() - started) / 10)
                starts[mode].append(started - begun)
    there = mechanisms()
    print(f"Landlock {there.landlock}, seccomp {there.seccomp}, {rounds} rounds, medians")
    for what, times in (("start and first file", starts), ("a file afterwards", files)):
        off, auto = median(times["off"]), median(times["auto"])
        print(f"{what}: {off * 1000:.1f} ms → {auto * 1000:.1f} ms, ratio {auto / off:.2f}")


if __name__ == "__main__":
    asyncio.run(main())
