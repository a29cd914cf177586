"""Receives the files that a command line names, whatever bytes their names consist of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from footnote.domain import Received
from footnote.domain.sources import Labels
from footnote.errors import InvalidRequest, QueueFull
from footnote.interfaces.cli.paths import (
    has_plain_name,
    leads_out,
    location_below,
    location_of,
    printable,
    refusal_of,
)
from footnote.jobs.inline import PatientSource, receive_when_queue_has_room
from footnote.jobs.sources.addresses import source_at
from footnote.jobs.sources.folders import FolderSource, ReceiveFile
from footnote.jobs.sources.following import Source
from footnote.settings import Settings

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine


async def receive_file(
    workspace: WorkspaceEngine,
    path: Path,
    labels: Labels,
    *,
    roots: Sequence[Path],
    work: bool,
    tell: Callable[[QueueFull], None],
) -> Received:
    """The document the file became, once the queue takes it. Raises InvalidRequest.

    A link that leads out of the roots is refused.

    While the queue is full, `work` lets this process index instead of waiting for a worker; `tell`
    hears of it.
    """
    return await receive_when_queue_has_room(
        workspace, lambda: _receive(workspace, path, labels, roots), work=work, tell=tell
    )


@dataclass(slots=True, kw_only=True)
class QueueFullNotice:
    """Says once that the queue is full, and what is done about it."""

    console: Console
    work: bool
    """Whether this process indexes meanwhile."""
    _reported: bool = False

    def __call__(self, full: QueueFull) -> None:
        """Say it, the first time."""
        if self._reported:
            return
        self._reported = True
        action = (
            "indexing some of them before more is taken in"
            if self.work
            else "waiting for `footnote worker` or `footnote serve` to index some. Ctrl-C stops; "
            "the same command then takes in what is missing"
        )
        message = f"The queue is full: {full}; {action}."
        self.console.print(Text(message, style="dim"), soft_wrap=True)


def announce_worker(console: Console) -> None:
    """Say who indexes, and with whose settings."""
    message = (
        "Another worker runs (`footnote serve`, `footnote worker` or another `footnote ingest`): "
        "it indexes these documents, with its own settings."
    )
    console.print(Text(message, style="dim"), soft_wrap=True)


async def _receive(
    workspace: WorkspaceEngine, path: Path, labels: Labels, roots: Sequence[Path]
) -> Received:
    if refusal := refusal_of(path, roots):
        raise InvalidRequest(refusal)
    filename = path.name if has_plain_name(path) else printable(path.name)
    try:
        # Not in a thread: that could open it after an interruption, with nobody left to close it.
        content = path.open("rb")  # Nothing else waits for this loop.
    except OSError as error:
        raise InvalidRequest(
            f"{filename} cannot be read: {error.strerror}", hint="check the path and its rights"
        ) from error
    with content:
        return await workspace.receive_stream(
            content,
            filename,
            collection=labels.collection,
            external_id=location_of(path),
            tags=labels.tags,
            visibility=labels.visibility,
            shared_with=labels.shared_with,
            keep_too_large=False,
            former=labels.former,
        )


def sources_at(
    addresses: Sequence[str], settings: Settings, *, work: bool, tell: Callable[[QueueFull], None]
) -> list[Source]:
    """Each address as a source; nothing is reached yet. Raises InvalidRequest.

    While the queue is full, `work` lets this process index instead of waiting for a worker; `tell`
    hears of it.
    """
    return [
        PatientSource(source=source_at(address, settings), work=work, tell=tell)
        for address in addresses
    ]


def files_source(
    list_files: Callable[[], Sequence[Path]],
    roots: Sequence[Path],
    settle_seconds: float = 0.0,
    *,
    work: bool,
    tell: Callable[[QueueFull], None],
) -> Source:
    """Files on this machine as a source; `work` and `tell` are those of `receive_file`."""
    receive: ReceiveFile = partial(receive_file, roots=roots, work=work, tell=tell)
    return FolderSource(
        list_files=list_files,
        identify=partial(location_below, roots=roots),
        receive=receive,
        roots=tuple(roots),
        leads_out=partial(leads_out, roots=roots),
        settle_seconds=settle_seconds,
    )
