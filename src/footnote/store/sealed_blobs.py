"""Encrypt the files of encrypted workspaces when they are stored, and decrypt them when read.

An encrypted file is `FNB1` and then pieces of a mebibyte, of which the last may be shorter: the
length of the piece's record in four bytes, big-endian, and the record. Each record is bound to its
number and to whether it is the last, so that none can be left out, added or exchanged.
"""

from __future__ import annotations

import asyncio
import io
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO
from uuid import UUID

from footnote.errors import BlobDamaged
from footnote.ports import CiphertextLocation
from footnote.store.blobs import RawBlobs, checked
from footnote.store.sealing import Sealing

MAGIC = b"FNB1"
_PIECE_BYTES = 1024 * 1024
_LENGTH_BYTES = 4


@dataclass(frozen=True, slots=True)
class SealedBlobs:
    """Encrypting blob store over a folder or an object store (`ports.Blobs`)."""

    stored: RawBlobs
    sealing: Callable[[UUID], Awaitable[Sealing]]

    async def put(self, key: str, content: bytes | BinaryIO) -> None:
        """Store the bytes, encrypted where their workspace is; as `ports.Blobs.put` says."""
        sealing = await self.sealing(workspace_of(key))
        if not sealing.encrypts:
            await self.stored.put(key, content)
            return
        with tempfile.TemporaryFile() as sealed:
            await asyncio.to_thread(_seal, sealing, key, content, sealed)
            await self.stored.put(key, sealed)

    async def open(self, key: str) -> BinaryIO:
        """Open the bytes, decrypted; as `ports.Blobs.open` says."""
        sealing = await self.sealing(workspace_of(key))
        if not sealing.encrypts:
            return await self.stored.open(key)
        with await self.stored.raw(key) as sealed:
            plain = tempfile.TemporaryFile()  # noqa: SIM115  # the caller closes it
            try:
                await asyncio.to_thread(_unseal, sealing, key, sealed, plain)
            except BaseException:
                plain.close()
                raise
        return await checked(key, plain)

    async def first_record(self, key: str) -> bytes:
        """Return the first record of an encrypted file, which names its key. Raises NotFound."""
        with await self.stored.raw(key) as sealed:
            _, _, record = next(records_in(key, sealed))
            return record

    async def delete(self, key: str) -> None:
        """Remove the bytes if they are there."""
        await self.stored.delete(key)

    async def exists(self, key: str) -> bool:
        """Whether there are bytes under the key."""
        return await self.stored.exists(key)

    async def list(self, prefix: str = "") -> AsyncIterator[str]:
        """The keys below a prefix."""
        async for key in self.stored.list(prefix):
            yield key


def workspace_of(key: str) -> UUID:
    """The workspace whose blob this is."""
    return UUID(key.partition("/")[0])


def records_in(key: str, sealed: BinaryIO) -> Iterator[tuple[int, bool, bytes]]:
    """Yield the records of an encrypted file, at least one, each with number and whether it is
    last.

    Raises BlobDamaged.
    """
    if sealed.read(len(MAGIC)) != MAGIC:
        raise _damaged(key)
    number, length = 0, sealed.read(_LENGTH_BYTES)
    while True:
        size = int.from_bytes(length, "big")
        record = sealed.read(size)
        if len(length) < _LENGTH_BYTES or len(record) < size:
            raise _damaged(key)
        length = sealed.read(_LENGTH_BYTES)
        yield number, not length, record
        if not length:
            return
        number += 1


def _unseal(sealing: Sealing, key: str, sealed: BinaryIO, plain: BinaryIO) -> None:
    for number, last, record in records_in(key, sealed):
        plain.write(sealing.plain_content(_place(key, number, last), record))


def _seal(sealing: Sealing, key: str, content: bytes | BinaryIO, sealed: BinaryIO) -> None:
    plain = io.BytesIO(content) if isinstance(content, bytes) else content
    plain.seek(0)
    sealed.write(MAGIC)
    number, piece = 0, plain.read(_PIECE_BYTES)
    while True:
        following = plain.read(_PIECE_BYTES)
        record = sealing.content(_place(key, number, not following), piece)
        sealed.write(len(record).to_bytes(_LENGTH_BYTES, "big") + record)
        if not following:
            return
        number, piece = number + 1, following


def _place(key: str, number: int, last: bool) -> CiphertextLocation:
    return CiphertextLocation("blobs", key, f"{'last ' if last else ''}piece {number}")


def _damaged(key: str) -> BlobDamaged:
    return BlobDamaged(
        f"the stored file {key} is not encrypted as its workspace's files are, or cut off",
        hint="hand the file in once more, or restore it from a backup",
    )
