"""How long what a workspace keeps is kept, and what may not be deleted."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class RetentionKind(StrEnum):
    """What a rule is about, and from when its days count."""

    DOCUMENTS = "documents"
    """From when the newest version was handed in."""
    CONVERSATIONS = "conversations"
    """From when something was last said or changed in it."""
    QUERIES = "queries"
    """The texts of what was asked, beside the audit log; from when it was asked."""
    PUSHES = "pushes"
    """What is kept of `POST /v1/ingest`; from when it came to rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRule:
    """After how many days something is deleted."""

    kind: RetentionKind
    collection: str | None
    """Null for the whole workspace; the rule of a collection comes before that."""
    days: int | None
    """Null keeps it for ever."""
    set_by: str
    set_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DueDocument:
    """A document that a rule deletes."""

    document_id: UUID
    filename: str
    collection: str
    handed_in_at: datetime
    """When its newest version was handed in."""
    due_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPreview:
    """What the rules delete until some time, as far as it is there now."""

    until: datetime
    documents: tuple[DueDocument, ...]
    """The first of them, soonest first; attachments go with what they are attached to."""
    document_count: int
    """How many they are that the caller may see; others go as well."""
    held_count: int
    """How many would be due but for a legal hold."""
    conversation_count: int
    """Of everybody."""
    query_count: int
    push_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionRun:
    """What the rules deleted."""

    documents: int
    """Without attachments."""
    conversations: int
    queries: int
    pushes: int


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
