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
from footnote.interfaces.cli.command_runner import entered
from footnote.interfaces.cli.paths import entries, location_below, printable
from footnote.interfaces.cli.receiving import (
    QueueFullNotice,
    announce_worker,
    files_source,
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
    teller = FileReporter()

    def list_files() -> list[Path]:
        files = list(entries(paths, ignored))
        teller.names.update((location_below(path, paths), str(path)) for path in files)
        return files

    # Where this process indexes, it does so beside the watching.
    tell = QueueFullNotice(console=present.notices(), work=index)
    source = files_source(list_files, paths, _SETTLE_SECONDS, work=False, tell=tell)
    async with opened(settings) as engine:
        workspace = await entered(engine, name)
        present.notices().print(Text("Watching; Ctrl-C stops.", style="dim"))
        tasks = [asyncio.create_task(_check_until_stopped(workspace, teller, stop))]
        if index:
            tell_of_other = partial(announce_worker, present.notices())
            work = run_worker_unless_another_does(engine, stop, tell_of_other)
            tasks.append(asyncio.create_task(work))
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
            await asyncio.gather(*tasks)
        await _check(workspace, teller)
        present.notices().print(Text(teller.closing(), style="dim"), soft_wrap=True)


async def _check_until_stopped(
    workspace: WorkspaceEngine, teller: FileReporter, stop: asyncio.Event
) -> None:
    """Report documents that fail after they were taken in."""
    while not stop.is_set():
        await _check(workspace, teller)
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                await stop.wait()


async def _check(workspace: WorkspaceEngine, teller: FileReporter) -> None:
    if document_ids := teller.unrested:
        teller.look(document_ids, await workspace.statuses(document_ids))


@dataclass(slots=True)
class FileReporter:
    """Says what became of each file, and nothing twice."""

    names: dict[str, str] = field(default_factory=dict)
    """How files were named, by where they lie: a link leads elsewhere."""
    _reported: dict[str, str] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _unrested: dict[UUID, str] = field(default_factory=dict)

    @property
    def unrested(self) -> list[UUID]:
        """The documents of which it is not known yet whether they fail."""
        return list(self._unrested)

    def tell(self, step: Step) -> None:
        """Print a line for a step, unless nothing changed or it was reported already."""
        if step.verdict in ("unchanged", "waiting"):
            return
        text = f"{step.verdict} {printable(step.reason)}".strip()
        if step.verdict in ("refused", "kept") and self._reported.get(step.external_id) == text:
            return
        self._reported[step.external_id] = text
        name = self.names.get(step.external_id, step.external_id)
        self._print(step.verdict, name, step.reason)
        if step.received is not None and step.verdict in _INDEXED_ANEW:
            document = step.received.document
            self._unrested[document.document_id] = name
            if document.status is DocumentStatus.FAILED:
                self.look([document.document_id], {document.document_id: document})

    def look(self, document_ids: Sequence[UUID], documents: Mapping[UUID, Document]) -> None:
        """Print a line for each document that failed, once it and what is attached to it rest.

        Ids that are not among the documents are of deleted ones.
        """
        attached: dict[UUID | None, list[Document]] = defaultdict(list)
        for document in documents.values():
            attached[document.parent_id].append(document)
        for document_id in document_ids:
            name, root = self._unrested.get(document_id), documents.get(document_id)
            if name is None:
                continue
            family = list(_with_attachments(root, name, attached)) if root else []
            if all(
                (member.status in (DocumentStatus.INDEXED, DocumentStatus.FAILED))
                for member, _ in family
            ):
                del self._unrested[document_id]
                for member, label in family:
                    if member.status is DocumentStatus.FAILED:
                        self._print("failed", label, present.failure_sentence(member))

    def closing(self) -> str:
        """What was done, and what remains to be done."""
        counts = [
            f"{self._counts[verdict]} {verdict}" for verdict in _COUNTED if self._counts[verdict]
        ]
        summary = f"Stopped: {', '.join(counts) or 'nothing was taken in or removed'}."
        waiting = len(self._unrested)
        if not waiting:
            return summary
        subject = "1 document waits" if waiting == 1 else f"{waiting} documents wait"
        return (
            f"{summary} {subject} to be indexed; `footnote worker` or `footnote serve` goes on "
            "with that."
        )

    def _print(self, verdict: str, name: str, reason: str) -> None:
        self._counts[verdict] += 1
        line = f"{verdict:<8} {printable(name)}"
        present.terminal().print(Text(present.plain(line)), soft_wrap=True)
        if reason:
            # Where the two streams are kept apart, each must say which file it speaks of.
            message = present.plain(f"{printable(name)}: {printable(reason)}")
            present.notices().print(Text(message, style="dim"), soft_wrap=True)


def _with_attachments(
    document: Document, name: str, attached: Mapping[UUID | None, Sequence[Document]]
) -> Iterator[tuple[Document, str]]:
    """The document and what is attached to it, each with what it is called."""
    yield document, name
    for child in attached.get(document.document_id, ()):
        yield from _with_attachments(child, f"{name} › {child.filename}", attached)
