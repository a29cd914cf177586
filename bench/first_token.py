"""How soon an answer begins: milliseconds from the request to its first words, over HTTP.

    python bench/first_token.py --chunks 100000
    python bench/first_token.py --chunks 100000 --home FOLDER    # what bench/search.py loaded there

Starts `footnote serve` over a workspace of synthetic chunks and streams answers from it, one client
after the other. Answers are extractive, so that no language model's time is in it: the search, the
embedding of the likeliest statements, their weighing and two trips over loopback are. Questions are
words that stand together in some chunk.
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
from pathlib import Path
from time import perf_counter

import httpx
import numpy as np

from footnote.domain import SearchRequest
from footnote.engine import WorkspaceEngine
from installation import MODELS, bench_engine
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
async def server(home: Path) -> AsyncIterator[str]:
    """The address of a server over this folder, until the block ends."""
    environment = {**os.environ, "FOOTNOTE_HOME": str(home), "FOOTNOTE_LOG_LEVEL": "error"}
    environment.pop("FOOTNOTE_DATABASE_URL", None)
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
        yield await _address(process.stderr)
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


async def first_words(client: httpx.AsyncClient, question: str) -> tuple[float, float, bool]:
    """Milliseconds to the first words and to the end, and whether it was answered."""
    started = perf_counter()
    first, answered = 0.0, False
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
                if event == "token" and not first:
                    first = (perf_counter() - started) * 1e3
            elif line.startswith("data: ") and event == "done":
                answered = json.loads(line.removeprefix("data: "))["found"]
    return first, (perf_counter() - started) * 1e3, answered


async def measure(options: Options) -> dict[str, object]:
    assert options.home is not None, "the server needs a folder to open"
    async with bench_engine(
        options.models, options.home, statement_timeout_seconds=NO_LIMIT_SECONDS
    ) as engine:
        language = SyntheticLanguage(engine.analyzer, seed=options.seed)
        workspaces, _ = await filled(engine, language, options)
        asked = await questions(workspaces[0], language, WARM_UP + options.queries, options.seed)
    firsts, wholes, answered = [], [], 0
    async with (
        server(options.home) as address,
        httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client,
    ):
        await ready(client)
        for question in asked[:WARM_UP]:
            await first_words(client, question)
        with progress() as bars:
            for question in bars.track(asked[WARM_UP:], description="ask"):
                first, whole, found = await first_words(client, question)
                firsts.append(first)
                wholes.append(whole)
                answered += found
    return {
        "chunks": options.chunks,
        "queries": options.queries,
        "machine": machine(),
        **{f"first_token_{name}": value for name, value in percentiles(firsts).items()},
        **{f"whole_{name}": value for name, value in percentiles(wholes).items()},
        "answered": round(answered / len(firsts), 3),
    }


def present(report: Mapping[str, object]) -> None:
    names = [name for name in report if name.endswith("_ms") or name == "answered"]
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
                )
            )
        )
    present(report)
    finish(report, given.json)


if __name__ == "__main__":
    main()
