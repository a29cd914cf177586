"""Keeps the bytes of files, addressed by workspace and content."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import obstore
from obstore.store import LocalStore

from footnote.errors import NotFound


def blob_key(workspace_id: UUID, content_sha256: str) -> str:
    """Where the bytes with this hex SHA-256 lie; a workspace's blobs share a prefix."""
    return f"{workspace_id}/{content_sha256[:2]}/{content_sha256}"


@dataclass(frozen=True, slots=True)
class LocalBlobs:
    """Blobs in a folder; what `put` has returned from survives a power cut."""

    folder: Path

    async def put(self, key: str, content: bytes) -> None:
        """Store the bytes; storing the same key again changes nothing."""
        await asyncio.to_thread(self.folder.mkdir, mode=0o700, parents=True, exist_ok=True)
        await obstore.put_async(self._store(), key, content)
        await asyncio.to_thread(self._flush, key)

    async def get(self, key: str) -> bytes:
        """The bytes. Raises NotFound."""
        try:
            answer = await obstore.get_async(self._store(), key)
        except FileNotFoundError as error:
            raise NotFound(
                f"the stored file {key} is missing", hint="restore the blob folder from a backup"
            ) from error
        return bytes(await answer.bytes_async())

    async def delete(self, key: str) -> None:
        """Remove the bytes if they are there."""
        await asyncio.to_thread((self.folder / key).unlink, missing_ok=True)

    def _store(self) -> LocalStore:
        return LocalStore(self.folder, mkdir=True)

    def _flush(self, key: str) -> None:
        path = self.folder / key
        for target in (path, path.parent):
            descriptor = os.open(target, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
