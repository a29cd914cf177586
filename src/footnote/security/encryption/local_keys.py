"""Master keys that this machine has: in a file with a key a line, or in the environment.

A wrapped key is the fingerprint of the master key (8 bytes), a nonce (12 bytes) and AES-256-GCM's
ciphertext with its tag, bound to the workspace. The last key of a file wraps, all of them unwrap.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import os
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from footnote.errors import KeyUnavailable, UnsupportedSettings

LOCAL = "local"
"""The name of all keys of this machine: a wrapped key tells by which of them it is."""
_KEY_BYTES = 32
_NONCE_BYTES = 12
_FINGERPRINT_BYTES = 8
_PURPOSE = b"footnote data key\0"
_CREATE = "create one with: head -c 32 /dev/urandom | base64"

Keys = Mapping[bytes, bytes]
"""Keys by fingerprint, the one that wraps last."""


@dataclass(frozen=True, slots=True)
class EnvironmentKey:
    """The one master key of the environment (`ports.MasterKey`)."""

    key: bytes = field(repr=False)

    @property
    def name(self) -> str:
        return LOCAL

    async def wrap(self, key: bytes, workspace_id: UUID) -> bytes:
        return _wrapped({fingerprint(self.key): self.key}, key, workspace_id)

    async def unwrap(self, wrapped: bytes, workspace_id: UUID) -> bytes:
        return _unwrapped({fingerprint(self.key): self.key}, wrapped, workspace_id)

    async def rotate(self) -> None:
        raise _not_ours()

    async def retire_old(self) -> None:
        raise _not_ours()


@dataclass(frozen=True, slots=True)
class KeyFile:
    """The master keys of a file, read anew each time, for another process may rotate them."""

    path: Path
    is_made: bool = False
    """Whether Footnote may create the file, by `make` and never implicitly: if it is only missing,
    data keys may be wrapped under it.
    """

    @property
    def name(self) -> str:
        return LOCAL

    async def wrap(self, key: bytes, workspace_id: UUID) -> bytes:
        return _wrapped(await asyncio.to_thread(self._read), key, workspace_id)

    async def unwrap(self, wrapped: bytes, workspace_id: UUID) -> bytes:
        return _unwrapped(await asyncio.to_thread(self._read), wrapped, workspace_id)

    async def rotate(self) -> None:
        await asyncio.to_thread(self._rotate)

    async def retire_old(self) -> None:
        await asyncio.to_thread(self._retire_old)

    def require(self) -> None:
        """Raise UnsupportedSettings where the file has no key to read."""
        try:
            self._read()
        except KeyUnavailable as error:
            raise UnsupportedSettings(
                f"The setting master_key cannot be used: {error}.",
                hint=f"Set FOOTNOTE_MASTER_KEY to a key that can be read; {error.hint}.",
            ) from error

    def make(self) -> None:
        """Make the file with a first key, unless it is there. Blocks."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = self._draft([secrets.token_bytes(_KEY_BYTES)])
        try:
            # If two processes start at once, one creates the key and both use it.
            os.link(draft, self.path)
        except FileExistsError:
            return
        finally:
            draft.unlink()

    def _rotate(self) -> None:
        keys = self._read()
        self._write([*keys.values(), secrets.token_bytes(_KEY_BYTES)])

    def _retire_old(self) -> None:
        self._write([*self._read().values()][-1:])

    def _read(self) -> Keys:
        try:
            text = self.path.read_text(encoding="ascii")
        except FileNotFoundError as error:
            raise KeyUnavailable(
                f"there is no master key at {self.path}",
                hint=f"bring back the file, or for a new installation {_CREATE} > {self.path}",
            ) from error
        except (OSError, UnicodeDecodeError) as error:
            raise KeyUnavailable(
                f"the master key {self.path} cannot be read ({type(error).__name__})",
                hint="it must be a text file that the user of Footnote may read",
            ) from error
        lines = [line.strip() for line in text.splitlines()]
        keys = [key_of(line, str(self.path)) for line in lines if line and line[0] != "#"]
        if not keys:
            raise UnsupportedSettings(f"The master key {self.path} is empty.", hint=_CREATE)
        return {fingerprint(key): key for key in keys}

    def _write(self, keys: list[bytes]) -> None:
        self._draft(keys).replace(self.path)

    def _draft(self, keys: list[bytes]) -> Path:
        """Write the keys to a temporary file beside the real one, mode 0600, and fsync it."""
        descriptor, name = tempfile.mkstemp(prefix=f".{self.path.name}-", dir=self.path.parent)
        with os.fdopen(descriptor, "wb") as draft:
            draft.writelines(base64.b64encode(key) + b"\n" for key in keys)
            draft.flush()
            os.fsync(draft.fileno())
        return Path(name)


def key_of(text: str, owner: str) -> bytes:
    """The key of 32 bytes from its Base64. Raises UnsupportedSettings, without the text."""
    try:
        key = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != _KEY_BYTES:
        raise UnsupportedSettings(
            f"The key of {owner} is not {_KEY_BYTES} bytes in Base64.", hint=_CREATE
        )
    return key


def fingerprint(key: bytes) -> bytes:
    """Return an identifier of a master key, 8 bytes, that reveals nothing about it."""
    return hashlib.sha256(b"footnote master key\0" + key).digest()[:_FINGERPRINT_BYTES]


def _wrapped(keys: Keys, key: bytes, workspace_id: UUID) -> bytes:
    mark, master = [*keys.items()][-1]
    nonce = os.urandom(_NONCE_BYTES)
    bound = _PURPOSE + mark + workspace_id.bytes
    return mark + nonce + AESGCM(master).encrypt(nonce, key, bound)


def _unwrapped(keys: Keys, wrapped: bytes, workspace_id: UUID) -> bytes:
    mark, sealed = wrapped[:_FINGERPRINT_BYTES], wrapped[_FINGERPRINT_BYTES:]
    master = keys.get(mark)
    if master is None:
        raise KeyUnavailable(
            f"a data key is under master key {mark.hex()}, and here are "
            f"{', '.join(key_mark.hex() for key_mark in keys)}",
            hint="name that key in FOOTNOTE_MASTER_KEY, alone or behind another",
        )
    try:
        return AESGCM(master).decrypt(
            sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _PURPOSE + mark + workspace_id.bytes
        )
    except InvalidTag as error:
        raise KeyUnavailable(
            "a wrapped data key was changed, or is another workspace's",
            hint="restore the table data_keys from its newest backup",
        ) from error


def _not_ours() -> UnsupportedSettings:
    return UnsupportedSettings(
        "The master key stands in the environment, which Footnote cannot change.",
        hint="put the new key before the old one in FOOTNOTE_MASTER_KEY, with a comma between "
        "them, start Footnote again, and run: footnote encryption rotate-master",
    )
