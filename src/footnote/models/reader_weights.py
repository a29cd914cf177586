"""Read the file of the reader's weights: layers in 7 bits, heads, calibration.

A safetensors file, as `training/export.py` writes it: `position` with the token type added, `norm`,
for each layer eight parts, whose six matrices are int8 of shape (out, in) within ±63 with a scale
for each output, and the heads `span` and `relevance`. The head `support` has layers of its own,
`judging`, above the lowest ones, which judging and reading share. Configuration and calibration are
in the metadata. The word embeddings are those of the packaged embedder. Optional heads, each above
layers of its own: the injection probe `orders` on `ordering` (`training/probes.py`), question
rewriting on `rewriting` (`training/question_rewriting.py`), question decomposition on `parting`
(`training/question_decomposition.py`), and questions over tables on `tables`
(`training/table_questions.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError, safe_open

from footnote.domain.probability import sigmoid
from footnote.errors import ModelUnavailable
from footnote.models.attention_probe import AttentionProbe
from footnote.models.encoder_shape import BertShape
from footnote.models.question_decomposition import DecompositionHead
from footnote.models.question_rewriting import RewritingHead
from footnote.models.table_questions import TablesHead

LARGEST_WEIGHT = 63
"""7 bits: two products with unsigned bytes fit the 16-bit sums of processors without VNNI."""
MATRICES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
NORMS = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}

Tensor = npt.NDArray[np.generic]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Converts the heads' outputs to probabilities; fitted on held-out documents."""

    span_weight: float
    relevance_weight: float
    bias: float
    support_temperature: float

    def probability(self, score: float, relevance: float) -> float:
        """Return the probability that a passage of this relevance has this span as its answer."""
        odds = self.span_weight * score + self.relevance_weight * relevance + self.bias
        return sigmoid(odds)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeWeights:
    """Small heads on the states of a lower layer."""

    layers: int
    """Number of the encoder's lowest layers that are run below them."""
    orders: AttentionProbe
    """The injection probe, above its own layers; its output is above 0 from the threshold on."""
    injection_probe_digest: str
    """SHA-256 of the probe and its layers, in hexadecimal; screens fitted to its output store
    it."""


@dataclass(frozen=True, kw_only=True)
class ReaderWeights:
    """The parsed file."""

    tensors: Mapping[str, Tensor]
    shape: BertShape
    """Of the encoder for reading."""
    shared: int
    """Number of lowest layers shared by judging and reading."""
    judging: range
    """Layers for judging above the shared ones, numbered after those for reading."""
    ordering: range
    """Layers of the injection probe, above those shared by the probes; numbered after `judging`."""
    rewriting: range
    """Layers for question rewriting, numbered after `ordering`."""
    rewriter: RewritingHead | None
    """None in a file without it, or without probes, whose layers it needs."""
    parting: range
    """Layers for question decomposition, numbered after `rewriting`."""
    parts: DecompositionHead | None
    """None in a file without it, without probes or without question rewriting."""
    tables: range
    """Layers for questions over tables, numbered after `parting`."""
    table_questions: TablesHead | None
    """None in a file without it, or without probes."""
    positions: int
    calibration: Calibration
    probes: ProbeWeights | None
    """None in a file without them."""
    card: str
    digest: str
    """SHA-256 of the file, in hexadecimal."""
    encoder: str
    """SHA-256 of the layers below the probes (all layers without probes), in hexadecimal.
    Weights fitted to the states of these layers store it and fit every file with equal layers."""

    @cached_property
    def named(self) -> dict[str, npt.NDArray[np.float32]]:
        """Everything except the heads as float32, by the names of BERT's checkpoints."""
        width = self.shape.width
        arrays = {
            "embeddings.position_embeddings.weight": _float(self.tensors["position"]),
            # Already added to the positions.
            "embeddings.token_type_embeddings.weight": np.zeros((1, width), dtype=np.float32),
            "embeddings.LayerNorm.weight": _float(self.tensors["norm.weight"]),
            "embeddings.LayerNorm.bias": _float(self.tensors["norm.bias"]),
        }
        for layer, prefix in self._layers.items():
            for short, name in MATRICES.items():
                ours, theirs = f"{prefix}.{short}", f"encoder.layer.{layer}.{name}"
                scale = _float(self.tensors[f"{ours}.scale"])
                matrix = _float(self.tensors[f"{ours}.weight"])
                arrays[f"{theirs}.weight"] = matrix * scale[:, None]
                arrays[f"{theirs}.bias"] = _float(self.tensors[f"{ours}.bias"])
            for short, name in NORMS.items():
                for part in ("weight", "bias"):
                    tensor = self.tensors[f"{prefix}.{short}.{part}"]
                    arrays[f"encoder.layer.{layer}.{name}.{part}"] = _float(tensor)
        return arrays

    @cached_property
    def quantised(self) -> dict[str, tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]]:
        """The matrices as stored, transposed to (in, out), each with its scales."""
        quantised_matrices = {}
        for layer, prefix in self._layers.items():
            for short, name in MATRICES.items():
                ours = f"{prefix}.{short}"
                matrix = self.tensors[f"{ours}.weight"].T.astype(np.int8)
                scales = _float(self.tensors[f"{ours}.scale"])
                quantised_matrices[f"encoder.layer.{layer}.{name}"] = (matrix, scales)
        return quantised_matrices

    @property
    def _layers(self) -> dict[int, str]:
        """The prefix of the tensors of each layer."""
        reading = {layer: f"layers.{layer}" for layer in range(self.shape.layers)}
        judging = {layer: f"judging.{number}" for number, layer in enumerate(self.judging)}
        ordering = {layer: f"ordering.{number}" for number, layer in enumerate(self.ordering)}
        rewriting = {layer: f"rewriting.{number}" for number, layer in enumerate(self.rewriting)}
        parting = {layer: f"parting.{number}" for number, layer in enumerate(self.parting)}
        tables = {layer: f"tables.{number}" for number, layer in enumerate(self.tables)}
        return reading | judging | ordering | rewriting | parting | tables

    def head(self, name: str) -> npt.NDArray[np.float32]:
        """Return a tensor of a head as float32."""
        return _float(self.tensors[name])


def read_weights(file: Path) -> ReaderWeights:
    """Read the weights from a file. Raises ModelUnavailable if it is absent or invalid."""
    try:
        content = file.read_bytes()
        with safe_open(file, "numpy") as opened:
            metadata = opened.metadata() or {}
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        config = json.loads(metadata["config"])
        fitted = json.loads(metadata["calibration"])
        span, relevance = fitted["answer"]["weights"]
        probes = _probes(tensors, fitted.get("probes"))
        judging = range(config["layers"], config["layers"] + config["judging"])
        ordering = _layers_after(judging, tensors, "ordering")
        rewriting = _layers_after(ordering, tensors, "rewriting")
        parting = _layers_after(rewriting, tensors, "parting")
        tables = _layers_after(parting, tensors, "tables")
        weights = ReaderWeights(
            tensors=tensors,
            shape=BertShape(
                layers=config["layers"],
                heads=config["heads"],
                width=config["width"],
                epsilon=config["epsilon"],
            ),
            shared=config["shared"],
            judging=judging,
            ordering=ordering,
            rewriting=rewriting,
            rewriter=RewritingHead.of(tensors) if probes and rewriting else None,
            parting=parting,
            parts=DecompositionHead.of(tensors) if probes and rewriting and parting else None,
            tables=tables,
            table_questions=TablesHead.of(tensors) if probes and tables else None,
            positions=config["positions"],
            calibration=Calibration(
                span_weight=span,
                relevance_weight=relevance,
                bias=fitted["answer"]["bias"],
                support_temperature=fitted["support"]["temperature"],
            ),
            probes=probes,
            card=metadata.get("card", ""),
            digest=hashlib.sha256(content).hexdigest(),
            encoder=digest_of_layers(tensors, probes.layers if probes else config["layers"]),
        )
        largest = max(int(np.abs(matrix).max()) for matrix, _ in weights.quantised.values())
    except OSError as error:
        raise ModelUnavailable(
            f"the reader's weights cannot be read: {error}",
            hint="reinstall Footnote, or set FOOTNOTE_READER=none",
        ) from error
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise _not_weights(file, repr(error)) from error
    if largest > LARGEST_WEIGHT:
        raise _not_weights(file, f"a weight is {largest}, above {LARGEST_WEIGHT}")
    return weights


def described_weights(file: Path) -> ReaderWeights:
    """Read the file without its tensors: all that a reader with built graphs needs.

    Cached, as checking 20 MB of weights takes a process longer than opening their graphs.
    Raises ModelUnavailable as `read_weights` does.
    """
    try:
        status = file.stat()
    except OSError:
        return read_weights(file)  # Raises the error.
    return _described_once(file, (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns))


@lru_cache(maxsize=4)
def _described_once(file: Path, _identity: tuple[int, ...]) -> ReaderWeights:
    return replace(read_weights(file), tensors={})


def digest_of_layers(tensors: Mapping[str, Tensor], layers: int) -> str:
    """Return the SHA-256 of the lowest layers and the embeddings below them, in hexadecimal."""
    prefixes = ("position", "norm.", *(f"layers.{layer}." for layer in range(layers)))
    return digest_of(
        {name: tensor for name, tensor in tensors.items() if name.startswith(prefixes)}
    )


def digest_of(tensors: Mapping[str, Tensor]) -> str:
    """Return the SHA-256 of tensors with their names, in hexadecimal."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].tobytes())
    return digest.hexdigest()


def _layers_after(reader_layers: range, tensors: Mapping[str, Tensor], name: str) -> range:
    """Return the layers of an optional head, numbered after `others`; the config lacks them."""
    numbers = {key.split(".")[1] for key in tensors if key.startswith(f"{name}.")}
    return range(
        reader_layers.stop, reader_layers.stop + sum(number.isdecimal() for number in numbers)
    )


def _probes(tensors: Mapping[str, Tensor], fitted: Mapping[str, Any] | None) -> ProbeWeights | None:
    if fitted is None:
        return None
    return ProbeWeights(
        layers=int(fitted["layers"]),
        orders=AttentionProbe.of(tensors, "orders"),
        injection_probe_digest=digest_of(
            {
                name: tensor
                for name, tensor in tensors.items()
                if name.startswith(("orders.", "ordering."))
            }
        ),
    )


def _not_weights(file: Path, why: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"{file} does not hold the weights of a reader: {why}",
        hint="write it with training/export.py, or set FOOTNOTE_READER=none",
    )


def _float(tensor: Tensor) -> npt.NDArray[np.float32]:
    return tensor.astype(np.float32)
