"""Parts of backups encrypted as streams of any length, each bound to its name and its order.

A part is `FNP1`, a salt of 16 bytes, and pieces: AES-256-GCM over a mebibyte, the last one shorter
or empty. The key is derived from the backup key and the salt; the nonce is the number of the piece
and whether it is the last; the name of the part is authenticated with each.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from footnote.errors import CiphertextDamaged, UnsupportedSettings
from footnote.security.encryption.local_keys import key_of

_MAGIC = b"FNP1"
_SALT_BYTES = 16
_PIECE_BYTES = 1024 * 1024
_TAG_BYTES = 16
_KEY_BYTES = 32
_INLINE_PREFIX = "base64:"
_HOW_TO_MAKE = (
    "make one with: head -c 32 /dev/urandom | base64 > backup.key, and keep a copy elsewhere"
)


@dataclass(frozen=True, slots=True)
class BackupCipher:
    """Encrypts parts of backups under one key."""

    key: bytes = field(repr=False)

    @property
    def fingerprint(self) -> str:
        """Identifies the key without revealing anything about it."""
        return self._derived(b"", b"fingerprint", 8).hex()

    def name_of(self, text: str) -> str:
        """Return a deterministic keyed hash of the text (HMAC-SHA256), which does not reveal it."""
        secret = self._derived(b"", b"names", _KEY_BYTES)
        return hmac.digest(secret, text.encode(), "sha256").hex()

    def seal(self, name: str, plaintext: Iterable[bytes]) -> Iterator[bytes]:
        """Encrypt content as the part with this name."""
        salt = os.urandom(_SALT_BYTES)
        cipher = AESGCM(self._derived(salt, b"part", _KEY_BYTES))
        yield _MAGIC + salt
        for number, last, piece in _pieces(plaintext, _PIECE_BYTES):
            yield cipher.encrypt(_nonce(number, last=last), piece, name.encode())

    def unseal(self, name: str, sealed: Iterable[bytes]) -> Iterator[bytes]:
        """Decrypt the part with this name. Raises CiphertextDamaged."""
        chunks, head = iter(sealed), b""
        while len(head) < len(_MAGIC) + _SALT_BYTES:
            piece = next(chunks, b"")
            if not piece:
                raise _damaged(name)
            head += piece
        begin = len(_MAGIC) + _SALT_BYTES
        if head[: len(_MAGIC)] != _MAGIC:
            raise _damaged(name)
        cipher = AESGCM(self._derived(head[len(_MAGIC) : begin], b"part", _KEY_BYTES))

        def rest() -> Iterator[bytes]:
            yield head[begin:]
            yield from chunks

        for number, last, piece in _pieces(rest(), _PIECE_BYTES + _TAG_BYTES):
            try:
                yield cipher.decrypt(_nonce(number, last=last), piece, name.encode())
            except InvalidTag as error:
                raise _damaged(name) from error

    def _derived(self, salt: bytes, purpose: bytes, length: int) -> bytes:
        info = b"footnote backup " + purpose
        return HKDF(SHA256(), length, salt or None, info).derive(self.key)


def backup_cipher_from(setting: str) -> BackupCipher:
    """The cipher under the key that a setting names: a file, or `base64:` and the key.

    Raises UnsupportedSettings, without the value: it may be the key.
    """
    if setting.startswith(_INLINE_PREFIX):
        return BackupCipher(key_of(setting.removeprefix(_INLINE_PREFIX), "FOOTNOTE_BACKUP_KEY"))
    path = Path(setting).expanduser()
    try:
        text = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError) as error:
        fault = "is not there" if isinstance(error, FileNotFoundError) else "cannot be read"
        raise UnsupportedSettings(
            f"The setting backup_key names a file that {fault}.",
            hint=f"check the path; a key itself is written base64:KEY; {_HOW_TO_MAKE}",
        ) from error
    return BackupCipher(key_of(text, "FOOTNOTE_BACKUP_KEY"))


def _pieces(chunks: Iterable[bytes], size: int) -> Iterator[tuple[int, bool, bytes]]:
    """Regroup bytes into pieces of `size`; yield number, whether it is the last, and the piece."""
    buffer, number = bytearray(), 0
    for chunk in chunks:
        buffer += chunk
        while len(buffer) > size:
            yield number, False, bytes(buffer[:size])
            del buffer[:size]
            number += 1
    yield number, True, bytes(buffer)


def _nonce(number: int, *, last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([last])


def _damaged(name: str) -> CiphertextDamaged:
    return CiphertextDamaged(
        f"the part {name} of a backup is not what was written: it was changed, moved or cut off",
        hint="restore another backup; `footnote backup verify` finds what else is damaged",
    )
