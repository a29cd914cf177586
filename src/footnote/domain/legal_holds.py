"""What may not be deleted, and who says so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalHold:
    """That a document, a collection or all of a principal may not be deleted."""

    hold_id: UUID
    document_id: UUID | None
    """With what it is attached to, and its attachments."""
    collection: str | None
    principal_id: str | None
    """Its conversations, what it asked, and the documents that it handed in."""
    reason: str
    set_by: str
    set_at: datetime
    lifted_by: str | None = None
    """Null as long as it is in force."""
    lifted_at: datetime | None = None
    lift_reason: str | None = None
