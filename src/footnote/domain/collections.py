"""What a collection holds, and who may do what in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from footnote.domain.access import Grant, Visibility
from footnote.domain.documents import DocumentStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionSummary:
    """A collection with counts of what the reader may see of it."""

    name: str
    documents: int
    """Attachments included."""
    documents_by_status: Mapping[DocumentStatus, int]
    documents_by_visibility: Mapping[Visibility, int]
    """How many of them who sees beside those they are shared with."""
    chunks: int
    bytes: int
    """Of the newest version of each document."""
    changed_at: datetime | None
    """When a document of it was last added or changed; None where there is none."""
    grants: tuple[Grant, ...]
    """Roles that were granted in it alone."""
