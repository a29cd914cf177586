"""Random secrets that are handed out once, and the keyed hashes that are kept of them.

A secret has 256 random bits, so that a fast hash is enough: nobody can try them out. The hash is
keyed, so that whoever reads the database alone can neither check a guess nor write a hash of a
secret of their own (NIST SP 800-63B, section 3.1.2, look-up secrets with a pepper).
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from footnote.errors import UnsupportedSettings

_log = structlog.get_logger(__name__)

FILE = "identity.key"
SECRET_BYTES = 32
_ID_BYTES = 8
_MIN_CHARACTERS = 32
LINK = "fl"
"""Prefix of a share link's secret."""
_CREDENTIAL = re.compile(r"(fn|fs|fl)_([0-9a-f]{16})_([0-9a-f]{64})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedOut:
    """A secret as its owner has it: what it is looked up by, and what proves it."""

    kind: str
    """`fn` is an API key, `fs` the session of a person, `fl` a share link."""
    credential_id: str
    secret: str = field(repr=False)

    @property
    def text(self) -> str:
        """The secret as it is shown to its owner and sent in requests."""
        return f"{self.kind}_{self.credential_id}_{self.secret}"


def new_secret(kind: str) -> HandedOut:
    """Generate a new secret."""
    return HandedOut(
        kind=kind,
        credential_id=secrets.token_hex(_ID_BYTES),
        secret=secrets.token_hex(SECRET_BYTES),
    )


def read_secret(kind: str, text: str) -> HandedOut | None:
    """Parse a secret that was sent; None if it has another form or kind."""
    match = _CREDENTIAL.fullmatch(text)
    if match is None or match[1] != kind:
        return None
    return HandedOut(kind=kind, credential_id=match[2], secret=match[3])


def credential_id_of(text: str) -> str | None:
    """Return the id by which a secret is looked up; None if it has another form."""
    match = _CREDENTIAL.fullmatch(text)
    return None if match is None else match[2]


def without_secrets(text: str) -> str:
    """Redact the secret parts of credentials in a text; their ids stay.

    >>> without_secrets(f"fn_3f29a1c07be4d512_{'0' * 64}")
    'fn_3f29a1c07be4d512_…'
    """
    return _CREDENTIAL.sub(r"\1_\2_…", text)


@dataclass(frozen=True, slots=True)
class Pepper:
    """The key of the hashes; it is never in the database."""

    key: bytes = field(repr=False)

    def hash_of(self, handed_out: HandedOut) -> bytes:
        """Return the hash of a secret to store, 32 bytes."""
        return hmac.digest(self.key, handed_out.text.encode(), "sha256")

    def matches(self, handed_out: HandedOut, stored_hash: bytes) -> bool:
        """Return whether a secret has the stored hash, compared in constant time."""
        return hmac.compare_digest(self.hash_of(handed_out), stored_hash)

    def derived(self, purpose: str) -> bytes:
        """Derive a 32-byte key for another purpose, which does not reveal this one."""
        return hmac.digest(self.key, f"footnote:{purpose}".encode(), "sha256")


def pepper_from(configured: str | None, home: Path) -> Pepper:
    """Return the pepper of an installation: the configured one, else the one in its key file.

    The file is created at the first use. Raises UnsupportedSettings.
    """
    if configured is not None:
        if len(configured) < _MIN_CHARACTERS:
            raise UnsupportedSettings(
                f"The setting identity_secret has fewer than {_MIN_CHARACTERS} characters.",
                hint="Set FOOTNOTE_IDENTITY_SECRET to what this makes: openssl rand -hex 32",
            )
        return Pepper(hashlib.sha256(configured.encode()).digest())
    path = home / FILE
    try:
        return Pepper(_read(path) or _create(path))
    except OSError as error:
        raise UnsupportedSettings(
            f"{path} cannot be used: {error.strerror}.",
            hint="Set FOOTNOTE_IDENTITY_SECRET, or let this user read and write the file.",
        ) from error


def is_readable_by_others(home: Path) -> bool:
    """Return whether group or others have any permission on the key file of an installation."""
    with suppress(OSError):
        return bool((home / FILE).stat().st_mode & 0o077)
    return False


def _read(path: Path) -> bytes | None:
    if path.exists() and not path.is_file():
        raise UnsupportedSettings(
            f"{path} is no file.",
            hint="Restore it from a backup; without it no key and no session is valid.",
        )
    with suppress(FileNotFoundError):
        key = path.read_bytes()
        if len(key) != SECRET_BYTES:
            raise UnsupportedSettings(
                f"{path} is damaged: it has {len(key)} bytes in place of {SECRET_BYTES}.",
                hint="Restore it from a backup; without it no key and no session is valid.",
            )
        return key
    return None


def _create(path: Path) -> bytes:
    """Create the key file; of two processes that do so at once, the first wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(SECRET_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            path.hardlink_to(draft)
            # Logged, as a new key means that all credentials issued before are invalid.
            _log.info("identity_key_made", path=str(path))
    finally:
        draft.unlink()
    key = _read(path)
    if key is None:
        raise UnsupportedSettings(
            f"{path} is a link to nothing.",
            hint="Restore what it leads to; without it no key and no session is valid.",
        )
    return key
