"""Whether the time of an answer tells what is foreign or hidden from what is absent.

    python bench/timing.py --rounds 200

An administrator asks a server over loopback for a thing of another workspace, for one that a
colleague keeps private in the same one, and for one that does not exist: by turns in random order,
over each route that names one. Per route it prints the medians, and how often an answer about the
existing thing took longer than one about nothing (the area under the ROC curve, .5 where nothing is
told) with the p of Mann and Whitney's test, corrected for the number of routes by Holm.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import socket
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import numpy as np

from footnote.domain import Principal, Visibility
from footnote.engine import WorkspaceEngine, open_engine
from footnote.interfaces.cli.serve import server_of
from footnote.interfaces.http.app import create_app
from footnote.jobs.inline import work_until_resting
from footnote.settings import Settings, settings_from

TEXT = b"# Quillwort\n\nThe merger closes on 12 May 2025. Its price is EUR 4,100."
ROUTES: tuple[tuple[str, str, Any], ...] = (
    ("GET", "/v1/documents/{document_id}", None),
    ("DELETE", "/v1/documents/{document_id}", None),
    ("GET", "/v1/documents/{document_id}/content", None),
    ("POST", "/v1/documents/{document_id}/retry", None),
    ("GET", "/v1/documents/{document_id}/pages/1/rects?quote=merger", None),
    ("GET", "/v1/documents/{document_id}/access", None),
    ("GET", "/v1/documents/{document_id}/events", None),
    ("GET", "/v1/ingest/{ingest_id}/status", None),
    ("GET", "/v1/conversations/{conversation_id}", None),
    ("DELETE", "/v1/conversations/{conversation_id}", None),
    ("GET", "/v1/conversations/{conversation_id}/messages", None),
    ("GET", "/v1/conversations/{conversation_id}/export", None),
    ("DELETE", "/v1/webhooks/{webhook_id}", None),
    ("DELETE", "/v1/keys/{key_id}", None),
    ("POST", "/v1/context", {"chunk_id": "{document_id}:1:0"}),
    ("POST", "/v1/search", {"query": "merger", "filters": {"document_ids": ["{document_id}"]}}),
)


@asynccontextmanager
async def served(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server on a free port."""
    ready = asyncio.Event()
    listening = socket.create_server(("127.0.0.1", 0))
    server = server_of(create_app(settings, on_ready=ready.set), 5)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    await ready.wait()
    try:
        base_url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        async with httpx.AsyncClient(base_url=base_url, timeout=60) as client:
            yield client
    finally:
        server.should_exit = True
        await serving
        listening.close()


async def things_of(workspace: WorkspaceEngine, visibility: Visibility) -> dict[str, str]:
    """One of each that has an id."""
    received = await workspace.receive(TEXT, "quillwort.md", visibility=visibility)
    document_id = received.document.document_id
    await work_until_resting(workspace.engine, workspace, [document_id], lambda _: None)
    pushed = await workspace.push_content(TEXT + b"!", "second.md", visibility=visibility)
    begun = await workspace.create_conversation(title="quillwort")
    return {
        "document_id": str(document_id),
        "ingest_id": str(pushed.ingest_id),
        "conversation_id": str(begun.conversation_id),
    }


def absent() -> dict[str, str]:
    """Ids of nothing."""
    names = ("document_id", "ingest_id", "conversation_id", "webhook_id")
    return {**{name: str(uuid4()) for name in names}, "key_id": uuid4().hex[:16]}


def filled(body: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(body, dict):
        return {name: filled(each, ids) for name, each in body.items()}
    if isinstance(body, list):
        return [filled(each, ids) for each in body]
    return body.format(**ids) if isinstance(body, str) else body


async def seconds_of(
    http: httpx.AsyncClient, route: tuple[str, str, Any], ids: Mapping[str, str]
) -> tuple[float, int]:
    method, path, body = route
    begun = time.perf_counter()
    answer = await http.request(method, path.format(**ids), json=filled(body, ids))
    return time.perf_counter() - begun, answer.status_code


def told_apart(these: list[float], those: list[float]) -> tuple[float, float]:
    """How often one of these is longer than one of those, and the p that they are alike."""
    ordered = np.sort(np.array(those))
    below = np.searchsorted(ordered, these, side="left")
    upto = np.searchsorted(ordered, these, side="right")
    area = float((below + upto).sum() / 2 / (len(these) * len(those)))
    spread = math.sqrt((len(these) + len(those) + 1) / (12 * len(these) * len(those)))
    return area, math.erfc(abs(area - 0.5) / spread / math.sqrt(2))


async def compared(
    http: httpx.AsyncClient, route: tuple[str, str, Any], existing: Mapping[str, str], rounds: int
) -> tuple[list[float], list[float]]:
    """Seconds of answers about what exists, and about nothing."""
    nothing = absent()
    took: tuple[list[float], list[float]] = ([], [])
    statuses: tuple[set[int], set[int]] = (set(), set())
    for number in range(rounds + 5):
        for which in random.sample((0, 1), 2):
            seconds, status = await seconds_of(http, route, (existing, nothing)[which])
            statuses[which].add(status)
            if number >= 5:  # the first ones prepare statements
                took[which].append(seconds)
    assert statuses[0] == statuses[1], (route, statuses)
    return took


async def main() -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=200)
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    random.seed(given.seed)
    with tempfile.TemporaryDirectory(prefix="fn-") as folder:
        Path(folder).chmod(0o711)
        settings = Settings(home=Path(folder) / "home")
        async with await open_engine(settings) as engine:
            mine = await engine.workspace()
            await engine.create_workspace("theirs")
            theirs = await engine.workspace("theirs")
            ann = await engine.workspace(None, Principal(principal_id="ann"))
            foreign = await things_of(theirs, Visibility.WORKSPACE)
            endpoint, _ = await theirs.add_webhook("https://93.184.215.14/hook")
            other_key = await theirs.create_key("theirs")
            foreign |= {"webhook_id": str(endpoint.endpoint_id), "key_id": other_key.key.key_id}
            hidden = {**absent(), **await things_of(ann, Visibility.PRIVATE)}
            key = await mine.create_key("eve", rights=["read", "write", "administer"])
            async with served(settings_from(settings, {"identity": "keys"})) as http:
                http.headers["Authorization"] = f"Bearer {key.secret}"
                for title, existing in (("another workspace", foreign), ("a colleague", hidden)):
                    await report(http, title, existing, given.rounds)


async def report(
    http: httpx.AsyncClient, title: str, existing: Mapping[str, str], rounds: int
) -> None:
    found = []
    for route in ROUTES:
        if title == "a colleague" and ("webhook" in route[1] or "key" in route[1]):
            continue  # They are the workspace's.
        took, without = await compared(http, route, existing, rounds)
        area, p = told_apart(took, without)
        medians = statistics.median(took) * 1000, statistics.median(without) * 1000
        found.append((p, area, medians, f"{route[0]} {route[1]}"))
    print(f"\n{title}: {rounds} answers each\n")
    print(f"{'route':62} {'exists ms':>9} {'absent ms':>9} {'ratio':>6} {'AUC':>5} {'p':>7}")
    highest = 0.0
    for place, (p, area, (one, other), name) in enumerate(sorted(found)):
        highest = max(highest, min(1.0, p * (len(found) - place)))
        print(f"{name:62} {one:9.2f} {other:9.2f} {one / other:6.3f} {area:5.2f} {highest:7.3f}")


if __name__ == "__main__":
    asyncio.run(main())
