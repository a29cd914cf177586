"""Values become records of AES-256-GCM that are bound to their workspace, table, row and column.

A record is

    format (1 byte) ‖ key version (4 bytes) ‖ nonce (12 bytes) ‖ ciphertext ‖ tag (16 bytes)

and the associated data are format, key version, workspace, table, row and column, each part after
its length, so that no two places share theirs. Nonces are random: a data key is to be rotated
before 2**32 records are under it (NIST SP 800-38D, 8.3).
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from footnote.errors import CiphertextDamaged, KeyUnavailable
from footnote.ports import CiphertextLocation

FORMAT = 1
KEY_BYTES = 32
NONCE_BYTES = 12
TAG_BYTES = 16
_HEADER = struct.Struct(">BI")
OVERHEAD = _HEADER.size + NONCE_BYTES + TAG_BYTES
"""Bytes by which a record is longer than its value."""


@dataclass(frozen=True, slots=True)
class AesGcmCipher:
    """Seals under a workspace's current data key, unseals under any it has (`ports.Cipher`)."""

    workspace_id: UUID
    keys: Mapping[int, AESGCM]
    current_version: int

    @classmethod
    def of(cls, workspace_id: UUID, keys: Mapping[int, bytes], current: int) -> AesGcmCipher:
        """Return the cipher for 32-byte keys by version.

        Raises ValueError for another length, or if the current version is missing.
        """
        if any(len(key) != KEY_BYTES for key in keys.values()) or current not in keys:
            raise ValueError("data keys have 32 bytes, and the current one is among them")
        return cls(workspace_id, {number: AESGCM(key) for number, key in keys.items()}, current)

    def version_of(self, sealed: bytes) -> int:
        return version_of(sealed)

    def seal(self, plaintext: bytes, place: CiphertextLocation) -> bytes:
        header = _HEADER.pack(FORMAT, self.current_version)
        nonce = os.urandom(NONCE_BYTES)
        bound = self._bound(header, place)
        return header + nonce + self.keys[self.current_version].encrypt(nonce, plaintext, bound)

    def unseal(self, sealed: bytes, place: CiphertextLocation) -> bytes:
        version = version_of(sealed)
        key = self.keys.get(version)
        if key is None:
            raise KeyUnavailable(
                f"a value of {place.table}.{place.column} is under version {version} of its "
                "workspace's data key, which is not there",
                hint="it was destroyed, or the key table is older than the rest of the database",
            )
        header, start = sealed[: _HEADER.size], _HEADER.size + NONCE_BYTES
        try:
            return key.decrypt(
                sealed[_HEADER.size : start], sealed[start:], self._bound(header, place)
            )
        except InvalidTag as error:
            raise CiphertextDamaged(
                f"a stored value of {place.table}.{place.column} was changed, or moved from "
                "elsewhere: its authentication fails",
                hint="restore it from a backup, and look who can write to the database",
            ) from error

    def _bound(self, header: bytes, place: CiphertextLocation) -> bytes:
        parts = (place.table.encode(), place.row.encode(), place.column.encode())
        framed = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        return header + self.workspace_id.bytes + framed


def version_of(sealed: bytes) -> int:
    """The version of the data key that a record is under. Raises CiphertextDamaged."""
    if len(sealed) < OVERHEAD or sealed[0] != FORMAT:
        raise CiphertextDamaged(
            "a stored value is no ciphertext of this version of Footnote",
            hint="restore it from a backup",
        )
    version: int = _HEADER.unpack_from(sealed)[1]
    return version
