"""Deletions for good: what was looked at to prove them, and how they are proved later."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from footnote.domain.json_form import json_form


class ErasureTarget(StrEnum):
    """What was erased."""

    DOCUMENT = "document"
    """A document with its attachments."""
    COLLECTION = "collection"
    """All documents of a collection."""
    PRINCIPAL = "principal"
    """The documents that a principal handed in, its conversations, and what it asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureCheck:
    """One place that held something of what was erased."""

    place: str
    held: int
    """Rows, posting lists, files or entries before."""
    left: int
    """Those that are still found there."""
    kept: str = ""
    """Why what is left stays; empty where nothing may be left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureEntry:
    """What the ledger of erasures has of one: ids, and nothing of what was erased."""

    certificate_id: UUID
    workspace_id: UUID
    target: ErasureTarget
    name: str
    """The document's id, the collection's name, or the principal."""
    document_ids: tuple[UUID, ...]
    """With attachments."""
    erased_at: datetime
    """When it began; what came later was not erased."""
    erased_by: str


@json_form(computed=("complete",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure(ErasureEntry):
    """A certificate: what was erased, and where it was looked for anything left of it."""

    workspace: str
    credential: str
    """How whoever erased it was proved, without any secret."""
    checks: tuple[ErasureCheck, ...]
    not_reached: tuple[str, ...]
    """Where something of it may be that Footnote cannot look into."""
    sha256: str
    """Of all the rest, as canonical JSON; the audit log has it too."""

    @property
    def complete(self) -> bool:
        """Whether nothing is left but what is kept for a reason."""
        return not any(check.left and not check.kept for check in self.checks)


@json_form(computed=("valid",))
@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureVerification:
    """Whether a certificate is what was given, and what it says still holds."""

    certificate_id: UUID
    entry_no: int | None
    """Of the audit log, where the certificate is entered; null where it is not."""
    faults: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """Whether there is no fault."""
        return not self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedErasure:
    """What became of an erasure that was carried out again."""

    certificate_id: UUID
    """Of the earlier erasure."""
    erasure: Erasure | None = None
    """The new certificate; null where nothing of it was there, or it was refused."""
    refusal: str | None = None
    """Why it was not carried out."""
