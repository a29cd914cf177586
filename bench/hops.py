"""How many functions of ours a question and an upload pass through, from route to last event.

    python bench/hops.py
    python bench/hops.py --list          # with their names

Serves the HTTP application in this process with a worker beside it, indexes a document, and notes
by `sys.setprofile` every function of the package that one streamed answer, and one upload until
its document is indexed, enters.

A hop is a coroutine or an asynchronous generator of ours: what carries the request on rather than
computes something for it. Of the adapters (`store`, `models`) only those count that another package
calls, and what an idle server enters (heartbeats, looks at the queue), or what waited before, does
not count. All functions that were entered are counted beside them. A parser works in a process of
its own, which this does not see.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from uuid import UUID

import httpx

import footnote
from footnote.domain import DocumentStatus
from footnote.engine import WorkspaceEngine
from footnote.interfaces.http.app import create_app
from footnote.jobs.worker import run_worker
from footnote.settings import settings_from
from installation import MODELS, share_models
from reporting import finish, machine, show

PACKAGE = Path(footnote.__file__).parent
DOCUMENTS = Path(__file__).parent.parent / "examples" / "documents"
FIRST = DOCUMENTS / "product-roadmap-2025.md"
UPLOADED = DOCUMENTS / "insurance-policy.pdf"
QUESTION = "How soon must a claim be reported?"
ADAPTERS = ("store", "models")
IDLE_SECONDS = 8.0
FORGOTTEN_SECONDS = 6.0
"""After so long a process looks anew at what it remembers for seconds only, such as budgets."""
LOOK_SECONDS = 0.1
READY_SECONDS = 120.0


@dataclass(slots=True)
class Entered:
    """The functions of ours that were entered, each with those of ours that called it."""

    callers: dict[CodeType, set[CodeType]] = field(default_factory=dict)
    before: set[CodeType] = field(default_factory=set)
    """What was under way already, and is only gone on with: a loop that listens, say."""

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call; this is what `sys.setprofile` calls."""
        code = frame.f_code
        if event != "call" or not _is_ours(code) or code.co_name.startswith("<"):
            return
        above = frame.f_back
        while above is not None and not _is_ours(above.f_code):
            above = above.f_back
        known = self.callers.setdefault(code, set())
        if above is not None:
            known.add(above.f_code)

    def hops(self, idle: Entered) -> list[CodeType]:
        """What carried the request, and not what would have been entered anyway."""
        return [
            code
            for code, callers in self.callers.items()
            if code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
            and code not in idle.callers
            and code not in self.before
            and (
                _package(code) not in ADAPTERS
                or any(_package(caller) != _package(code) for caller in callers)
            )
        ]


@contextmanager
def watched() -> Iterator[Entered]:
    """What is entered in the block, in every thread."""
    entered = Entered(before=set(_under_way()))
    threading.setprofile(entered.note)
    sys.setprofile(entered.note)
    try:
        yield entered
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _under_way() -> Iterator[CodeType]:
    """The coroutines that the tasks of the loop wait in."""
    for task in asyncio.all_tasks():
        coroutine: object = task.get_coro()
        while inspect.iscoroutine(coroutine):
            yield coroutine.cr_code
            coroutine = coroutine.cr_await


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(str(PACKAGE))


def _package(code: CodeType) -> str:
    return Path(code.co_filename).relative_to(PACKAGE).parts[0]


def _name(code: CodeType) -> str:
    return f"{Path(code.co_filename).relative_to(PACKAGE)}: {code.co_qualname}"


async def upload(client: httpx.AsyncClient, path: Path) -> UUID:
    """Hand a file in over HTTP."""
    received = await client.post("/v1/documents", files={"file": (path.name, path.read_bytes())})
    received.raise_for_status()
    return UUID(received.json()["document_id"])


async def indexed(workspace: WorkspaceEngine, document_id: UUID) -> None:
    """Wait until the document is."""
    while True:
        document = await workspace.document(document_id)
        if document.status is DocumentStatus.FAILED:
            raise SystemExit(f"{document.filename} failed: {document.failure}")
        if document.status is DocumentStatus.INDEXED:
            return
        await asyncio.sleep(LOOK_SECONDS)


async def ask(client: httpx.AsyncClient, question: str) -> None:
    """Read a streamed answer to its end."""
    asked = {"question": question, "stream": True}
    async with client.stream("POST", "/v1/answers", json=asked) as response:
        response.raise_for_status()
        lines = [line async for line in response.aiter_lines()]
    if "event: done" not in lines:
        raise SystemExit("the answer did not end well")


async def measure(home: Path) -> dict[str, Entered]:
    """What a question and an upload enter, and what idling does."""
    ready, stop = asyncio.Event(), asyncio.Event()
    settings = settings_from(None, {"home": home, "database_url": None, "log": "error"})
    app = create_app(settings, on_ready=ready.set)
    async with app.router.lifespan_context(app):
        await asyncio.wait_for(ready.wait(), READY_SECONDS)
        engine = app.state.lifecycle.engine
        workspace = await engine.workspace()
        worker = asyncio.create_task(run_worker(engine, stop=stop))
        # It comes from this computer.
        transport = httpx.ASGITransport(app=app, client=("127.0.0.1", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            first = await upload(client, FIRST)
            await indexed(workspace, first)
            await ask(client, "What is planned?")
            with watched() as idle:
                await asyncio.sleep(IDLE_SECONDS)
                await indexed(workspace, first)
            with watched() as uploaded:
                await indexed(workspace, await upload(client, UPLOADED))
            # The job ends meanwhile, and what a process remembers for seconds is looked at anew.
            await asyncio.sleep(FORGOTTEN_SECONDS)
            await ask(client, "What is planned?")
            with watched() as asked:
                await ask(client, QUESTION)
        stop.set()
        await worker
    return {"idle": idle, "question": asked, "upload": uploaded}


def reported(found: Mapping[str, Entered]) -> dict[str, object]:
    """The counts, and the names of the hops."""
    idle = found["idle"]
    report: dict[str, object] = {"machine": machine()}
    for what in ("question", "upload"):
        names = sorted(_name(code) for code in found[what].hops(idle))
        report |= {
            f"{what}_hops": len(names),
            f"{what}_files": len({name.partition(":")[0] for name in names}),
            f"{what}_functions": len(found[what].callers.keys() - idle.callers.keys()),
            f"{what}_names": names,
        }
    return report


def present(report: Mapping[str, object], *, named: bool) -> None:
    kinds = ("hops", "files", "functions")
    show(
        "Functions of ours on the way",
        ("", "hops", "their files", "all functions"),
        [
            (what, *(f"{report[f'{what}_{kind}']}" for kind in kinds))
            for what in ("question", "upload")
        ],
    )
    for what in ("question", "upload") if named else ():
        names = report[f"{what}_names"]
        assert isinstance(names, list)
        print(what, *names, sep="\n  ")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="name the hops")
    parser.add_argument("--models", type=Path, default=MODELS, help="folder of built models")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fb-", ignore_cleanup_errors=True) as fresh:
        # Postgres runs as another user where this one is root.
        Path(fresh).chmod(0o711)
        home = Path(fresh) / "home"
        share_models(given.models, home)
        report = reported(asyncio.run(measure(home)))
    present(report, named=given.list)
    finish(report, given.json)


if __name__ == "__main__":
    main()
