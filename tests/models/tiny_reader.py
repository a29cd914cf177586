"""Weights of a reader that knows nothing, in the format of the packaged ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save_file

from footnote.models.question_rewriting import KINDS
from footnote.models.question_tokens import BIO_TAGS, PARTS
from footnote.models.reader_weights import LARGEST_WEIGHT
from footnote.models.table_questions import BOUNDS, OPERATIONS, RANGES

WIDTH, INNER, LAYERS, HEADS, POSITIONS = 384, 256, 2, 12, 512
COLUMNS = 1
"""A seed with which some questions have a column and some have none."""


def write_tiny_reader(
    file: Path,
    *,
    largest: int = LARGEST_WEIGHT,
    probes: int | None = None,
    rewriting: bool = False,
    parting: bool = False,
    tables: bool = False,
    labels: int = len(PARTS),
    **metadata: str,
) -> Path:
    """A reader of two layers, and one that judges above the first, with random weights.

    They are up to `largest`, from one seed. With `probes` it has random ones on that layer, the one
    for orders above a layer more; with `rewriting`, too, what puts questions anew above another,
    with `parting` what parts them, by so many `labels`, above a third, and with `tables` what tells
    what they ask of tables above a fourth.
    """
    draw = np.random.default_rng(7)

    def floats(*shape: int, spread: float = 0.1) -> npt.NDArray[np.float32]:
        return draw.normal(0, spread, shape).astype(np.float32)

    tensors: dict[str, npt.NDArray[np.generic]] = {
        "position": floats(POSITIONS, WIDTH).astype(np.float16),
        "norm.weight": 1 + floats(WIDTH),
        "norm.bias": floats(WIDTH),
        "span.weight": floats(2, WIDTH, spread=0.3),
        "span.bias": floats(2),
    }
    sizes = {"q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "ao": (WIDTH, WIDTH)}
    sizes |= {"fi": (INNER, WIDTH), "fo": (WIDTH, INNER)}

    def add_layer(layer: str) -> None:
        for part, shape in sizes.items():
            matrix = draw.integers(-largest, largest + 1, shape).astype(np.int8)
            matrix[0, 0] = largest
            scales = np.abs(draw.normal(0.0015, 0.0003, shape[0])) + 1e-4
            tensors[f"{layer}.{part}.weight"] = matrix
            tensors[f"{layer}.{part}.scale"] = scales.astype(np.float32)
            tensors[f"{layer}.{part}.bias"] = floats(shape[0])
        for part in ("aln", "oln"):
            tensors[f"{layer}.{part}.weight"] = 1 + floats(WIDTH)
            tensors[f"{layer}.{part}.bias"] = floats(WIDTH)

    for layer in (*(f"layers.{each}" for each in range(LAYERS)), "judging.0"):
        add_layer(layer)
    for head, outputs in (("relevance", 1), ("support", 3)):
        tensors[f"{head}.0.weight"], tensors[f"{head}.0.bias"] = floats(WIDTH, WIDTH), floats(WIDTH)
        tensors[f"{head}.2.weight"] = floats(outputs, WIDTH, spread=0.3)
        tensors[f"{head}.2.bias"] = floats(outputs)
    config = {
        "width": WIDTH,
        "layers": LAYERS,
        "shared": LAYERS - 1,
        "judging": 1,
        "heads": HEADS,
        "inner": INNER,
        "epsilon": 1e-12,
        "positions": POSITIONS,
    }
    calibration: dict[str, object] = {
        "answer": {"weights": [0.2, 0.1], "bias": -0.3},
        "support": {"temperature": 2.0},
    }
    if probes is not None:
        add_layer("ordering.0")
        tensors |= _probes(draw)
        calibration["probes"] = {"layers": probes}
    wanted = {"rewriting": rewriting, "parting": parting, "tables": tables}
    for name in (each for each, is_wanted in wanted.items() if is_wanted):
        add_layer(f"{name}.0")
        tensors |= _added_heads(name, labels)
    told = {
        "config": json.dumps(config),
        "calibration": json.dumps(calibration),
        "card": "random",
        "revision": "1",
        **metadata,
    }
    save_file(tensors, file, told)
    return file


def _probes(draw: np.random.Generator) -> dict[str, npt.NDArray[np.generic]]:
    parts = {"inner": (WIDTH, 6), "inner_bias": (1, 6), "heads": (6, 2), "hidden": (12, 4)}
    parts |= {"hidden_bias": (1, 4)}
    tensors: dict[str, npt.NDArray[np.generic]] = {}
    for part, shape in {**parts, "odds": (4, 1)}.items():
        tensors[f"orders.{part}"] = draw.normal(0, 0.5, (2, *shape)).astype(np.float32)
    tensors["orders.bias"] = draw.normal(0, 0.1, 1).astype(np.float32)
    return tensors


def _added_heads(name: str, labels: int) -> dict[str, npt.NDArray[np.generic]]:
    """What stands above the layers of this name."""
    draw = np.random.default_rng(14)
    if name == "rewriting":
        return _heads(draw, name, {"kinds": len(KINDS), "labels": len(BIO_TAGS)})
    if name == "parting":
        least = np.array([0.3], np.float32)
        return {**_heads(draw, name, {"labels": labels}), "parting.least": least}
    heads = {"columns": 2, "extremes": 2, "narrowing": len(BIO_TAGS)}
    heads |= {"operations": len(OPERATIONS), "operations_beside": len(OPERATIONS)}
    heads |= {"ranges": len(RANGES), "bounds": len(BOUNDS), "bounded": 2}
    tensors = _heads(draw, name, heads)
    tensors["tables.least"] = np.array([0.4, 0.3], np.float32)
    # Neither a column nor none is always likelier.
    one = np.random.default_rng(COLUMNS).normal(0, 0.3, (WIDTH, 1)).astype(np.float32)
    tensors["tables.columns"] = np.concatenate([one, np.zeros_like(one)], axis=1)
    return tensors


def _heads(
    draw: np.random.Generator, name: str, heads: Mapping[str, int]
) -> dict[str, npt.NDArray[np.generic]]:
    """Linear heads with so many outputs each."""
    tensors: dict[str, npt.NDArray[np.generic]] = {}
    for head, outputs in heads.items():
        tensors[f"{name}.{head}"] = draw.normal(0, 0.3, (WIDTH, outputs)).astype(np.float32)
        tensors[f"{name}.{head}_bias"] = draw.normal(0, 0.1, outputs).astype(np.float32)
    return tensors
