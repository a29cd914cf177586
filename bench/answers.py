"""How soon an answer comes over HTTP: its sources, first words and end; and the server's memory.

    python bench/answers.py --chunks 100000
    python bench/answers.py --chunks 100000 --home FOLDER        # what bench/search.py loaded there
    python bench/answers.py --home FOLDER --reader WEIGHTS       # answered by a reader
    python bench/answers.py --chunks 20000 --texts DATA/xquad-en DATA/xquad-de

Starts `footnote serve` over a workspace of synthetic chunks and streams answers from it, one client
after the other. Answers are extractive, so that no language model's time is in it: the search, the
reading of the passages and two trips over loopback are. Questions are words that stand together in
some chunk, and right is what quotes them; vectors are not those of the chunks' own words, so that
likeness tells nothing of where these stand.

With `--texts` the texts of these sets are ingested as files, synthetic chunks fill up the rest, and
the sets' own questions are asked. Right is an answer that quotes what answers, from the text that
was asked about.

Memory is that of the server with what it started, and of its Postgres, before the first question
and after the last, each time once they are at rest. Processor time is that of all of them too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

import httpx
import numpy as np

from footnote.domain import SearchRequest
from footnote.engine import Engine, WorkspaceEngine
from footnote.jobs.maintenance import maintain
from ingest import ingest, working
from installation import MODELS, bench_engine, settle
from memory import at_rest, footprint, processor_seconds
from reporting import finish, machine, percentiles, progress, show
from search import NO_LIMIT_SECONDS, Options, filled
from synthetic import SyntheticLanguage
from written_texts import text_count, written_files, written_questions

WARM_UP = 20
WORDS_OF_QUESTION = 8
PATIENCE_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, and whether a quote answers it."""

    text: str
    is_right: Callable[[str], bool]


def contained(words: str, quote: str) -> bool:
    return words in quote


async def invented_questions(
    workspace: WorkspaceEngine, language: SyntheticLanguage, count: int, seed: int
) -> list[Asked]:
    """Words that stand together in chunks all over the workspace."""
    chance = np.random.default_rng(seed + 1)
    found: list[Asked] = []
    while len(found) < count:
        response = await workspace.search(SearchRequest(query=language.query(chance), top_k=1))
        words = response.evidence[0].passage.text.split()
        start = int(chance.integers(0, max(len(words) - WORDS_OF_QUESTION, 1)))
        said = " ".join(words[start : start + WORDS_OF_QUESTION])
        found.append(Asked(text=f"{said}?", is_right=partial(contained, said)))
    return found


async def with_texts(engine: Engine, workspace: WorkspaceEngine, sets: Sequence[Path]) -> int:
    """Chunks of the sets' texts, ingested now or earlier."""
    note = engine.settings.home / "texts.json"
    names = [each.name for each in sets]
    if note.exists():
        held, chunks = json.loads(note.read_text(encoding="utf-8"))
        if held != names:
            raise SystemExit(f"{engine.settings.home} holds the texts of {held}; ask for those")
        return int(chunks)
    with tempfile.TemporaryDirectory() as folder:
        paths = written_files(sets, Path(folder))
        async with working(engine):
            _, chunks = await ingest(workspace, paths)
    await maintain(engine, workspace.workspace.workspace_id)
    settle(engine)
    note.write_text(json.dumps([names, chunks]), encoding="utf-8")
    return chunks


@asynccontextmanager
async def server(
    home: Path, reader: Path | None, processes: int = 1
) -> AsyncIterator[tuple[str, int]]:
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
        "--processes",
        str(processes),
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


async def ask(client: httpx.AsyncClient, asked: Asked) -> Timed:
    """Stream one answer."""
    started = perf_counter()
    seen: dict[str, float] = {}
    answered = right = False
    async with client.stream(
        "POST",
        "/v1/answers",
        json={"question": asked.text, "stream": True},
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
                right = answered and any(map(asked.is_right, quotes))
    return Timed(
        sources=seen["sources"],
        first_words=seen["token"],
        whole=(perf_counter() - started) * 1e3,
        answered=answered,
        right=right,
    )


async def prepared(options: Options, sets: Sequence[Path]) -> tuple[list[Asked], int]:
    """Fill the workspace; what is asked of it, and how many chunks are of the sets."""
    count = WARM_UP + options.queries
    async with bench_engine(
        options.models, options.home, timeouts={"search": NO_LIMIT_SECONDS}
    ) as engine:
        language = SyntheticLanguage(engine.analyzer, seed=options.seed)
        (workspace, *_), _ = await filled(engine, language, options)
        if not sets:
            return await invented_questions(workspace, language, count, options.seed), 0
        chunks = await with_texts(engine, workspace, sets)
    written = list(written_questions(sets))
    if len(written) < count:
        raise SystemExit(f"the sets have {len(written)} questions with an answer; ask for fewer")
    drawn = random.Random(options.seed).sample(written, count)
    return [Asked(text=each.text, is_right=each.is_right) for each in drawn], chunks


async def measure(options: Options, reader: Path | None, sets: Sequence[Path]) -> dict[str, object]:
    assert options.home is not None, "the server needs a folder to open"
    asked, written = await prepared(options, sets)
    cluster = options.home / "postgres"
    async with (
        server(options.home, reader) as (address, process_id),
        httpx.AsyncClient(base_url=address, timeout=PATIENCE_SECONDS) as client,
    ):
        await ready(client)
        await at_rest(process_id, cluster)
        idle = footprint(process_id, cluster)
        for question in asked[:WARM_UP]:
            await ask(client, question)
        await at_rest(process_id, cluster)
        before = processor_seconds(cluster, process_id)
        with progress() as bars:
            timed = [
                await ask(client, question)
                for question in bars.track(asked[WARM_UP:], description="ask")
            ]
        taken = processor_seconds(cluster, process_id) - before
        await at_rest(process_id, cluster)
        loaded = footprint(process_id, cluster)
    return {
        "chunks": options.chunks + written,
        "written_chunks": written,
        "queries": options.queries,
        "machine": machine(),
        **_named("sources", [each.sources for each in timed]),
        **_named("first_words", [each.first_words for each in timed]),
        **_named("whole", [each.whole for each in timed]),
        "processor_mean_ms": round(taken / len(timed) * 1e3, 1),
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
    parser.add_argument(
        "--texts", type=Path, nargs="+", default=(), help="sets whose questions are asked"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fb-", ignore_cleanup_errors=True) as fresh:
        report = asyncio.run(
            measure(
                Options(
                    chunks=max(0, given.chunks - text_count(given.texts)),
                    workspaces=1,
                    clients=1,
                    queries=given.queries,
                    seed=given.seed,
                    models=given.models,
                    home=given.home or Path(fresh),
                ),
                given.reader,
                given.texts,
            )
        )
    present(report)
    finish(report, given.json)


if __name__ == "__main__":
    main()
