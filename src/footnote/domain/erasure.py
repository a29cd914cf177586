"""What was looked at to prove that a document is gone."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from footnote.domain.json_form import json_form


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureCheck:
    """One place that held something of a document."""

    place: str
    held: int
    """Rows, posting lists, files or entries of the document before it was deleted."""
    left: int
    """Those that are still found there."""
    kept: str = ""
    """Why what is left stays; empty where nothing may be left."""


@json_form(computed=("complete",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """A deletion, and where it was looked for anything it left."""

    document_id: UUID
    documents: int
    """The document and its attachments."""
    checks: tuple[ErasureCheck, ...]

    @property
    def complete(self) -> bool:
        """Whether nothing is left but what is kept for a reason."""
        return not any(check.left and not check.kept for check in self.checks)
