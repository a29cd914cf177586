"""Encrypted files: read back whole, in any size, and refused when anything of them was changed."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from footnote.errors import BlobDamaged, CiphertextDamaged
from footnote.security.encryption.index_secrets import KeyedIndexSecrets
from footnote.security.encryption.records import OVERHEAD, AesGcmCipher
from footnote.store.blobs import LocalBlobs, blob_key
from footnote.store.sealed_blobs import MAGIC, SealedBlobs
from footnote.store.sealing import Sealing

HERE, THERE = UUID(int=1), UUID(int=2)
PIECE = 1024 * 1024
RECORD = 4 + PIECE + OVERHEAD


def sealing(workspace: UUID) -> Sealing:
    cipher = AesGcmCipher.of(workspace, {1: bytes(range(32))}, 1)
    return Sealing(cipher=cipher, index=KeyedIndexSecrets.of(bytes(32)))


@pytest.fixture
def blobs(tmp_path: Path) -> SealedBlobs:
    async def encrypted(workspace: UUID) -> Sealing:
        return sealing(workspace)

    return SealedBlobs(LocalBlobs(tmp_path), encrypted)


async def stored(blobs: SealedBlobs, content: bytes, workspace: UUID = HERE) -> str:
    key = blob_key(workspace, hashlib.sha256(content).hexdigest())
    await blobs.put(key, content)
    return key


@pytest.mark.parametrize("size", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE, 3 * PIECE + 17])
async def test_a_file_of_any_size_is_read_back(blobs: SealedBlobs, size: int) -> None:
    content = bytes(number % 251 for number in range(size))
    key = await stored(blobs, content)
    with await blobs.open(key) as found:
        assert found.read() == content
    await blobs.put(key, io.BytesIO(content))
    with await blobs.open(key) as found:
        assert found.read() == content


async def test_what_is_stored_shows_nothing_of_a_file(blobs: SealedBlobs, tmp_path: Path) -> None:
    key = await stored(blobs, b"The vault code is 4711." * 1000)
    kept = (tmp_path / key).read_bytes()
    assert kept.startswith(MAGIC)
    assert b"vault" not in kept


def left_out(kept: bytes) -> bytes:
    return kept[:4] + kept[4 + RECORD :]


def cut_at_a_piece(kept: bytes) -> bytes:
    return kept[: 4 + 2 * RECORD]


def cut_within_a_piece(kept: bytes) -> bytes:
    return kept[:-5]


def exchanged(kept: bytes) -> bytes:
    first, second = kept[4 : 4 + RECORD], kept[4 + RECORD : 4 + 2 * RECORD]
    return kept[:4] + second + first + kept[4 + 2 * RECORD :]


def flipped(kept: bytes) -> bytes:
    return kept[:100] + bytes([kept[100] ^ 1]) + kept[101:]


def bare(_: bytes) -> bytes:
    return b"never encrypted"


@pytest.mark.parametrize(
    "change", [left_out, cut_at_a_piece, cut_within_a_piece, exchanged, flipped, bare]
)
async def test_a_file_that_was_changed_is_refused(
    blobs: SealedBlobs, tmp_path: Path, change: Callable[[bytes], bytes]
) -> None:
    key = await stored(blobs, bytes(3 * PIECE + 5))
    path = tmp_path / key
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises((BlobDamaged, CiphertextDamaged)):
        await blobs.open(key)


async def test_a_file_of_another_workspace_is_refused(blobs: SealedBlobs, tmp_path: Path) -> None:
    content = b"the same bytes in both"
    mine, theirs = await stored(blobs, content), await stored(blobs, content, THERE)
    (tmp_path / mine).write_bytes((tmp_path / theirs).read_bytes())
    with pytest.raises(CiphertextDamaged):
        await blobs.open(mine)
