"""The secrets of a workspace's index: term numbers, text hashes, and a turn of its vectors.

All follow from 32 random bytes by HKDF-SHA256 (RFC 5869) under labels of their own. The turn is an
orthogonal matrix: three rounds, each of which shuffles the coordinates and then turns every 64 of
them by a random orthogonal matrix of their own, so that each coordinate goes into all others. A
small matrix is the Q of the QR decomposition of one of normal deviates, its columns' signs chosen
so that R's diagonal is positive, which makes it uniform (Mezzadri, Notices of the AMS 54, 2007) and
the same whatever library decomposes. Random numbers are the ChaCha20 key stream (RFC 8439, nonce
and counter 0), deviates of it by Box and Muller's method. All arithmetic is in double precision,
whose last bits differ between machines; what is used is single precision and what is stored half,
so two machines agree as far as two runs of an embedding model do.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher as Stream
from cryptography.hazmat.primitives.ciphers.algorithms import ChaCha20
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from footnote.ports import Vectors

SECRET_BYTES = 32
_HASH_BYTES = 16
_MANTISSA_BITS = 53
_LEAST = 2.0**-_MANTISSA_BITS
_BLOCK = 64
_ROUNDS = 3

Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class KeyedIndexSecrets:
    """The index secrets of one workspace (`ports.IndexSecrets`)."""

    lexical_key: bytes
    _hash_key: bytes = field(repr=False)
    _turn_key: bytes = field(repr=False)
    _turns: dict[int, Vectors] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, secret: bytes) -> KeyedIndexSecrets:
        """The secrets from 32 bytes. Raises ValueError for another length."""
        if len(secret) != SECRET_BYTES:
            raise ValueError(f"an index secret has {SECRET_BYTES} bytes, not {len(secret)}")
        return cls(
            lexical_key=_derived(secret, b"terms"),
            _hash_key=_derived(secret, b"text hashes"),
            _turn_key=_derived(secret, b"vectors"),
        )

    def turn(self, vectors: Vectors) -> Vectors:
        return _rows_times(self._matrix(vectors.shape[-1]), vectors)

    def turn_back(self, vectors: Vectors) -> Vectors:
        return _rows_times(self._matrix(vectors.shape[-1]).T, vectors)

    def blind(self, text_hash: bytes) -> bytes:
        return hmac.digest(self._hash_key, text_hash, hashlib.sha256)[:_HASH_BYTES]

    def _matrix(self, dimensions: int) -> Vectors:
        cached = self._turns.get(dimensions)
        if cached is None:
            cached = self._turns[dimensions] = orthogonal_matrix(self._turn_key, dimensions)
        return cached


def orthogonal_matrix(key: bytes, dimensions: int) -> Vectors:
    """The orthogonal matrix of a key of 32 bytes, float32 of shape (dimensions, dimensions)."""
    matrix = np.eye(dimensions)
    for number in range(_ROUNDS):
        label = f"orthogonal matrix {dimensions} round {number}".encode()
        stream = (
            Stream(ChaCha20(_derived(key, label), bytes(16)), mode=None)
            .encryptor()
            .update(bytes(8 * (dimensions * (_BLOCK + 2))))
        )
        words = np.frombuffer(stream, dtype="<u8")
        matrix = matrix[:, np.argsort(words[:dimensions], kind="stable")]
        turned = np.empty_like(matrix)
        for start in range(0, dimensions, _BLOCK):
            columns = slice(start, min(start + _BLOCK, dimensions))
            size = columns.stop - start
            block_words = words[dimensions + start * (_BLOCK + 1) :][: size * (size + 1)]
            q, r = np.linalg.qr(_normal_deviates(block_words)[: size * size].reshape(size, size))
            block = q * np.where(np.diagonal(r) < 0, -1.0, 1.0)
            # Not BLAS, whose threads cost a busy machine more than they save.
            turned[:, columns] = np.einsum("ij,jk->ik", matrix[:, columns], block)
        matrix = turned
    exact: Vectors = np.ascontiguousarray(matrix, dtype=np.float32)
    return exact


def _rows_times(matrix: Vectors, vectors: Vectors) -> Vectors:
    """Each row times the matrix, by numpy's one product that never starts threads."""
    turned: Vectors = np.vecdot(vectors[..., None, :], matrix)
    return turned


def _normal_deviates(words: Words) -> Floats:
    """Return as many standard normal deviates as words; their number is even."""
    # In (0, 1], so that the logarithm is finite.
    uniform = ((words >> np.uint64(64 - _MANTISSA_BITS)).astype(np.float64) + 1.0) * _LEAST
    radius, angle = np.sqrt(-2.0 * np.log(uniform[::2])), 2.0 * np.pi * uniform[1::2]
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])


def _derived(secret: bytes, label: bytes) -> bytes:
    info = b"footnote index " + label
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=info).derive(secret)
