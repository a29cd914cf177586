"""The sources that a workspace on a remote server follows."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from footnote.domain.sources import NewSource, SourceCheck, WorkspaceSource
from footnote.interfaces.schemas import SourceList, decoded
from footnote.interfaces.sdk.pages import Remote
from footnote.interfaces.sdk.transport import Content, Repeat

_SOURCES = "/v1/sources"


async def workspace_sources(client: Remote) -> tuple[WorkspaceSource, ...]:
    """The sources that are followed, oldest first, with how their last runs went."""
    return decoded(SourceList, await client.transport.json("GET", _SOURCES)).sources


async def source_places(client: Remote) -> tuple[str, ...]:
    """The places below which sources may be named; none where the operator opened none."""
    return decoded(SourceList, await client.transport.json("GET", _SOURCES)).places


async def workspace_source(client: Remote, source_id: UUID) -> WorkspaceSource:
    """One of the sources. Raises NotFound."""
    found = await client.transport.json("GET", f"{_SOURCES}/{source_id}")
    return decoded(WorkspaceSource, found)


async def check_source(client: Remote, wanted: NewSource) -> SourceCheck:
    """What lies in a place, or why it cannot be reached; nothing is kept. Raises InvalidRequest."""
    content = Content(json=asdict(wanted))
    return decoded(SourceCheck, await client.transport.json("POST", f"{_SOURCES}/check", content))


async def add_source(client: Remote, wanted: NewSource) -> WorkspaceSource:
    """Follow a source from now on. Raises InvalidRequest and Conflict."""
    content = Content(json=asdict(wanted))
    found = await client.transport.json("POST", _SOURCES, content, repeat=Repeat.REFUSED)
    return decoded(WorkspaceSource, found)


async def follow_source_now(client: Remote, source_id: UUID) -> WorkspaceSource:
    """Have a source read at once, also one that is paused. Raises NotFound."""
    found = await client.transport.json("POST", f"{_SOURCES}/{source_id}/run")
    return decoded(WorkspaceSource, found)


async def pause_source(client: Remote, source_id: UUID) -> WorkspaceSource:
    """Leave a source alone, also in the middle of a run. Raises NotFound."""
    found = await client.transport.json("POST", f"{_SOURCES}/{source_id}/pause")
    return decoded(WorkspaceSource, found)


async def remove_source(client: Remote, source_id: UUID) -> None:
    """Follow a source no more; its documents stay. Raises NotFound."""
    await client.transport.call("DELETE", f"{_SOURCES}/{source_id}", repeat=Repeat.REFUSED)
