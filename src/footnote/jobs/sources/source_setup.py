"""Create the source at a place that a workspace follows, and check it before it is stored."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from footnote.domain.sources import NewSource, SourceCheck, SourceLook, WorkspaceSource
from footnote.engine import WorkspaceEngine
from footnote.engine.workspace_sources import allowed_location, opening_of
from footnote.errors import FootnoteError, InvalidRequest, SourceUnreachable
from footnote.ingestion.sources.mailboxes import mailbox_at
from footnote.ingestion.sources.places import source_location
from footnote.jobs.sources.addresses import reach_of, source_at
from footnote.jobs.sources.folder_tree import FolderBelow
from footnote.jobs.sources.following import Source
from footnote.jobs.sources.mailbox import MailboxSource
from footnote.jobs.sources.web import WebSource
from footnote.settings import Settings

LOOK_SECONDS = 20.0
"""Time limit of a check, short because a user waits for it."""
MAX_COUNTED = 1000
PREVIEW_NAMES = 5


class PreviewableSource(Source, Protocol):
    """A source whose content can be previewed without ingesting it."""

    async def look(self, limit: int, name_count: int) -> SourceLook:
        """Count at most `limit` entries, and name `name_count` of them."""
        ...


def followed_source(
    settings: Settings, workspace: str, address: str, secret: str | None, *, anywhere: bool
) -> PreviewableSource:
    """Return the source at a place, without connecting to it.

    Raises InvalidRequest for a place that the workspace may not name under the current settings.
    """
    place = allowed_location(settings, workspace, address, anywhere=anywhere)
    if place.kind == "folder":
        opened = None if anywhere else opening_of(settings, workspace, place)
        root_segments = place.segments if opened is None else opened.segments
        return FolderBelow(
            opening=Path("/", *root_segments),
            segments=place.segments[len(root_segments) :],
            max_bytes=settings.limits.bytes,
        )
    if place.kind == "web":

        def require(url: str) -> object:
            return allowed_location(settings, workspace, url, anywhere=anywhere)

        return WebSource(url=place.address, reach=replace(reach_of(settings), require=require))
    if place.kind == "mailbox" and not anywhere:
        # Never with the password in the operator's settings.
        return MailboxSource(
            address=mailbox_at(place.address),
            password=secret or "",
            timeout_seconds=settings.seconds.fetch,
            max_bytes=settings.limits.bytes,
        )
    return source_at(place.address, settings)


async def follow_source(
    workspace: WorkspaceEngine, new_source: NewSource, *, anywhere: bool = False
) -> WorkspaceSource:
    """Follow a source from now on, a folder only where this process can read it.

    Raises as `add_source` does, and InvalidRequest for a folder that cannot be read.
    """
    admitted = await workspace.admitted_source(new_source, anywhere=anywhere)
    if source_location(admitted.place).kind == "folder":
        source = followed_source(
            workspace.engine.settings,
            *(workspace.workspace.name, admitted.place, admitted.secret),
            anywhere=anywhere,
        )
        try:
            await source.look(0, 0)
        except SourceUnreachable as error:
            raise InvalidRequest(f"{admitted.place}: {error}", hint=error.hint) from error
    return await workspace.add_source(new_source, anywhere=anywhere)


async def check_source(
    workspace: WorkspaceEngine, new_source: NewSource, *, anywhere: bool = False
) -> SourceCheck:
    """Preview the content of a place, or say why it cannot be reached; nothing is stored.

    Raises as `admitted_source` does, before any connection is made.
    """
    admitted = await workspace.admitted_source(new_source, anywhere=anywhere)
    settings = workspace.engine.settings
    timeouts = settings.seconds
    short_timeouts = timeouts.model_copy(update={"fetch": min(LOOK_SECONDS, timeouts.fetch)})
    short_settings = settings.model_copy(update={"timeouts": short_timeouts.model_dump_json()})
    preview, reason = None, None
    try:
        source = followed_source(
            short_settings,
            workspace.workspace.name,
            admitted.place,
            admitted.secret,
            anywhere=anywhere,
        )
        async with asyncio.timeout(LOOK_SECONDS):
            preview = await source.look(MAX_COUNTED, PREVIEW_NAMES)
    except TimeoutError:
        reason = f"it did not answer within {LOOK_SECONDS:g} seconds; check that it can be reached"
    except FootnoteError as error:
        reason = "; ".join(filter(None, (str(error), error.hint)))
    return SourceCheck(
        place=admitted.place,
        kind=source_location(admitted.place).kind,
        found=preview,
        reason=reason,
    )
