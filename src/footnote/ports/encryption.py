"""Interfaces of encryption at rest: ciphers, index secrets, and master keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from footnote.ports.models import Vectors


@dataclass(frozen=True, slots=True)
class CiphertextLocation:
    """The place of a ciphertext; one that was moved elsewhere cannot be decrypted."""

    table: str
    row: str
    """What identifies the row in its table and workspace."""
    column: str


class Cipher(Protocol):
    """Encrypts and authenticates values of one workspace under its data keys."""

    @property
    def current_version(self) -> int:
        """The version of the data key that new values are under."""

    def version_of(self, sealed: bytes) -> int:
        """The version of the key that a value is under. Raises CiphertextDamaged."""

    def seal(self, plaintext: bytes, place: CiphertextLocation) -> bytes:
        """Encrypt under the current data key; the same value gives another ciphertext each time."""

    def unseal(self, sealed: bytes, place: CiphertextLocation) -> bytes:
        """Decrypt. Raises KeyUnavailable for a version it lacks, and CiphertextDamaged."""


class IndexSecrets(Protocol):
    """The secrets that hide the words, vectors and texts of an index; they never change."""

    @property
    def lexical_key(self) -> bytes:
        """The key of the workspace's term numbers, 32 bytes."""

    def turn(self, vectors: Vectors) -> Vectors:
        """Rotate vectors, one per row, by a secret orthogonal matrix; cosines are kept."""

    def turn_back(self, vectors: Vectors) -> Vectors:
        """Undo `turn`, but for rounding."""

    def blind(self, text_hash: bytes) -> bytes:
        """Return a keyed hash of 16 bytes: equal for equal texts, and not computable without the
        key."""


class MasterKey(Protocol):
    """Wraps data keys, so that the database alone reveals none."""

    @property
    def name(self) -> str:
        """The name under which a wrapped key is recorded; it contains no secret."""

    async def wrap(self, key: bytes, workspace_id: UUID) -> bytes:
        """Encrypt a data key of the workspace. Raises KeyUnavailable."""

    async def unwrap(self, wrapped: bytes, workspace_id: UUID) -> bytes:
        """Decrypt a data key. Raises KeyUnavailable, also for a key of another workspace."""

    async def rotate(self) -> None:
        """Wrap with a new version from now on. Raises UnsupportedSettings where it cannot."""

    async def retire_old(self) -> None:
        """Make every version but the newest useless for ever; raises as `rotate` does."""


class Ciphers(Protocol):
    """Makes the ciphers and index secrets of workspaces from their keys."""

    def cipher(self, workspace_id: UUID, keys: Mapping[int, bytes], current: int) -> Cipher:
        """The cipher of a workspace with these data keys of 32 bytes by version."""

    def index_secrets(self, secret: bytes) -> IndexSecrets:
        """The index secrets derived from 32 secret bytes."""

    async def lacks_master(self) -> bool:
        """Whether the wrapping master key is one that Footnote makes, and is missing."""

    async def make_master(self) -> None:
        """Make that master key; if two processes do, one makes it and both use it."""

    @property
    def masters(self) -> Sequence[MasterKey]:
        """The wrapping master key, followed by those that may still unwrap."""
