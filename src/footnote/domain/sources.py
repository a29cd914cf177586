"""What a source of documents offers, and what is remembered of what it offered before."""

from __future__ import annotations

from dataclasses import dataclass
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
