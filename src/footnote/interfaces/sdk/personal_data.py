"""Everything that a workspace on a remote server keeps about a person."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx

from footnote.domain.personal_data import ArchivePiece
from footnote.errors import NotReady
from footnote.interfaces.sdk.transport import Content, Repeat
from footnote.interfaces.sdk.verbs import Remote


async def export_person(
    client: Remote, principal_id: str, *, with_files: bool = False
) -> AsyncGenerator[ArchivePiece]:
    """Everything that is kept about a principal, as a zip archive in pieces. Raises Forbidden."""
    async with aclosing(_export(client, principal_id, with_files)) as pieces:
        async for piece in pieces:
            yield piece


async def export_self(client: Remote, *, with_files: bool = False) -> AsyncGenerator[ArchivePiece]:
    """Everything that is kept about oneself, as a zip archive in pieces."""
    async with aclosing(_export(client, None, with_files)) as pieces:
        async for piece in pieces:
            yield piece


async def _export(
    client: Remote, principal_id: str | None, with_files: bool
) -> AsyncGenerator[ArchivePiece]:
    content = Content(json={"principal_id": principal_id, "with_files": with_files})
    path = "/v1/personal-data/export"
    try:
        async with client.transport.stream("POST", path, content, repeat=Repeat.UNSENT) as response:
            async for part in response.aiter_bytes():
                yield ArchivePiece(content=part)
    except httpx.TransportError as error:
        raise NotReady("the export broke off before its end", hint="export once more") from error
