"""How soon an answer comes over HTTP: its sources, first words and end; and the server's memory.

    python bench/answers.py --chunks 100000
    python bench/answers.py --chunks 100000 --home FOLDER        # what bench/search.py loaded there
    python bench/answers.py --home FOLDER --reader WEIGHTS       # answered by a reader

Starts `footnote serve` over a workspace of synthetic chunks and streams answers from it, one client
after the other. Answers are extractive, so that no language model's time is in it: the search, the
reading of the passages and two trips over loopback are. Questions are words that stand together in
some chunk, and right is what quotes them; vectors are not those of the chunks' own words, so that
likeness tells nothing of where these stand. Memory is that of the server with what it started, and
of its Postgres, before the first question and after the last.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import httpx
import numpy as np

from footnote.domain import SearchRequest
from footnote.engine import WorkspaceEngine
from installation import MODELS, bench_engine
from memory import footprint
from reporting import finish, machine, percentiles, progress, show
from search import NO_LIMIT_SECONDS, Options, filled
from synthetic import SyntheticLanguage

WARM_UP = 20
WORDS_OF_QUESTION = 8
PATIENCE_SECONDS = 60.0


async def questions(
    workspace: WorkspaceEngine, language: SyntheticLanguage, count: int, seed: int
) -> list[str]:
    """Words that stand together in chunks all over the workspace."""
    chance = np.random.default_rng(seed + 1)
    found: list[str] = []
    while len(found) < count:
        response = await workspace.search(SearchRequest(query=language.query(chance), top_k=1))
        words = response.evidence[0].passage.text.split()
        start = int(chance.integers(0, max(len(words) - WORDS_OF_QUESTION, 1)))
        found.append(" ".join(words[start : start + WORDS_OF_QUESTION]) + "?")
    return found


@asynccontextmanager
async def server(home: Path, reader: Path | None) -> AsyncIterator[tuple[str, int]]:
    """The address and process id of a server over this folder, until the block ends."""
    environment = {**os.environ, "FOOTNOTE_HOME": str(home), "FOOTNOTE_LOG": "error"}
    environment.pop("FOOTNOTE_DATABASE_URL", None)
    if reader is not None:
        environment["FOOTNOTE_READER"] = str(reader.resolve())
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "footnote.interfaces.cli.main",
        "serve",
        "--port",
        "0",
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    assert process.stderr is not None
    try:
        yield await _address(process.stderr), process.pid
    finally:
        process.terminate()
        await process.wait()


async def _address(said: asyncio.StreamReader) -> str:
    """What the server says of where it listens."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while line := (await said.readline()).decode():
            for word in line.split():
                if word.startswith("http://"):
                    return word.rstrip(".,")
    raise SystemExit("the server did not start")


async def ready(client: httpx.AsyncClient) -> None:
    """Wait until the server has opened its engine."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        # No one tells when it has.
        while (await client.get("/health")).status_code != httpx.codes.OK:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


@dataclass(frozen=True, slots=True)
class Timed:
    """Milliseconds from the request to what came, and whether it was answered, and rightly."""

    sources: float
    first_words: float
    whole: float
    answered: bool
    right: bool


async def ask(client: httpx.AsyncClient, question: str) -> Timed:
    """Stream one answer."""
    started = perf_counter()
    seen: dict[str, float] = {}
    answered = right = False
    async with client.stream(
        "POST",
        "/v1/answers",
        json={"question": question, "stream": True},
        headers={"Footnote-Workspace": "bench-0"},
    ) as response:
        response.raise_for_status()
        event = ""
        async for line in response.aiter_lines():
            if line.startswith("event: "):
                event = line.removeprefix("event: ")
                seen.setdefault(event, (perf_counter() - started) * 1e3)
            elif line.startswith("data: ") and event == "done":
                answer = json.loads(line.removeprefix("data: "))
                answered = answer["found"]
                quotes = (" ".join(each["quote"].split()) for each in answer["citations"])
                right = any(question.rstrip("?") in each for each in quotes)
    return Timed(
        sources=seen["sources"],
        first_words=seen["token"],
        whole=(perf_counter() - started) * 1e3,
        answered=answered,
        right=right,
    )


async def measure(options: Options, reader: Path | None) -> dict[str, object]:
    assert options.home is not None, "the server needs a folder to open"
    async with bench_engine(
        options.models, options.home, timeouts={"search": NO_LIMIT_SECONDS}
    ) as engine:
        language = SyntheticLanguage(engine.analyzer, seed=options.seed)
        workspaces, _ = await filled(engine, language, options)
        asked = await questions(workspaces[0], language, WARM_UP + options.queries, options.seed)
    async with (
        server(options.home, reader) as (address, process_id),
        httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client,
    ):
        await ready(client)
        idle = footprint(process_id, options.home / "postgres")
        for question in asked[:WARM_UP]:
            await ask(client, question)
        with progress() as bars:
            timed = [
                await ask(client, question)
                for question in bars.track(asked[WARM_UP:], description="ask")
            ]
        loaded = footprint(process_id, options.home / "postgres")
    return {
        "chunks": options.chunks,
        "queries": options.queries,
        "machine": machine(),
        **_named("sources", [each.sources for each in timed]),
        **_named("first_words", [each.first_words for each in timed]),
        **_named("whole", [each.whole for each in timed]),
        "answered": round(sum(each.answered for each in timed) / len(timed), 3),
        "right": round(sum(each.right for each in timed) / len(timed), 3),
        "idle_server_mb": idle[0],
        "idle_postgres_mb": idle[1],
        "server_mb": loaded[0],
        "postgres_mb": loaded[1],
    }


def _named(name: str, milliseconds: list[float]) -> dict[str, float]:
    return {f"{name}_{each}": value for each, value in percentiles(milliseconds).items()}


def present(report: Mapping[str, object]) -> None:
    names = [
        name for name in report if name.endswith(("_ms", "_mb")) or name in ("answered", "right")
    ]
    show(
        f"Streamed answers, {report['chunks']:,} chunks",
        ("", "value"),
        [(name, f"{report[name]}") for name in names],
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--home", type=Path, help="keep what is loaded in this folder")
    parser.add_argument("--reader", type=Path, help="weights of a reader that answers")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fb-", ignore_cleanup_errors=True) as fresh:
        report = asyncio.run(
            measure(
                Options(
                    chunks=given.chunks,
                    workspaces=1,
                    clients=1,
                    queries=given.queries,
                    seed=given.seed,
                    models=given.models,
                    home=given.home or Path(fresh),
                ),
                given.reader,
            )
        )
    present(report)
    finish(report, given.json)


if __name__ == "__main__":
    main()
