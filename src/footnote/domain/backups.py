"""Backups of an installation: what a run of one kept, and what became of reading them back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from footnote.domain.encryption import BackedUpKeys
from footnote.domain.erasure import ErasureEntry, ReplayedErasure
from footnote.domain.json_form import json_form


class BackupKind(StrEnum):
    """What a run kept of the database."""

    FULL = "full"
    """All of it."""
    INCREMENTAL = "incremental"
    """The blocks that changed since an earlier run."""
    LOG = "log"
    """The write-ahead log since the run before, and no base."""


class BackupMethod(StrEnum):
    """By which tool of Postgres the database was read."""

    PHYSICAL = "physical"
    """`pg_basebackup` and `pg_receivewal`: the files of the whole server."""
    LOGICAL = "logical"
    """`pg_dump`: the tables of Footnote, for any version of the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupPart:
    """One object of a backup, as it lies where backups are kept."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DestroyedWorkspace:
    """A workspace that earlier runs had, and a later one did not find any more."""

    workspace_id: UUID
    workspace: str
    noticed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCitation:
    """A footnote of an answer, as it was when the backup was made."""

    document_id: UUID
    char_start: int
    char_end: int
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswer:
    """What a question was answered with when the backup was made."""

    workspace: str
    question: str
    citations: tuple[RecordedCitation, ...]
    """Empty where it was not answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUpServer:
    """Whose database it is."""

    system_identifier: str
    """Of the cluster, as Postgres gave it."""
    timeline: int
    version: int
    """As `server_version_num`."""
    embedded: bool
    database: str
    superuser: str
    application_login: str
    owner_login: str


@json_form(computed=("bytes",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """One run of `footnote backup create`, as it is listed."""

    backup_id: str
    kind: BackupKind
    method: BackupMethod
    base: str | None
    """The run that an incremental one builds on."""
    started_at: datetime
    finished_at: datetime
    consistent_at: datetime | None
    """The earliest moment that its base can be restored to; null for a run without one."""
    covered_until: datetime
    """The state that it restores: all that was committed until then."""
    continues: str | None
    """The run before, where the log goes on from it without a gap."""
    footnote_version: str
    schema: str
    """The newest migration of the database."""
    server: BackedUpServer
    workspaces: int
    documents: int
    files: int
    """Stored files that its documents name."""
    new_files: int
    """Those of them that no earlier run had."""
    erasures: int
    """Erasures that are carried out again when an earlier run is restored."""
    destroyed_workspaces: int
    recorded_answers: int
    parts: tuple[BackupPart, ...]
    """What this run wrote, without the files."""
    file_bytes: int
    """What it wrote of files."""

    @property
    def bytes(self) -> int:
        """What it added where backups are kept."""
        return self.file_bytes + sum(part.bytes for part in self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """All that a run says of itself; it is written last, so a run without one is none."""

    backup: Backup
    base_part: str | None
    """The tar file of the base, or the dump."""
    server_manifest: str | None
    """Postgres's own list of the base's files, from which the next incremental run starts."""
    log_parts: tuple[str, ...]
    log_end: str
    """The position in the log up to which this run has it; empty without a log."""
    file_index: str
    """The list of stored files."""
    keys: tuple[BackedUpKeys, ...]
    """Every workspace with its wrapped data keys, as they were at the end."""
    erasures: tuple[ErasureEntry, ...]
    destroyed: tuple[DestroyedWorkspace, ...]
    answers: tuple[RecordedAnswer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RestorableSpan:
    """A span of time, to any moment of which the database can be restored."""

    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupList:
    """What is kept, oldest first."""

    place: str
    backups: tuple[Backup, ...]
    spans: tuple[RestorableSpan, ...]
    damaged: tuple[str, ...] = ()
    """What is wrong with those that say nothing of themselves any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDifference:
    """A question that is answered otherwise than it was when the backup was made."""

    workspace: str
    question: str
    recorded: tuple[RecordedCitation, ...]
    found: tuple[RecordedCitation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerComparison:
    """Recorded questions, asked again of what was restored."""

    asked: int
    erased: int
    """Those that were not compared, since a document they cited was erased."""
    differences: tuple[AnswerDifference, ...]


@json_form(computed=("complete",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """What was restored, and what was done to it before anybody is let in."""

    backup_id: str
    at: datetime
    """The moment whose state it is: all that was committed until then."""
    place: str
    workspaces: int
    documents: int
    files: int
    missing_files: tuple[str, ...]
    """Stored files that documents name and no run had."""
    keys_restored: int
    """Wrapped data keys that came from a newer run than the database."""
    destroyed: tuple[str, ...]
    """Workspaces that were destroyed once more."""
    erasures: tuple[ReplayedErasure, ...]
    """Erasures that were looked at again."""
    refused: tuple[str, ...]
    """What could not be destroyed or erased, each with its reason."""
    comparison: AnswerComparison | None
    moved_aside: str | None
    """Where that lies whose place it took."""

    @property
    def complete(self) -> bool:
        """Whether nothing is missing, refused or answered otherwise."""
        differs = self.comparison is not None and bool(self.comparison.differences)
        return not (self.missing_files or self.refused or differs)


@json_form(computed=("sound",))
@dataclass(frozen=True, slots=True, kw_only=True)
class BackupVerification:
    """What was read of the backups, and what a trial of restoring them gave."""

    backups: int
    parts: int
    bytes: int
    faults: tuple[str, ...]
    restoration: Restoration | None
    """Of the trial; null where only parts were read."""

    @property
    def sound(self) -> bool:
        """Whether there is no fault, and the trial was complete."""
        return not self.faults and (self.restoration is None or self.restoration.complete)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrunedBackups:
    """What was removed."""

    backups: tuple[str, ...]
    files: int
    bytes: int
