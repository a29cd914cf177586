"""Store files by workspace and content hash; the hash is verified on read."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Protocol
from uuid import UUID

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore

from footnote.errors import BlobDamaged, BlobsFull, BlobsUnavailable, NotFound
from footnote.ports import Blobs
from footnote.store.object_stores import (
    copy_into,
    credentials_hint,
    lacks_credentials,
    store_at,
    store_message,
)

_PIECE_BYTES = 5 * 1024 * 1024
"""Size of an upload piece; S3 takes 10,000, none but the last below 5 MiB."""
_PIECES_AT_ONCE = 1
"""Pieces in memory per upload."""
_READ_BYTES = 1024 * 1024
"""Bytes read at once for hashing."""


class RawBlobs(Blobs, Protocol):
    """Blobs that also return the stored bytes unverified."""

    async def raw(self, key: str) -> BinaryIO:
        """Open what is stored, at its beginning. Raises what `open` raises, but not BlobDamaged."""


def blob_key(workspace_id: UUID, content_sha256: str) -> str:
    """Return the key of bytes with this hex SHA-256; a workspace's blobs share a prefix."""
    return f"{workspace_id}/{content_sha256[:2]}/{content_sha256}"


def blobs_from(folder: Path, url: str | None, options: str | None) -> RawBlobs:
    """Return the blobs at the URL, or in the folder without one; nothing is contacted yet.

    `options` is a JSON object of the store's options: endpoint, keys, region. Raises
    UnsupportedSettings.
    """
    if url is None:
        return LocalBlobs(folder)
    store = store_at(url, options, "blob_url", "blob_options")
    return StoredBlobs(store, credentials_hint(url, "blob_options"))


@dataclass(frozen=True, slots=True)
class LocalBlobs:
    """Blobs in a folder (`ports.Blobs`), fsynced before `put` returns."""

    folder: Path

    async def put(self, key: str, content: bytes | BinaryIO) -> None:
        with _local(key):
            await asyncio.to_thread(self.folder.mkdir, mode=0o700, parents=True, exist_ok=True)
            await _put(LocalStore(self.folder, mkdir=True), key, content)
            await asyncio.to_thread(self._flush, key)

    async def open(self, key: str) -> BinaryIO:
        return await checked(key, await self.raw(key))

    async def raw(self, key: str) -> BinaryIO:
        with _local(key):
            return await asyncio.to_thread((self.folder / key).open, "rb")

    async def delete(self, key: str) -> None:
        with _local(key):
            await asyncio.to_thread((self.folder / key).unlink, missing_ok=True)

    async def exists(self, key: str) -> bool:
        return await asyncio.to_thread((self.folder / key).is_file)

    async def list(self, prefix: str = "") -> AsyncIterator[str]:
        if self.folder.is_dir():
            async for key in _keys(LocalStore(self.folder, mkdir=True), prefix):
                yield key

    def _flush(self, key: str) -> None:
        path = self.folder / key
        for target in (path, path.parent):
            descriptor = os.open(target, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


@dataclass(frozen=True, slots=True)
class StoredBlobs:
    """Blobs in an object store (`ports.Blobs`), whose writes are atomic."""

    store: ObjectStore
    credentials_hint: str = ""
    """Hint that says how to configure credentials."""

    async def put(self, key: str, content: bytes | BinaryIO) -> None:
        with self._remote(key, missing_is_an_answer=False):
            await _put(self.store, key, content)

    async def open(self, key: str) -> BinaryIO:
        return await checked(key, await self.raw(key))

    async def raw(self, key: str) -> BinaryIO:
        file = TemporaryFile()  # noqa: SIM115  # the caller closes it
        try:
            with self._remote(key):
                await copy_into(file, await obstore.get_async(self.store, key))
        except BaseException:
            file.close()
            raise
        file.seek(0)
        return file

    async def delete(self, key: str) -> None:
        try:
            with self._remote(key):
                await obstore.delete_async(self.store, key)
        except NotFound:
            return

    async def exists(self, key: str) -> bool:
        try:
            with self._remote(key):
                await obstore.head_async(self.store, key)
        except NotFound:
            return False
        return True

    async def list(self, prefix: str = "") -> AsyncIterator[str]:
        with self._remote(prefix, missing_is_an_answer=False):
            async for key in _keys(self.store, prefix):
                yield key

    @contextmanager
    def _remote(self, key: str, *, missing_is_an_answer: bool = True) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            if missing_is_an_answer and "NoSuchBucket" not in str(error):
                raise _missing(key) from error
            raise _unusable("there is no such bucket or container") from error
        except (OSError, ValueError, BaseError) as error:
            hint = self.credentials_hint if lacks_credentials(error) else ""
            raise _unusable(store_message(error), hint) from error


async def _put(store: ObjectStore, key: str, content: bytes | BinaryIO) -> None:
    """Write an object; a file is read from its beginning, in pieces."""
    if not isinstance(content, bytes):
        content.seek(0)
    await obstore.put_async(
        store, key, content, chunk_size=_PIECE_BYTES, max_concurrency=_PIECES_AT_ONCE
    )


async def _keys(store: ObjectStore, prefix: str) -> AsyncIterator[str]:
    async for batch in obstore.list(store, prefix or None):
        for entry in batch:
            yield entry["path"]


async def checked(key: str, file: BinaryIO) -> BinaryIO:
    """Return the file at its beginning, if it has the hash that its key ends with.

    Otherwise close it and raise BlobDamaged.
    """

    def digest() -> str:
        digest = hashlib.sha256()
        file.seek(0)
        while piece := file.read(_READ_BYTES):
            digest.update(piece)
        file.seek(0)
        return digest.hexdigest()

    try:
        actual = await asyncio.to_thread(digest)
    except BaseException:
        file.close()
        raise
    if actual != key.rpartition("/")[2]:
        file.close()
        raise BlobDamaged(
            f"the stored file {key} is damaged: its SHA-256 is {actual}",
            hint="hand the file in once more, or restore it from a backup",
        )
    return file


@contextmanager
def _local(key: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise _missing(key) from error
    except (OSError, BaseError) as error:
        # The library passes on the system's error only as text.
        disk_full_codes = (errno.ENOSPC, errno.EDQUOT)
        if (isinstance(error, OSError) and error.errno in disk_full_codes) or any(
            f"(os error {number})" in str(error) for number in disk_full_codes
        ):
            raise BlobsFull(
                f"the disk is full: the file {key} cannot be stored",
                hint="make room on the disk of FOOTNOTE_HOME",
            ) from error
        raise BlobsUnavailable(
            f"the stored file {key} cannot be reached: {store_message(error)}",
            hint="check the disk of FOOTNOTE_HOME and its rights",
        ) from error


def _unusable(reason: str, hint: str = "") -> BlobsUnavailable:
    return BlobsUnavailable(
        f"the object store of the files cannot be used: {reason}",
        hint=hint or "check FOOTNOTE_BLOB_URL, FOOTNOTE_BLOB_OPTIONS and that it answers",
    )


def _missing(key: str) -> NotFound:
    return NotFound(
        f"the stored file {key} is missing",
        hint="hand the file in once more, or restore the blobs from a backup",
    )
