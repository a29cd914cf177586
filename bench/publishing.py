"""How long a document of one page waits in a workspace where a long one is being published.

    python bench/publishing.py
    python bench/publishing.py --replace
    python bench/publishing.py --chunks 1000 --rounds 1 --json

Documents of one chunk are published one after the other, each until a search finds it, and deleted
again, first alone and then while a long one is published beside them, or a new version of it.
Meanwhile documents are handed in in another workspace, each until its event is shown.
Nothing is parsed or embedded: vectors and words are synthetic.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from uuid import UUID

import numpy as np
import psycopg

from footnote.domain import SearchRequest
from footnote.engine import Engine, WorkspaceEngine
from footnote.store.events import current_cursor, events_after
from installation import MODELS, Ready, bench_engine, put
from reporting import finish, machine, progress, show
from synthetic import SyntheticLanguage

MIN_SECONDS = 0.01
"""A lock of the index that is told of: pages lock it for less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Seconds of one long publication and of what went on beside it."""

    long: float
    short_alone: float
    """The median of a few, until a search found each."""
    short: list[float]
    deletions: list[float]
    events: list[float]
    """Until what was handed in elsewhere was told of."""
    locked: list[float]
    """For how long the workspace's index could not be locked, each time."""


def ready(engine: Engine, texts: list[str], chance: np.random.Generator) -> Ready:
    """A document of these texts."""
    return Ready(
        title=texts[0][:40],
        language="en",
        texts=texts,
        terms=[engine.analyzer.terms(text, "en") for text in texts],
        vectors=chance.standard_normal((len(texts), engine.lane.dimensions)).astype(np.float32),
    )


async def one_page(
    engine: Engine, workspace: WorkspaceEngine, name: str, chance: np.random.Generator
) -> tuple[float, float]:
    """Seconds until a document of one page is found, and until it is deleted."""
    document = ready(engine, [f"{name} is about {name} and nothing else"], chance)
    began = perf_counter()
    identity = await put(engine, workspace.workspace, document)
    found = await workspace.search(SearchRequest(query=name, top_k=1))
    assert found.evidence[0].passage.document_id == identity
    published = perf_counter()
    await workspace.delete_document(identity)
    return published - began, perf_counter() - published


def look_at_lock(url: str, workspace_id: UUID, is_over: Callable[[], bool]) -> list[float]:
    """Try to lock the index every few milliseconds; return for how long that was refused."""
    refused: list[float] = []
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT set_config('role', 'footnote_app', false),"
            " set_config('footnote.workspace_id', %s, false)",
            [str(workspace_id)],
        )
        while not is_over():
            began = perf_counter()
            while True:
                try:
                    connection.execute("SELECT FROM footnote.index_states FOR UPDATE NOWAIT")
                except psycopg.errors.LockNotAvailable:
                    time.sleep(0.002)
                else:
                    break
            if (waited := perf_counter() - began) > MIN_SECONDS:
                refused.append(waited)
            time.sleep(0.002)
    return refused


async def event_of(workspace: WorkspaceEngine, name: str) -> float:
    """Seconds until it is told that a document was handed in."""
    async with workspace.scope() as scope:
        cursor = await current_cursor(scope)
    began = perf_counter()
    document = (await workspace.receive(name.encode(), f"{name}.txt")).document
    while True:
        async with workspace.scope() as scope:
            events = await events_after(scope, cursor, document.document_id, 1)
        if events:
            return perf_counter() - began
        await asyncio.sleep(0.02)


async def measure(
    engine: Engine, workspace: WorkspaceEngine, number: int, chunks: int, *, replace: bool
) -> Round:
    """Publish a long document, or a new version of it, and short ones before it and beside it."""
    chance = np.random.default_rng(number)
    language = SyntheticLanguage(engine.analyzer, seed=number)
    name = f"long{number}"
    versions = [list(language.document(chance, chunks).texts) for _ in range(1 + replace)]
    *before, long = [await asyncio.to_thread(ready, engine, each, chance) for each in versions]
    for each in before:
        await put(engine, workspace.workspace, each, name)
    alone = [(await one_page(engine, workspace, f"quiet{number}x{i}", chance))[0] for i in range(5)]
    began = perf_counter()
    publication = asyncio.create_task(put(engine, workspace.workspace, long, name))
    beside: list[tuple[float, float]] = []
    events: list[float] = []

    async def listen() -> None:
        elsewhere = await engine.workspace("elsewhere")
        while not publication.done():
            events.append(await event_of(elsewhere, f"told{number}x{len(events)}"))

    looking = asyncio.create_task(
        asyncio.to_thread(
            look_at_lock,
            *(engine.urls.application, workspace.workspace.workspace_id, publication.done),
        )
    )
    listening = asyncio.create_task(listen())
    while not publication.done():
        beside.append(await one_page(engine, workspace, f"busy{number}x{len(beside)}", chance))
    await asyncio.gather(publication, listening)
    return Round(
        long=perf_counter() - began,
        short_alone=float(np.median(alone)),
        short=[published for published, _ in beside],
        deletions=[deleted for _, deleted in beside],
        events=events,
        locked=await looking,
    )


async def main(options: argparse.Namespace) -> None:
    """Measure, and show or write it."""
    about = machine()
    async with bench_engine(options.models, None) as engine:
        await engine.create_workspace("publishing")
        await engine.create_workspace("elsewhere")
        workspace = await engine.workspace("publishing")
        with progress() as bars:
            numbers = bars.track(range(options.rounds), description="rounds")
            rounds = [
                await measure(engine, workspace, each, options.chunks, replace=options.replace)
                for each in numbers
            ]
    if not options.json:
        show(
            f"one page beside a publication of {options.chunks} chunks, seconds",
            (
                *("long", "one page alone", "beside: median", "longest", "deletion: longest"),
                *("pages", "event elsewhere: median", "longest", "longest lock of the index"),
            ),
            [
                (
                    f"{each.long:.1f}",
                    f"{each.short_alone:.2f}",
                    f"{np.median(each.short):.2f}",
                    f"{max(each.short):.2f}",
                    f"{max(each.deletions):.2f}",
                    str(len(each.short)),
                    f"{np.median(each.events):.2f}",
                    f"{max(each.events):.2f}",
                    f"{max(each.locked, default=0):.2f}",
                )
                for each in rounds
            ],
        )
    finish({"machine": about, "rounds": [asdict(each) for each in rounds]}, options.json)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--replace", action="store_true", help="replace a version as long")
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--json", action="store_true")
    asyncio.run(main(parser.parse_args()))
