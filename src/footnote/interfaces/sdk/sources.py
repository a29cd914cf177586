"""The sources that a workspace on a remote server follows."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from footnote.domain.sources import NewSource, SourceCheck, WorkspaceSource
from footnote.interfaces.schemas import decoded
from footnote.interfaces.sdk.transport import Content, Repeat
from footnote.interfaces.sdk.verbs import Remote, verb

_SOURCES = "/v1/sources"


@verb("GET", "/v1/sources", "sources")
async def workspace_sources(client: Remote) -> tuple[WorkspaceSource, ...]:
    """The sources that are followed, oldest first, with how their last runs went."""


@verb("GET", "/v1/sources", "places")
async def source_places(client: Remote) -> tuple[str, ...]:
    """The places below which sources may be named; none where the operator opened none."""


@verb("GET", "/v1/sources/{source_id}")
async def workspace_source(client: Remote, source_id: UUID) -> WorkspaceSource:
    """One of the sources. Raises NotFound."""


async def check_source(client: Remote, wanted: NewSource) -> SourceCheck:
    """What lies in a place, or why it cannot be reached; nothing is kept. Raises InvalidRequest."""
    content = Content(json=asdict(wanted))
    return decoded(SourceCheck, await client.transport.json("POST", f"{_SOURCES}/check", content))


async def add_source(client: Remote, wanted: NewSource) -> WorkspaceSource:
    """Follow a source from now on. Raises InvalidRequest and Conflict."""
    content = Content(json=asdict(wanted))
    response = await client.transport.json("POST", _SOURCES, content, repeat=Repeat.REFUSED)
    return decoded(WorkspaceSource, response)


@verb("POST", "/v1/sources/{source_id}/run")
async def follow_source_now(client: Remote, source_id: UUID) -> WorkspaceSource:
    """Have a source read at once, also one that is paused. Raises NotFound."""


@verb("POST", "/v1/sources/{source_id}/pause")
async def pause_source(client: Remote, source_id: UUID) -> WorkspaceSource:
    """Leave a source alone, also in the middle of a run. Raises NotFound."""


@verb("DELETE", "/v1/sources/{source_id}", repeat=Repeat.REFUSED)
async def remove_source(client: Remote, source_id: UUID) -> None:
    """Follow a source no more; its documents stay. Raises NotFound."""
