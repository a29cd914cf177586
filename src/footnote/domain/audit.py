"""What was done in a workspace, by whom, and which documents it showed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class Act(StrEnum):
    """What kind of act a verb is."""

    SEARCHED = "searched"
    """A query was put to the documents."""
    READ = "read"
    """Something of a document, a conversation or of who may do what was shown."""
    CHANGED = "changed"
    """Something was added or set."""
    EXPORTED = "exported"
    """Much was handed out at once."""
    DELETED = "deleted"
    """Something was removed."""
    OBSERVED = "observed"
    """States and settings were looked at; no content is shown, and it is not entered."""


CHANGING = frozenset((Act.CHANGED, Act.EXPORTED, Act.DELETED))
"""Acts that are entered before they begin, too: they leave traces even where their end is lost."""


class Outcome(StrEnum):
    """How far an act had come when it was entered."""

    BEGUN = "begun"
    """It was about to begin; another entry of the same act says how it ended."""
    SHOWING = "showing"
    """A stream was about to show these documents; another entry says how it ended."""
    DONE = "done"
    REFUSED = "refused"
    """The caller had no right to it."""
    FAILED = "failed"
    STOPPED = "stopped"
    """Whoever asked went away before its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditDraft:
    """An entry before it has its place in the log."""

    act_id: UUID
    """What the entries of one act have in common."""
    recorded_at: datetime
    principal: str
    credential: str
    """How the principal was proved, without any secret."""
    act: Act
    verb: str
    outcome: Outcome
    error: str | None = None
    """The class of the error, where it was refused or failed."""
    subject: Mapping[str, str] = field(default_factory=dict)
    """What it was about: ids and names by the verb's parameters."""
    documents: tuple[UUID, ...] = ()
    """Documents that were shown or changed."""
    passages: tuple[str, ...] = ()
    """Ids of the passages that were shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry(AuditDraft):
    """An entry of the audit log."""

    entry_no: int
    """From 1, without gaps."""
    query: str | None = None
    """What was asked; None where nothing was, where it is left out, and once it was erased."""
    query_salt: str | None = None
    """Hexadecimal; the digest is of salt and text, so that a digest alone gives nothing away."""
    query_digest: str | None = None
    """SHA-256 of salt and query, hexadecimal; it stays when the query is erased."""
    previous_hash: str
    """The hash of the entry before; 64 zeros for the first."""
    entry_hash: str
    """SHA-256 of all the rest of the entry but query and salt, as canonical JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditPage:
    """Entries of the audit log, newest first."""

    entries: tuple[AuditEntry, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditHead:
    """The last entry of a log: kept elsewhere, it proves later that nothing before was changed."""

    entry_no: int
    entry_hash: str


NO_ENTRIES = AuditHead(entry_no=0, entry_hash="0" * 64)
"""The head of a log without entries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFault:
    """A place where a log is not what was written."""

    entry_no: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditVerification:
    """Whether a log is what was written."""

    intact: bool
    entries: int
    """How many were looked at."""
    head: AuditHead
    faults: tuple[AuditFault, ...]
    """The first of them, in their order."""
