"""Store backups in a folder or an object store: encrypted parts, the manifest written last.

`footnote-backups.json` holds the format and the fingerprint of the key, nothing else.
`manifests/ID` is the manifest of a run, `runs/ID/…` its parts, and `files/…` stored files shared by
several runs. `notes/…` records erasures and destructions when they happen.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore
from pydantic import ConfigDict, TypeAdapter, ValidationError

from footnote.domain.backups import BackupPart, Manifest
from footnote.errors import (
    BlobsFull,
    BlobsUnavailable,
    CiphertextDamaged,
    Conflict,
    KeyUnavailable,
    NotFound,
    UnsupportedSettings,
)
from footnote.store.object_stores import (
    credentials_hint,
    lacks_credentials,
    store_at,
    store_message,
)
from footnote.store.read_ahead import read_ahead

_HEADER = "footnote-backups.json"
_FORMAT = 1
_MANIFESTS = "manifests/"
NOTES = "notes/"
_UPLOAD_BYTES = 32 * 1024 * 1024
"""Size of an upload piece; S3 takes 10,000 of them, so a part may have 312 GiB."""
_READ_BYTES = 1024 * 1024
_LEVEL = 1
"""Compression level of zlib: fast, so that the disk stays the bottleneck."""
_MANIFEST = TypeAdapter(
    tuple[Manifest], config=ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")
)


class PartCipher(Protocol):
    """Encrypts parts under one key."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the key."""

    def name_of(self, text: str) -> str:
        """Return a name that reveals nothing of the text."""

    def seal(self, name: str, plain: Iterable[bytes]) -> Iterator[bytes]:
        """Encrypt the part of that name."""

    def unseal(self, name: str, sealed: Iterable[bytes]) -> Iterator[bytes]:
        """Decrypt it. Raises CiphertextDamaged."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    """A listed object."""

    name: str
    bytes: int
    modified: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupStore:
    """Reads and writes parts and manifests; every method blocks."""

    place: str
    store: ObjectStore
    cipher: PartCipher
    folder: Path | None
    hint: str

    def prepare(self) -> None:
        """Initialise an empty place for backups.

        Raises Conflict, KeyUnavailable and BlobsUnavailable.
        """
        try:
            self.require_key()
        except NotFound:
            if next(iter(self.listed("")), None) is not None:
                raise Conflict(
                    f"{self.place} holds something else than backups",
                    hint="name a folder or prefix of their own by FOOTNOTE_BACKUP_URL",
                ) from None
            header = {"format": _FORMAT, "key": self.cipher.fingerprint}
            with self._translated_errors():
                obstore.put(self.store, _HEADER, json.dumps(header).encode(), mode="create")
            self._flush(_HEADER)

    def require_key(self) -> None:
        """Raise KeyUnavailable for a wrong key, and NotFound where there are no backups.

        Raises CiphertextDamaged for a missing or damaged header, and UnsupportedSettings for its
        format.
        """
        try:
            with self._translated_errors():
                content = bytes(obstore.get(self.store, _HEADER).bytes())
        except FileNotFoundError:
            if next(iter(self.listed(_MANIFESTS)), None) is not None:
                raise CiphertextDamaged(
                    f"{_HEADER} is missing beside the backups in {self.place}",
                    hint=self._header_hint(),
                ) from None
            raise NotFound(
                f"there are no backups in {self.place}", hint="make one: footnote backup create"
            ) from None
        try:
            header = json.loads(content)
            stored_format, key = header["format"], header["key"]
        except (ValueError, KeyError, TypeError) as error:
            raise CiphertextDamaged(
                f"{_HEADER} in {self.place} is damaged", hint=self._header_hint()
            ) from error
        if stored_format != _FORMAT:
            raise UnsupportedSettings(
                f"The backups in {self.place} have format {stored_format}, and this version reads "
                f"{_FORMAT}.",
                hint="use the version of Footnote that made them",
            )
        if key != self.cipher.fingerprint:
            raise KeyUnavailable(
                f"the backups in {self.place} are under the key {key}, and FOOTNOTE_BACKUP_KEY is "
                f"{self.cipher.fingerprint}",
                hint="give the key that they were made with",
            )

    def _header_hint(self) -> str:
        return (
            f'write it anew: {{"format": {_FORMAT}, "key": "{self.cipher.fingerprint}"}} if '
            "FOOTNOTE_BACKUP_KEY is the right key"
        )

    def write(self, name: str, plain: Iterable[bytes], *, compress: bool = True) -> BackupPart:
        """Store a part; if its source raises an exception, nothing is stored."""
        digest, size = hashlib.sha256(), 0

        def counted() -> Iterator[bytes]:
            nonlocal size
            for piece in self.cipher.seal(name, _deflated(plain) if compress else plain):
                digest.update(piece)
                size += len(piece)
                yield piece

        with self._translated_errors(), read_ahead(counted()) as pieces:
            obstore.put(self.store, name, pieces, chunk_size=_UPLOAD_BYTES, max_concurrency=2)
        self._flush(name)
        return BackupPart(name=name, bytes=size, sha256=digest.hexdigest())

    def read(
        self, name: str, *, compressed: bool = True, part: BackupPart | None = None
    ) -> Iterator[bytes]:
        """Yield the content of a part, authenticated and compared with its manifest entry if given.

        Raises CiphertextDamaged, also for a missing part.
        """
        digest, size = hashlib.sha256(), 0

        def counted() -> Iterator[bytes]:
            nonlocal size
            for piece in self._stored(name):
                digest.update(piece)
                size += len(piece)
                yield piece

        plain = self.cipher.unseal(name, counted())
        yield from _inflated(name, plain) if compressed else plain
        if part is not None and (size, digest.hexdigest()) != (part.bytes, part.sha256):
            raise CiphertextDamaged(f"the part {name} is not the one that its run wrote")

    def keep(self, manifest: Manifest) -> None:
        """Store the manifest of a run; from then on the run is listed."""
        self.write(_MANIFESTS + manifest.backup.backup_id, [_MANIFEST.dump_json((manifest,))])

    def manifest(self, backup_id: str) -> Manifest:
        """Read the manifest of a run. Raises NotFound and CiphertextDamaged."""
        if not any(backup_id == run_id for run_id in self.ids()):
            raise NotFound(
                f"there is no backup {backup_id!r} in {self.place}",
                hint="footnote backup list shows which there are",
            )
        try:
            content = b"".join(self.read(_MANIFESTS + backup_id))
        except CiphertextDamaged as error:
            raise CiphertextDamaged(
                f"the backup {backup_id} in {self.place} is damaged: {error}",
                hint=f"remove {_MANIFESTS}{backup_id} there to go on without it; what was erased "
                "since the run before it is then to be named by --erasures in a restoration",
            ) from error
        try:
            return _MANIFEST.validate_json(content)[0]
        except ValidationError as error:
            raise UnsupportedSettings(
                f"The backup {backup_id} was made by another version of Footnote.",
                hint="read it with that version",
            ) from error

    def ids(self) -> list[str]:
        """List the ids of all completed runs, oldest first."""
        return sorted(stored.name.removeprefix(_MANIFESTS) for stored in self.listed(_MANIFESTS))

    def manifests(self) -> list[Manifest]:
        """Read the manifests of all runs, oldest first."""
        return [self.manifest(backup_id) for backup_id in self.ids()]

    def listed(self, prefix: str) -> Iterator[StoredObject]:
        """List the objects under a prefix."""
        if self.folder is not None and not self.folder.is_dir():
            return
        with self._translated_errors():
            for batch in obstore.list(self.store, prefix or None):
                for entry in batch:
                    yield StoredObject(entry["path"], entry["size"], entry["last_modified"])

    def delete(self, name: str) -> None:
        """Remove an object, if it is there."""
        with self._translated_errors(), _ignoring_absent():
            obstore.delete(self.store, name)

    def forget(self, backup_id: str) -> None:
        """Delete the manifest of a run; from then on the run is not listed."""
        self.delete(_MANIFESTS + backup_id)

    def _stored(self, name: str) -> Iterator[bytes]:
        try:
            with self._translated_errors():
                for piece in obstore.get(self.store, name).stream(min_chunk_size=_READ_BYTES):
                    yield bytes(piece)
        except FileNotFoundError as error:
            raise CiphertextDamaged(
                f"the part {name} of a backup is missing",
                hint="restore another backup; `footnote backup verify` finds what else is missing",
            ) from error

    def _flush(self, name: str) -> None:
        if self.folder is None:
            return
        for path in (self.folder / name, (self.folder / name).parent):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            if "NoSuchBucket" not in str(error):
                raise
            raise BlobsUnavailable(f"{self.place}: there is no such bucket or container") from error
        except (OSError, BaseError, ValueError) as error:
            disk_full_codes = (errno.ENOSPC, errno.EDQUOT)
            if any(f"(os error {number})" in str(error) for number in disk_full_codes):
                raise BlobsFull(
                    f"the disk of the backups in {self.place} is full",
                    hint="make room, or remove old ones: footnote backup prune",
                ) from error
            raise BlobsUnavailable(
                f"the backups in {self.place} cannot be reached: {store_message(error)}",
                hint=self.hint
                if lacks_credentials(error) or self.folder is not None
                else "check FOOTNOTE_BACKUP_URL, FOOTNOTE_BACKUP_OPTIONS and that it answers",
            ) from error


def backup_store_at(url: str, options: str | None, cipher: PartCipher) -> BackupStore:
    """Return the store of backups; nothing is contacted yet. Raises UnsupportedSettings."""
    if "://" in url:
        store = store_at(url, options, "backup_url", "backup_options")
        hint = credentials_hint(url, "backup_options")
        return BackupStore(place=url, store=store, cipher=cipher, folder=None, hint=hint)
    folder = Path(url).expanduser().absolute()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BlobsUnavailable(
            f"{folder} cannot be used for backups: {error.strerror}",
            hint="set FOOTNOTE_BACKUP_URL to a folder you may write to",
        ) from error
    hint = "check the folder and its rights"
    return BackupStore(
        place=str(folder),
        store=LocalStore(folder, mkdir=True),
        cipher=cipher,
        folder=folder,
        hint=hint,
    )


@contextmanager
def _ignoring_absent() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        return


def _deflated(plain: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(_LEVEL)
    for piece in plain:
        if packed := packer.compress(piece):
            yield packed
    yield packer.flush()


def _inflated(name: str, packed: Iterable[bytes]) -> Iterator[bytes]:
    unpacker = zlib.decompressobj()
    for piece in packed:
        try:
            yield unpacker.decompress(piece)
        except zlib.error as error:
            raise CiphertextDamaged(f"the part {name} of a backup is damaged") from error
    yield unpacker.flush()
    if not unpacker.eof:
        raise CiphertextDamaged(f"the part {name} of a backup is cut off")
