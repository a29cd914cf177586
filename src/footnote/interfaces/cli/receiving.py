"""Hands one file of a command line in, whatever its name is made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from footnote.domain import Received
from footnote.domain.sources import Labels
from footnote.errors import InvalidRequest
from footnote.interfaces.cli.loading import receive_named, received_when_there_is_room
from footnote.interfaces.cli.paths import has_plain_name, location_of, printable, refusal_of

if TYPE_CHECKING:
    from footnote.engine import WorkspaceEngine


async def receive_file(
    workspace: WorkspaceEngine, path: Path, labels: Labels, *, work: bool = False
) -> Received:
    """The document the file became, once the queue takes it. Raises InvalidRequest.

    While the queue is full, `work` lets this process index instead of waiting for a worker.
    """
    return await received_when_there_is_room(
        workspace, lambda: _receive(workspace, path, labels), work=work
    )


async def _receive(workspace: WorkspaceEngine, path: Path, labels: Labels) -> Received:
    if refusal := refusal_of(path):
        raise InvalidRequest(refusal)
    if has_plain_name(path):
        return await workspace.receive_file(path, collection=labels.collection, tags=labels.tags)
    return await receive_named(
        workspace,
        path,
        printable(path.name),
        external_id=location_of(path),
        collection=labels.collection,
        tags=labels.tags,
    )
