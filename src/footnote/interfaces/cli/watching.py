"""`footnote ingest --watch`: documents follow their files until it is stopped."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from rich.text import Text

from footnote import open as opened
from footnote.domain import Document, DocumentStatus
from footnote.domain.sources import Labels
from footnote.interfaces.cli import present
from footnote.interfaces.cli.edge import entered
from footnote.interfaces.cli.paths import entries, location_below, printable
from footnote.interfaces.cli.receiving import (
    WaitTeller,
    files_source,
    tell_of_other_worker,
)
from footnote.jobs.inline import run_worker_unless_another_does
from footnote.jobs.sources.watching import watch
from footnote.settings import Settings

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine
    from footnote.jobs.sources.following import Step

_LOOK_SECONDS = 1.0
_SCAN_SECONDS = 60.0
"""Between two complete comparisons, for changes that the system does not tell of."""
_SETTLE_SECONDS = 2.0
"""A file that was written to a shorter time ago may still be being written."""
_INDEXED_ANEW = ("added", "changed", "retried")
_COUNTED = ("added", "changed", "retried", "renamed", "removed", "refused", "failed")


async def watch_files(
    settings: Settings,
    name: str | None,
    paths: Sequence[Path],
    ignored: Sequence[str],
    labels: Labels,
    *,
    index: bool,
) -> None:
    """Follow the paths until the process is told to stop; index beside it, if asked."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    teller = Teller()

    def list_files() -> list[Path]:
        files = list(entries(paths, ignored))
        teller.names.update((location_below(path, paths), str(path)) for path in files)
        return files

    # Where this process indexes, it does so beside the watching.
    tell = WaitTeller(console=present.notices(), work=index)
    source = files_source(list_files, paths, _SETTLE_SECONDS, work=False, tell=tell)
    async with opened(settings) as engine:
        workspace = await entered(engine, name)
        present.notices().print(Text("Watching; Ctrl-C stops.", style="dim"))
        beside = [asyncio.create_task(_look_after(workspace, teller, stop))]
        if index:
            tell_of_other = partial(tell_of_other_worker, present.notices())
            work = run_worker_unless_another_does(engine, stop, tell_of_other)
            beside.append(asyncio.create_task(work))
        try:
            await watch(
                workspace,
                source,
                labels,
                paths=paths,
                scan_seconds=_SCAN_SECONDS,
                settle_seconds=_SETTLE_SECONDS,
                stop=stop,
                on_step=teller.tell,
            )
        finally:
            stop.set()
            await asyncio.gather(*beside)
        await _look(workspace, teller)
        present.notices().print(Text(teller.closing(), style="dim"), soft_wrap=True)


async def _look_after(workspace: WorkspaceEngine, teller: Teller, stop: asyncio.Event) -> None:
    """Tell of the documents that fail after they were taken in."""
    while not stop.is_set():
        await _look(workspace, teller)
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                await stop.wait()


async def _look(workspace: WorkspaceEngine, teller: Teller) -> None:
    if asked := teller.unrested:
        teller.look(asked, await workspace.statuses(asked))


@dataclass(slots=True)
class Teller:
    """Says what became of each file, and nothing twice."""

    names: dict[str, str] = field(default_factory=dict)
    """How files were named, by where they lie: a link leads elsewhere."""
    _told: dict[str, str] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _unrested: dict[UUID, str] = field(default_factory=dict)

    @property
    def unrested(self) -> list[UUID]:
        """The documents of which it is not known yet whether they fail."""
        return list(self._unrested)

    def tell(self, step: Step) -> None:
        """Print a line for what is worth one."""
        if step.verdict in ("unchanged", "waiting"):
            return
        said = f"{step.verdict} {printable(step.reason)}".strip()
        if step.verdict in ("refused", "kept") and self._told.get(step.external_id) == said:
            return
        self._told[step.external_id] = said
        name = self.names.get(step.external_id, step.external_id)
        self._say(step.verdict, name, step.reason)
        if step.received is not None and step.verdict in _INDEXED_ANEW:
            document = step.received.document
            self._unrested[document.document_id] = name
            if document.status is DocumentStatus.FAILED:
                self.look([document.document_id], {document.document_id: document})

    def look(self, asked: Sequence[UUID], documents: Mapping[UUID, Document]) -> None:
        """Print a line for each document that failed, once it and what is attached to it rest.

        Those asked for that are not among the documents were deleted.
        """
        attached: dict[UUID | None, list[Document]] = defaultdict(list)
        for document in documents.values():
            attached[document.parent_id].append(document)
        for document_id in asked:
            name, found = self._unrested.get(document_id), documents.get(document_id)
            if name is None:
                continue
            family = list(_with_attachments(found, name, attached)) if found else []
            if all(
                (member.status in (DocumentStatus.INDEXED, DocumentStatus.FAILED))
                for member, _ in family
            ):
                del self._unrested[document_id]
                for member, called in family:
                    if member.status is DocumentStatus.FAILED:
                        self._say("failed", called, present.failure_sentence(member))

    def closing(self) -> str:
        """What was done, and what is left to do."""
        counts = [f"{self._counts[each]} {each}" for each in _COUNTED if self._counts[each]]
        told = f"Stopped: {', '.join(counts) or 'nothing was taken in or removed'}."
        waiting = len(self._unrested)
        if not waiting:
            return told
        what = "1 document waits" if waiting == 1 else f"{waiting} documents wait"
        return (
            f"{told} {what} to be indexed; `footnote worker` or `footnote serve` goes on with that."
        )

    def _say(self, verdict: str, name: str, reason: str) -> None:
        self._counts[verdict] += 1
        line = f"{verdict:<8} {printable(name)}"
        present.terminal().print(Text(present.plain(line)), soft_wrap=True)
        if reason:
            # Where the two streams are kept apart, each must say which file it speaks of.
            told = present.plain(f"{printable(name)}: {printable(reason)}")
            present.notices().print(Text(told, style="dim"), soft_wrap=True)


def _with_attachments(
    document: Document, name: str, attached: Mapping[UUID | None, Sequence[Document]]
) -> Iterator[tuple[Document, str]]:
    """The document and what is attached to it, each with what it is called."""
    yield document, name
    for each in attached.get(document.document_id, ()):
        yield from _with_attachments(each, f"{name} › {each.filename}", attached)
