"""What fastembed needs to open a model from a folder into which it was exported as ONNX."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

GRAPH_FILES = (
    "onnx/model.onnx",
    "model.onnx",
    "onnx/model_quantized.onnx",
    "model_quantized.onnx",
    "onnx/model_int8.onnx",
    "model_optimized.onnx",
)
"""Paths in a folder to which exporters write the graph; the first that exists is used."""
TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")

REGISTERING = Lock()
"""Held while a model is registered: fastembed keeps those it knows in one list per process."""


def missing_file(folder: Path) -> str | None:
    """Return a file that a model in the folder needs and that is not there.

    Of the graph the first of `GRAPH_FILES` is named, if the folder has none of them.
    """
    for name in TOKENIZER_FILES:
        if not (folder / name).is_file():
            return name
    return None if _graph_files(folder) else GRAPH_FILES[0]


def graph_file(folder: Path) -> str:
    """Return the path, in the folder, of the graph that is used.

    The folder has one: see `missing_file`.
    """
    return _graph_files(folder)[0]


def encodable(text: str) -> str:
    """Replace lone surrogates, which the tokenizer rejects.

    >>> encodable("a\\ud800")
    'a?'
    """
    return text.encode("utf-8", "replace").decode()


def _graph_files(folder: Path) -> list[str]:
    return [name for name in GRAPH_FILES if (folder / name).is_file()]
