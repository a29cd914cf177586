"""Searches a second over HTTP: of one client and of many, by one process and by several.

    python bench/clients.py --chunks 100000 --home FOLDER     # what bench/search.py loaded there
    python bench/clients.py --chunks 100000 --processes 1 2 4 --clients 1 16 64

Starts `footnote serve --processes N` over one workspace of synthetic chunks, for each N in turn and
as often as `--rounds` says. Each client sends its next question as soon as it has an answer, over
one connection that stays open. The clients are on the same machine and take a part of it. Memory is
that of the server with what it started, without Postgres.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from urllib.parse import urlsplit

import httpx
import numpy as np

from answers import ready, server
from installation import MODELS, bench_engine
from memory import at_rest, footprint
from reporting import finish, machine, percentiles, progress, show
from search import NO_LIMIT_SECONDS, Options, filled
from synthetic import SyntheticLanguage

WARM_UP = 100
"""Searches before anything is timed, for each process: each has caches of its own."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """What some clients had of a server together."""

    queries_per_s: float
    milliseconds: list[float]


async def crowd(address: str, clients: int, questions: Iterator[str], count: int) -> Crowd:
    """Ask so many questions with clients that never pause."""
    host, port = urlsplit(address).hostname, urlsplit(address).port
    assert host is not None
    left = count
    milliseconds: list[float] = []

    async def client() -> None:
        nonlocal left
        reading, writing = await asyncio.open_connection(host, port)
        while left > 0:
            left -= 1
            body = json.dumps({"query": next(questions)}).encode()
            started = perf_counter()
            writing.write(
                b"POST /v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nFootnote-Workspace: bench-0\r\n"
                b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            )
            head = await reading.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise SystemExit(head.decode())
            _, _, length = head.lower().partition(b"content-length:")
            await reading.readexactly(int(length.split(b"\r\n", 1)[0]))
            milliseconds.append((perf_counter() - started) * 1e3)
        writing.close()

    started = perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return Crowd(len(milliseconds) / (perf_counter() - started), milliseconds)


async def measure(
    options: Options, processes: Sequence[int], clients: Sequence[int], rounds: int
) -> dict[str, object]:
    assert options.home is not None, "the server needs a folder to open"
    about = machine()
    async with bench_engine(
        options.models, options.home, timeouts={"search": NO_LIMIT_SECONDS}
    ) as engine:
        language = SyntheticLanguage(engine.analyzer, seed=options.seed)
        await filled(engine, language, options)
    chance = np.random.default_rng(options.seed + 1)
    questions = iter(lambda: language.query(chance), "")
    found: dict[tuple[int, int], list[Crowd]] = {}
    memory: dict[int, float] = {}
    with progress() as bars:
        for count in bars.track([*processes] * rounds, description="servers"):
            async with server(options.home, None, processes=count) as (address, process_id):
                async with httpx.AsyncClient(base_url=address) as http:
                    await ready(http)
                # The further processes open their engines before they take part.
                await at_rest(process_id, options.home / "postgres")
                for _ in range(2):
                    await crowd(address, 4 * count, questions, WARM_UP * count)
                    await at_rest(process_id, options.home / "postgres")
                for number in clients:
                    asked = options.queries * (1 if number == 1 else 3)
                    found.setdefault((count, number), []).append(
                        await crowd(address, number, questions, asked)
                    )
                memory[count], _ = footprint(process_id, options.home / "postgres")
    rows = [
        {
            "processes": count,
            "clients": number,
            "queries_per_s": round(statistics.median(each.queries_per_s for each in crowds), 1),
            **percentiles([each for one in crowds for each in one.milliseconds]),
            "server_mb": memory[count],
        }
        for (count, number), crowds in found.items()
    ]
    return {"chunks": options.chunks, "rounds": rounds, "machine": about, "servers": rows}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--processes", type=int, nargs="+", default=(1, 2))
    parser.add_argument("--clients", type=int, nargs="+", default=(1, 16))
    parser.add_argument(
        "--queries", type=int, default=150, help="of one client; three times of many"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of all servers, one after the other")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--home", type=Path, help="keep what is loaded in this folder")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fb-", ignore_cleanup_errors=True) as fresh:
        options = Options(
            chunks=given.chunks,
            workspaces=1,
            clients=1,
            queries=given.queries,
            seed=given.seed,
            models=given.models,
            home=given.home or Path(fresh),
        )
        report = asyncio.run(measure(options, given.processes, given.clients, given.rounds))
    servers = report["servers"]
    assert isinstance(servers, list)
    show(
        f"Searches over HTTP, {given.chunks:,} chunks",
        list(servers[0]),
        [[f"{value}" for value in row.values()] for row in servers],
    )
    finish(report, given.json)


if __name__ == "__main__":
    main()
