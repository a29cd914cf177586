"""Whether anything is lost, grows or slows down over hours of mixed load with random kills.

    python bench/soak.py --minutes 120
    python bench/soak.py --minutes 20 --documents 60 --slower 8 --history /tmp/soak.jsonl --json

First as many documents come in as the option says, and are indexed. Then files come in, are
searched, asked about and deleted, with pauses that do not change, and each file that comes in
takes the oldest one out, so that nothing has to grow. Two servers and two workers share the load
with a primary and a streaming replica; one server, one worker and the replica are killed
(`kill -9`) at random. Every so often is written down what each process holds, how large each table
is and how long requests took; what grows is told as a slope by the hour over all but the first
part. At the end nothing is killed any more, everything comes to rest, and each accepted document
must be there exactly once, as it should have ended, and each deleted one gone.

Only processes that it started are killed. Run it with `nice` where others work.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

import httpx
import numpy as np

from footnote.index.analysis import TextAnalyzer
from installation import MODELS
from reporting import finish, machine
from soak_report import Request, Sample, latencies_of, present, slopes_of
from soaked import Soaked, soaked
from synthetic import OWN_WORDS, SyntheticLanguage

BROKEN = 25
"""Every so manieth file cannot be read."""
SENTENCES = 20
VOCABULARY = 20_000
READY_SECONDS = 600.0
REST_SECONDS = 900.0
MAX_OVER = 1.1
"""How many times as many documents there may be as shall be."""
PAUSES = {"upload": 1.0, "search": 0.4, "ask": 1.5, "delete": 1.0}
"""Seconds between requests of one kind, in two loops each: one for each server."""
FIRST_KILL_SECONDS, LAST_KILL_SECONDS = 45.0, 120.0


@dataclass(slots=True)
class Story:
    """What was done so far."""

    load_seconds: float
    started: float = field(default_factory=time.monotonic)
    accepted: dict[str, int] = field(default_factory=dict)
    """Numbers of the documents by their ids."""
    living: deque[str] = field(default_factory=deque)
    deleted: set[str] = field(default_factory=set)
    requests: list[Request] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    """What must not be."""

    def seconds(self) -> float:
        return time.monotonic() - self.started

    def begin(self) -> None:
        """Count from now; what was asked before does not count."""
        self.started = time.monotonic()
        self.requests.clear()
        self.refused.clear()


@dataclass(slots=True, kw_only=True)
class Load:
    """The requests that go to both servers."""

    clients: tuple[httpx.AsyncClient, httpx.AsyncClient]
    story: Story
    language: SyntheticLanguage
    documents: int
    """Beyond so many the oldest are deleted."""
    slower: float
    """How many times as long the pauses between requests are."""
    chance: random.Random
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    number: int = 0

    def file(self) -> tuple[int, str, bytes]:
        """The next file: a few paragraphs, or bytes that cannot be read."""
        self.number += 1
        number, chance = self.number, np.random.default_rng(self.number)
        if number % BROKEN == 0:
            return number, f"{number}.pdf", b"%%PDF-1.7 broken %d" % number
        own = self.language.ranks(chance, OWN_WORDS)
        text = " ".join(self.language.sentence(chance, own) for _ in range(SENTENCES))
        return number, f"{number}.md", f"# Note {number}\n\n{text}\n".encode()

    def question(self) -> str:
        """Words of a document that came in lately."""
        earliest = max(self.number - self.documents, 0)
        chance = np.random.default_rng(self.chance.randrange(earliest, self.number + 1))
        return self.language.sentence(chance, self.language.ranks(chance, OWN_WORDS))

    def over(self) -> bool:
        """Whether the load ended so long ago that nobody waits for an answer any more."""
        return self.ended.is_set() and self.story.seconds() > self.story.load_seconds + REST_SECONDS

    async def upload(self, server: int) -> None:
        """Hand a file in, asked for until somebody answers; none while deletions fall behind."""
        if len(self.story.living) > self.documents * MAX_OVER:
            return
        number, name, content = self.file()
        while True:
            answer = await self.sent(
                "upload",
                server,
                "POST",
                "/v1/documents",
                files={"file": (name, content)},
                headers={"Idempotency-Key": f"soak {number}"},
            )
            if answer is not None and answer.status_code in (200, 202):
                document_id = str(answer.json()["document_id"])
                if document_id in self.story.accepted:
                    self.story.wrong.append(f"{document_id} was given twice")
                self.story.accepted[document_id] = number
                self.story.living.append(document_id)
                return
            if self.over():
                self.story.wrong.append(f"the upload of {name} was never answered")
                return
            await asyncio.sleep(0.2)

    async def search(self, server: int) -> None:
        await self.sent("search", server, "POST", "/v1/search", json={"query": self.question()})

    async def ask(self, server: int) -> None:
        await self.sent("ask", server, "POST", "/v1/answers", json={"question": self.question()})

    async def delete(self, server: int) -> None:
        """Delete the oldest document while there are too many."""
        while len(self.story.living) > self.documents:
            document_id = self.story.living.popleft()
            while True:
                answer = await self.sent("delete", server, "DELETE", f"/v1/documents/{document_id}")
                # Not there is what a request before it did that was cut off.
                if answer is not None and (answer.is_success or answer.status_code == 404):
                    self.story.deleted.add(document_id)
                    break
                if self.over():
                    self.story.wrong.append(f"deleting {document_id} was never answered")
                    return
                await asyncio.sleep(0.2)

    async def sent(
        self, kind: str, server: int, method: str, path: str, **more: object
    ) -> httpx.Response | None:
        """The answer; None where there was none, which is counted."""
        began = time.perf_counter()
        try:
            answer = await self.clients[server].request(method, path, **more)  # type: ignore[arg-type]  # of httpx
        except httpx.TransportError:
            self.story.refused[f"{kind}: no answer"] += 1
            return None
        took = (time.perf_counter() - began) * 1e3
        if answer.is_success:
            self.story.requests.append(
                Request(kind=kind, server=server, at=self.story.seconds(), milliseconds=took)
            )
        else:
            self.story.refused[f"{kind}: {answer.status_code}"] += 1
            if answer.status_code >= 500 and answer.status_code != 503:
                self.story.wrong.append(
                    f"{kind} was answered with {answer.status_code}: {answer.text[:200]}"
                )
        return answer

    async def repeat(self, kind: str, server: int) -> None:
        """Go on with one kind at one server until the end."""
        work = getattr(self, kind)
        while not self.ended.is_set():
            await work(server)
            with suppress(TimeoutError):
                await asyncio.wait_for(self.ended.wait(), PAUSES[kind] * self.slower)

    async def fill(self, server: int) -> None:
        """Hand in files until there are as many as there shall be."""
        while len(self.story.living) < self.documents:
            await self.upload(server)


async def main(options: argparse.Namespace) -> dict[str, object]:
    """Soak, check and report."""
    found: dict[str, object] = {"machine": machine()}
    story, samples = Story(options.minutes * 60), list[Sample]()
    with tempfile.TemporaryDirectory() as logs:
        async with soaked(options.models, Path(logs)) as running:
            clients = tuple(
                httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60)
                for port in running.ports
            )
            load = Load(
                clients=(clients[0], clients[1]),
                story=story,
                language=SyntheticLanguage(
                    TextAnalyzer(), seed=options.seed, vocabulary=VOCABULARY
                ),
                documents=options.documents,
                slower=options.slower,
                chance=random.Random(options.seed),
            )
            await _ready(load)
            await asyncio.gather(load.fill(0), load.fill(1))
            await _at_rest(load)
            story.begin()
            killing = asyncio.create_task(_kill_at_random(running, random.Random(options.seed)))
            loops = [
                asyncio.create_task(load.repeat(kind, server))
                for kind in PAUSES
                for server in (0, 1)
            ]
            await _sampled(options, running, story, samples)
            if killing.done():
                story.wrong.append(f"nothing was killed any more: {killing.exception()}")
            killing.cancel()
            await asyncio.gather(killing, return_exceptions=True)
            load.ended.set()
            await asyncio.gather(*loops)
            await _check_end(load)
            found |= {
                "killed": dict(running.killed),
                "starts": {n: k.starts for n, k in running.kept.items()},
            }
            await asyncio.gather(*(each.aclose() for each in clients))
    slopes = slopes_of(samples)
    title = (
        f"{options.minutes:g} minutes: {len(story.accepted)} accepted, {len(story.deleted)} deleted"
    )
    present(title, slopes, story.requests, story.refused, story.wrong)
    return found | {
        "minutes": options.minutes,
        "accepted": len(story.accepted),
        "deleted": len(story.deleted),
        "answered": dict(Counter(each.kind for each in story.requests)),
        "refused": dict(story.refused),
        "wrong": story.wrong,
        "slopes": [asdict(each) for each in slopes],
        "latency_ms": latencies_of(story.requests),
    }


async def _ready(load: Load) -> None:
    deadline = time.monotonic() + READY_SECONDS
    for client in load.clients:
        while True:
            with suppress(httpx.TransportError):
                if (await client.get("/health")).is_success:
                    break
            if time.monotonic() > deadline:
                raise SystemExit("the servers did not become ready")
            await asyncio.sleep(0.5)


async def _kill_at_random(running: Soaked, chance: random.Random) -> None:
    while True:
        await asyncio.sleep(chance.uniform(FIRST_KILL_SECONDS, LAST_KILL_SECONDS))
        await running.kill(chance.choice(("server", "worker", "replica")))


async def _sampled(
    options: argparse.Namespace, running: Soaked, story: Story, samples: list[Sample]
) -> None:
    """Look at everything at intervals while the load lasts; each look is a line of JSON."""
    seen = 0
    while story.seconds() < options.minutes * 60:
        await asyncio.sleep(min(options.every, max(options.minutes * 60 - story.seconds(), 1)))
        requests, seen = story.requests[seen:], len(story.requests)
        sample = Sample(
            at=round(story.seconds(), 1),
            memory_mb=await asyncio.to_thread(running.memory_mb),
            own_mb=await asyncio.to_thread(running.own_mb),
            tables=await asyncio.to_thread(running.sizes),
            latency_ms=latencies_of(requests),
            accepted=len(story.accepted),
            deleted=len(story.deleted),
            refused=dict(story.refused),
            killed=dict(running.killed),
            wrong=list(story.wrong),
        )
        samples.append(sample)
        if options.history is not None:
            with options.history.open("a", encoding="utf-8") as history:
                history.write(json.dumps(asdict(sample)) + "\n")
        print(
            f"{story.seconds() / 60:5.1f} min  {len(story.accepted)} accepted, "
            f"{len(story.deleted)} deleted, killed {dict(running.killed)}",
            file=sys.stderr,
        )


async def _check_end(load: Load) -> None:
    """Wait until all rest, and compare what is there with what was accepted."""
    story = load.story
    documents = await _at_rest(load)
    counted = Counter(each["document_id"] for each in documents)
    wanted = set(story.accepted) - story.deleted
    story.wrong += [f"{each} was lost" for each in sorted(wanted - set(counted))]
    story.wrong += [
        f"{each} is there though nobody accepted it, or it was deleted"
        for each in sorted(set(counted) - wanted)
    ]
    story.wrong += [
        f"{each} is there {times} times" for each, times in counted.items() if times > 1
    ]
    for each in documents:
        number = story.accepted.get(each["document_id"], 0)
        ought = "failed" if number % BROKEN == 0 else "indexed"
        if each["status"] != ought:
            story.wrong.append(f"document {number} is {each['status']} and ought to be {ought}")


async def _at_rest(load: Load) -> list[dict[str, str]]:
    """All documents, once none is in hand any more; that it never comes so far is noted."""
    documents, deadline = list[dict[str, str]](), time.monotonic() + REST_SECONDS
    while True:
        with suppress(httpx.TransportError, KeyError):
            documents = await _all_documents(load.clients[0])
            if all(each["status"] in ("indexed", "failed") for each in documents):
                return documents
        if time.monotonic() > deadline:
            load.story.wrong.append("not all came to rest")
            return documents
        await asyncio.sleep(2)


async def _all_documents(client: httpx.AsyncClient) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    cursor: str | None = None
    while True:
        params = {"limit": "200"} | ({"cursor": cursor} if cursor else {})
        # No older than what was accepted, wherever it is read.
        page = await client.get(
            "/v1/documents", params=params, headers={"Footnote-Position": "latest"}
        )
        body = page.json()
        found += body["documents"]
        cursor = body.get("next_cursor")
        if not cursor:
            return found


def options_of(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=120.0, help="how long the load lasts")
    parser.add_argument("--documents", type=int, default=300, help="how many there are at a time")
    parser.add_argument(
        "--slower", type=float, default=1.0, help="how many times as long the pauses are"
    )
    parser.add_argument("--every", type=float, default=30.0, help="seconds between looks")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--history", type=Path, default=None, help="file for a line of JSON each look"
    )
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    chosen = options_of()
    report = asyncio.run(main(chosen))
    finish(report, chosen.json)
    sys.exit(1 if report["wrong"] else 0)
