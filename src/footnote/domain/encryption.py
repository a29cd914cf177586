"""How the keys of an installation stand, and the proof that a workspace was destroyed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from footnote.domain.json_form import json_form


@dataclass(frozen=True, slots=True, kw_only=True)
class DataKeyStatus:
    """One data key of a workspace."""

    version: int
    state: str
    """coming, current or old; an old one goes when nothing is encrypted under it any more."""
    master_key: str
    """The name of the master key that wraps it."""
    created_at: datetime
    wrapped_at: datetime
    """When a master key last wrapped it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceKeys:
    """A workspace and its keys."""

    workspace: str
    encrypted: bool
    """Whether its content is encrypted; its credentials always are."""
    keys: tuple[DataKeyStatus, ...]
    bare_credentials: int
    """Credentials that were stored before they were encrypted; rotating its key encrypts them."""
    unavailable: str | None = None
    """Why not all its keys can be unwrapped, and what to do; null where they can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncryptionStatus:
    """How the keys of an installation stand."""

    encryption: str
    """Whether new workspaces are encrypted: on or off."""
    master_key: str
    """The name of the master key that wraps."""
    workspaces: tuple[WorkspaceKeys, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MasterKeyRotation:
    """Data keys that were wrapped anew."""

    master_key: str
    workspaces: int
    keys: int
    old_retired: bool
    """Whether what older versions wrapped can be unwrapped by nobody any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUpKey:
    """A data key as it is stored, of no use without the master key that wraps it."""

    version: int
    state: str
    """coming, current or old."""
    wrapped: bytes
    master_key: str
    """The name of the master key that wraps it."""
    created_at: datetime
    wrapped_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUpKeys:
    """The data keys of a workspace."""

    workspace_id: UUID
    workspace: str
    keys: tuple[BackedUpKey, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyExport:
    """What a file of keys holds."""

    path: str
    workspaces: int
    keys: int
    sha256: str
    """Of its content, as it stands in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyImport:
    """What became of the keys of a file."""

    restored: int
    """Keys that were put in the place of older wrappings, or were missing."""
    unchanged: int
    absent: tuple[str, ...]
    """Workspaces of the file that are not here: they were destroyed, or not restored."""
    unlisted: tuple[str, ...]
    """Workspaces here with keys that are not in the file: they are newer, or were destroyed
    before it was written and came back with a backup.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class DestructionCheck:
    """One place that held something of a workspace."""

    place: str
    held: int
    left: int


@json_form(computed=("complete",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Destruction:
    """A workspace that was destroyed, and what was tried to read it all the same."""

    workspace: str
    workspace_id: UUID
    encrypted: bool
    checks: tuple[DestructionCheck, ...]
    """Tables and files, before and after."""
    samples: int
    """Encrypted values that were copied before, one or more of each kind."""
    samples_readable: int
    """Those of them that could be decrypted with the keys that are left."""
    backup_keys: int
    """Wrapped data keys that were copied before, as a backup holds them."""
    backup_keys_usable: int
    """Those of them that the master key still unwraps: as many backups can still be read."""

    @property
    def complete(self) -> bool:
        """Whether nothing is left, and nothing that was copied can be read with what is left."""
        return not (self.samples_readable or any(check.left for check in self.checks))
