"""What a source of documents offers, and what is remembered of what it offered before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from footnote.domain.access import Visibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """One thing a source has: a file, an object, a message."""

    external_id: str
    """Its path or address; the document's external id."""
    mark: str
    """Differs whenever the thing does; empty when that cannot be told without reading it."""
    settled: bool = True
    """Whether it seems to be complete; what is still being written is left for later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownEntry:
    """What is remembered of a thing that was taken in."""

    external_id: str
    mark: str
    content_sha256: str
    """Hex."""
    document_id: UUID
    failed: bool
    """Whether its document rests as failed."""
    tags: tuple[str, ...]
    """Of its document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """How a source differs from what is remembered of it."""

    unchanged: tuple[KnownEntry, ...] = ()
    """Need not be read."""
    to_read: tuple[Offered, ...] = ()
    """New, or perhaps other than before."""
    waiting: tuple[Offered, ...] = ()
    """Still being written."""
    missing: tuple[KnownEntry, ...] = ()
    """Remembered and not offered any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What everything of a source is sorted under, and who sees it."""

    collection: str | None = None
    tags: tuple[str, ...] = ()
    visibility: Visibility | None = None
    shared_with: tuple[str, ...] | None = None
    former: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What is gone from the source: external ids by the SHA-256 of their bytes."""


class SourceState(StrEnum):
    """What a source that a workspace follows is doing."""

    WAITING = "waiting"
    """For its next run, or for somebody to have it run."""
    RUNNING = "running"
    PAUSED = "paused"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSource:
    """A source that a workspace is to follow."""

    place: str
    """`folder:/…`, or an address that begins with https://, s3://, gs://, az:// or imaps://."""
    collection: str = "default"
    every_minutes: int | None = None
    """How long after a run the next begins; None has it run when it is told to."""
    delete_missing: bool = False
    """Whether documents are deleted whose things are gone from it."""
    secret: str | None = field(default=None, repr=False)
    """The password of a mailbox; it is stored encrypted and told nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceSource:
    """A source that a workspace follows, and how its last run went."""

    source_id: UUID
    place: str
    kind: str
    """`folder`, `web`, `objects` or `mailbox`."""
    collection: str
    every_minutes: int | None
    """None where it runs when it is told to."""
    delete_missing: bool
    """Whether documents are deleted whose things are gone from it."""
    state: SourceState
    added_by: str
    """As whom its documents are handed in."""
    added_at: datetime
    started_at: datetime | None
    """When its last run began; None before the first."""
    ended_at: datetime | None
    """None before the first run and during one."""
    next_run_at: datetime | None
    seen: int
    """Things that the run looked at so far, as the figures below."""
    added: int
    changed: int
    removed: int
    failed: int
    """Things that could not be taken in."""
    last_error: str | None
    """Why the last run could not go on, else why a thing of it could not be taken in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLook:
    """What lies in a place, at a first look."""

    entries: int
    more: bool = False
    """Whether there are more than were counted."""
    names: tuple[str, ...] = ()
    """Of a few of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCheck:
    """Whether a place can be followed, before anything is saved."""

    place: str
    """In the spelling in which it would be kept."""
    kind: str
    """`folder`, `web`, `objects` or `mailbox`."""
    found: SourceLook | None
    """None where it could not be reached."""
    reason: str | None
    """Why it could not be, and what to do."""
