"""Manage the sources that a workspace follows, within the places opened to it."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from footnote.domain.sources import NewSource, WorkspaceSource
from footnote.engine.services import WorkspaceAccess
from footnote.errors import InvalidRequest
from footnote.ingestion.sources.places import SourceLocation, allowed_locations, source_location
from footnote.settings import Settings, listed
from footnote.store import workspace_sources as stored

MAX_SOURCES = 100
MIN_MINUTES = 5
MAX_MINUTES = 60 * 24 * 31
MAX_SECRET_CHARACTERS = 1000


async def workspace_sources(workspace: WorkspaceAccess) -> tuple[WorkspaceSource, ...]:
    """List the followed sources, oldest first. Raises Forbidden."""
    async with workspace.scope() as scope:
        return await stored.list_sources(scope)


async def workspace_source(workspace: WorkspaceAccess, source_id: UUID) -> WorkspaceSource:
    """Return one source. Raises NotFound and Forbidden."""
    async with workspace.scope() as scope:
        return await stored.get_source(scope, source_id)


async def source_places(workspace: WorkspaceAccess) -> tuple[str, ...]:
    """List the addresses of places opened to the workspace. Raises Forbidden."""
    opened = _opened(workspace.engine.settings, workspace.workspace.name)
    return tuple(place.address for place in opened)


async def admitted_source(
    workspace: WorkspaceAccess, wanted: NewSource, *, anywhere: bool = False
) -> NewSource:
    """Check a source and return it as it would be stored; nothing is contacted.

    `anywhere` is for an operator at the machine, who may read what the process may read. Raises
    Forbidden, and InvalidRequest for a place that is not opened to the workspace, with the same
    message whether the place exists or not.
    """
    place = allowed_location(
        workspace.engine.settings, workspace.workspace.name, wanted.place, anywhere=anywhere
    )
    minutes = wanted.every_minutes
    if minutes is not None and not MIN_MINUTES <= minutes <= MAX_MINUTES:
        raise InvalidRequest(
            f"every_minutes: {minutes} minutes cannot be kept to",
            hint=f"give {MIN_MINUTES} to {MAX_MINUTES:,} minutes",
        )
    secret = wanted.secret or None
    if secret is not None and place.kind != "mailbox":
        raise InvalidRequest(
            "secret: only a mailbox has a password",
            hint="leave it out; the operator sets what object stores want to know",
        )
    if secret is None and place.kind == "mailbox" and not anywhere:
        raise InvalidRequest("secret: the mailbox has a password", hint="give its password")
    if secret is not None and len(secret) > MAX_SECRET_CHARACTERS:
        raise InvalidRequest("secret: it is too long", hint="give the password alone")
    return replace(wanted, place=place.address, secret=secret)


async def add_source(
    workspace: WorkspaceAccess, wanted: NewSource, *, anywhere: bool = False
) -> WorkspaceSource:
    """Follow a source from now on; a worker reads it at once.

    Raises what `admitted_source` raises, and Conflict for one that is followed already.
    """
    admitted = await admitted_source(workspace, wanted, anywhere=anywhere)
    if admitted.secret is not None:
        await workspace.ensure_data_key()
    async with workspace.scope() as scope:
        if await stored.count_sources(scope) >= MAX_SOURCES:
            raise InvalidRequest(
                f"the workspace follows {MAX_SOURCES} sources already", hint="remove one first"
            )
        return await stored.add_source(
            scope,
            admitted,
            source_location(admitted.place).kind,
            anywhere=anywhere,
            actor=workspace.proved_identity,
        )


async def follow_source_now(workspace: WorkspaceAccess, source_id: UUID) -> WorkspaceSource:
    """Have a source read at once, even if paused. Raises NotFound and Forbidden."""
    async with workspace.scope() as scope:
        return await stored.follow_now(scope, source_id)


async def pause_source(workspace: WorkspaceAccess, source_id: UUID) -> WorkspaceSource:
    """Pause a source, also during a run. Raises NotFound and Forbidden."""
    async with workspace.scope() as scope:
        return await stored.pause_source(scope, source_id)


async def remove_source(workspace: WorkspaceAccess, source_id: UUID) -> None:
    """Stop following a source; its documents stay. Raises NotFound and Forbidden."""
    async with workspace.scope() as scope:
        await stored.remove_source(scope, source_id)


def allowed_location(
    settings: Settings, workspace: str, address: str, *, anywhere: bool
) -> SourceLocation:
    """Return the place at an address, if allowed to the workspace. Raises InvalidRequest."""
    place = source_location(address)
    if anywhere:
        return place
    opened = _opened(settings, workspace)
    if any(opening.holds(place) for opening in opened):
        return place
    if not opened:
        raise InvalidRequest(
            "place: no place is opened to this workspace",
            hint="the operator of the server sets FOOTNOTE_SOURCE_PLACES; see docs/sources.md",
        )
    raise InvalidRequest(
        "place: it is not among those that are opened to this workspace",
        hint=f"name one below {', '.join(opening.address for opening in opened)}, "
        "or ask the operator of the server for FOOTNOTE_SOURCE_PLACES",
    )


def opening_of(settings: Settings, workspace: str, place: SourceLocation) -> SourceLocation | None:
    """Return the outermost opened place that contains a place; None if there is none."""
    opened = _opened(settings, workspace)
    return min(
        (opening for opening in opened if opening.holds(place)),
        key=lambda opening: len(opening.segments),
        default=None,
    )


def _opened(settings: Settings, workspace: str) -> tuple[SourceLocation, ...]:
    return allowed_locations(listed(settings.source_places), workspace)
