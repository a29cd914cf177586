"""Everything that is kept about one person, handed out as an archive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivePiece:
    """The next bytes of an archive."""

    content: bytes
    document_ids: tuple[UUID, ...] = ()
    """The documents that these bytes show something of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalDataExport:
    """An archive that was written, of everything that is kept about one person."""

    path: str
    records: Mapping[str, int]
    """How many each of its files has that has any, by its name."""
